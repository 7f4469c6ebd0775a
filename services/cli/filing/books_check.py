"""Compare filings with the reports that their amounts came from."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from services.cli.client import client_of
from services.cli.exits import InputRefused
from services.cli.filing.currency_report import people_of
from services.cli.filing.same_person import require_one_reference_each
from shared.runtime.filing.filed_amounts import changed_since_prepared, is_due_again, report_behind


def require_still_so(filing: Mapping[str, Any], *, apart: Collection[str] = ()) -> None:
    """Raise InputRefused if a prepared filing no longer holds; other filings cannot be released anyway.

    It is compared with the currency report or the winnings report, because the service that releases the filing does
    not store the underlying movements and winnings. Nor may it name a patron who has been found to be another patron of
    the same report, unless one of the two is `apart`.
    """
    if filing["status"] != "prepared":
        return
    name, asked = report_behind(filing)
    with client_of("reporting") as reporting:
        report = reporting.read(f"/reports/{name}", **asked)
    if changed := changed_since_prepared(filing, report):
        error = InputRefused(
            f"filing {filing['filing']} of {filing['property']} no longer holds: withdraw it, and prepare it again"
        )
        error.details = "\n".join(map(str, changed))
        raise error
    named = {name for one in filing["reports"] for name in (one["reference"], *one.get("with_others", ()))}
    people = named | (people_of(report) if filing["form"] == "ctr" else set())
    require_one_reference_each(filing["property"], people, apart)


def due_no_more(rejected: Iterable[Mapping[str, Any]]) -> set[int]:
    """Return the numbers of the rejected filings without any report that must be filed again.

    Raises: CommandError if reporting does not answer, or refuses this person.
    """
    reports: dict[str, Mapping[str, Any]] = {}
    found = set()
    with client_of("reporting") as reporting:
        for filing in rejected:
            name, asked = report_behind(filing)
            key = f"{name} {asked}"
            if key not in reports:
                reports[key] = reporting.read(f"/reports/{name}", **asked)
            if not is_due_again(filing["filing"], reports[key]):
                found.add(filing["filing"])
    return found
