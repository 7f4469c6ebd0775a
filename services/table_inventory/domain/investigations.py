"""Investigations of a hold that deviates from its base of comparison."""

from calendar import monthrange
from datetime import date

from pydantic import AwareDatetime

from shared.contracts.investigations import InvestigationOpened
from shared.contracts.property_snapshot import PropertySnapshot
from shared.runtime.commands.approval_subject import ApprovalSubject


class Investigation(InvestigationOpened, ApprovalSubject):
    """An investigation with its status; it is closed once it has a conclusion."""

    conclusion: str | None = None
    concluded_at: AwareDatetime | None = None


def last_day(month: str) -> date:
    """Return the last day of a month, given as YYYY-MM.

    >>> last_day("2028-02")
    datetime.date(2028, 2, 29)
    """
    first = date.fromisoformat(f"{month}-01")
    return first.replace(day=monthrange(first.year, first.month)[1])


def known_names(place: PropertySnapshot, what: str, month: str) -> set[str]:
    """Return the tables (`what` is "table") or games that a property had on the first or last day of a month."""
    last = last_day(month)
    tables = (*place.tables_on(last.replace(day=1)), *place.tables_on(last))
    return {table.table if what == "table" else table.game for table in tables}
