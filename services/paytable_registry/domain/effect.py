"""The rules submissions in effect at a property's tables at a moment. Pure."""

from datetime import datetime

from services.paytable_registry.domain.submissions import SubmissionShown, SubmissionVersion, shown
from shared.contracts.envelope import Contract
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import ByTable


class TableInEffect(Contract):
    """A table, its game, and the version in effect there; if there is none, the table's rounds cannot be settled."""

    table: str
    game: str
    submission: SubmissionShown | None = None


def in_effect_at(
    place: PropertySnapshot,
    approved: ByTable[SubmissionVersion],
    moment: datetime,
    *,
    now: datetime,
    only: str | None = None,
) -> list[TableInEffect]:
    """Return the tables of a property at a moment, or the table `only`, each with the version in effect there.

    The phases of the versions are those at `now`. Raises: Rejected if the table `only` does not exist at the moment.
    """
    day = place.gaming_day(moment)
    missing = None if only is None else place.why_no_table(only, day)
    if missing is not None:
        raise Rejected(Reason.NOT_FOUND, missing)
    found = []
    for one in place.tables_on(day):
        if only in (None, one.table):
            version = approved.in_effect(place.document.property, one.game, one.table, moment)
            submission = None if version is None else shown(version, approved, now)
            found.append(TableInEffect(table=one.table, game=one.game, submission=submission))
    return found
