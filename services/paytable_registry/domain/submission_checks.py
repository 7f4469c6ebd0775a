"""What of a rules submission contradicts its property: all of it at once, each problem with what to file. Pure."""

from collections.abc import Iterator

from shared.contracts.places import Place
from shared.contracts.submissions import RulesSubmission


def problems(wanted: RulesSubmission, place: Place) -> list[str]:
    """Return all that contradicts the property as it is when a submission takes effect, in words."""
    return [*_regulation(wanted, place), *_tables(wanted, place)]


def _regulation(wanted: RulesSubmission, place: Place) -> Iterator[str]:
    law = place.law
    if wanted.regulation not in law.regulations:
        yield (
            f"'regulation': {wanted.regulation!r} is not among those of {law.title}, {', '.join(law.regulations)}: "
            f"select one of these, or file and approve a version of property {wanted.property} that names its pack"
        )


def _tables(wanted: RulesSubmission, place: Place) -> Iterator[str]:
    day = place.gaming_day(wanted.effective_from)
    for name in dict.fromkeys(wanted.tables):
        if wanted.tables.count(name) > 1:
            yield f"'tables': {name!r} is listed {wanted.tables.count(name)} times; list it once"
        missing = place.why_no_table(name, day)
        if missing is not None:
            yield missing
        elif (game := place.table(name, day).game) != wanted.game:
            yield (
                f"table {name!r} of {wanted.property} offers {game}, not {wanted.game}: leave it out, or file and "
                "approve a version of the property where it does"
            )
