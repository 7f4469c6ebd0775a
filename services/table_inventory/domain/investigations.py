"""Investigations of a hold that deviates from its base, and the gaming days of the month that they cover."""

from calendar import monthrange
from datetime import date

from pydantic import AwareDatetime

from shared.contracts.investigations import InvestigationOpened
from shared.contracts.property_snapshot import PropertySnapshot
from shared.runtime.commands.approval_subject import ApprovalSubject


class Investigation(InvestigationOpened, ApprovalSubject):
    """An investigation with its status; one with a conclusion is closed."""

    conclusion: str | None = None
    concluded_at: AwareDatetime | None = None


def last_day(month: str) -> date:
    """Return the last day of a month.

    >>> last_day("2028-02")
    datetime.date(2028, 2, 29)
    """
    first = date.fromisoformat(f"{month}-01")
    return first.replace(day=monthrange(first.year, first.month)[1])


def known_names(place: PropertySnapshot, what: str, month: str) -> set[str]:
    """Return the tables, or the games, that a property had on the first or the last day of a month."""
    last = last_day(month)
    tables = (*place.tables_on(last.replace(day=1)), *place.tables_on(last))
    return {table.table if what == "table" else table.game for table in tables}
