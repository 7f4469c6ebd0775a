"""Adjustments, whoever's books they change: what was changed, by whom, why, and with whose approval."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal

from services.reporting.books.reading import Books, Listed
from services.reporting.kit.figures import EntryRef
from shared.contracts.inventory import AdjustmentApproved, AdjustmentEntered, AdjustmentRejected
from shared.contracts.reports import ReportStatus

AdjustmentStatus = Literal["entered", "approved", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """A change of a figure by hand.

    `of` names whose books it changes, `number` is its number there, `figure` what it changes: of a table and shift, a
    balance, a meter. `cents` is the change. `before` and `after` are cents as a decimal, as the change made them or
    would make them; None where it is not known. `decided_by` approved or rejected it.
    """

    of: str
    number: int
    gaming_day: date
    figure: str
    cents: int
    status: AdjustmentStatus
    reason: str
    entered_by: str
    entered_at: datetime
    entries: tuple[EntryRef, ...]
    table: str | None = None
    shift: str | None = None
    before: str | None = None
    after: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    rejection_reason: str | None = None
    after_seal: bool = False


AdjustmentsOf = Callable[[Books], Awaitable[Sequence[Adjustment]]]
"""Return the adjustments of a question's gaming days, those that were entered, approved or rejected."""

_MEASURES: Final = {
    "opener": "opener_cents",
    "closer": "closer_cents",
    "fills": "fills_cents",
    "credits": "credits_cents",
    "currency": "currency_cents",
    "counter_checks": "counter_checks_cents",
}
"""The measure of each figure that can be adjusted."""


async def of_win(books: Books) -> Sequence[Adjustment]:
    """Return the adjustments of figures of the win of tables, in the order of day and number.

    Before an adjustment, a figure is what was counted or moved, with what had been approved by then.
    """
    known = await books.amounts(list(_MEASURES.values()), ("gaming_day", "table_name", "shift"))
    standing = {
        (*where, figure): measures[measure].value
        for where, measures in known.items()
        for figure, measure in _MEASURES.items()
        if measure in measures
    }
    said = await books.facts(AdjustmentEntered, AdjustmentApproved, AdjustmentRejected)
    found = [_of_win(entries, standing) for entries in sorted(_by_number(said), key=_when)]
    return sorted(found, key=lambda one: (one.gaming_day, one.number))


def _by_number(said: Iterable[Listed]) -> Iterable[list[Listed]]:
    """Return what was said of each adjustment, in the order of recording."""
    found: dict[tuple[date, int], list[Listed]] = {}
    for listed in said:
        found.setdefault((listed.fact.gaming_day, listed.fact.adjustment), []).append(listed)
    return found.values()


def _when(entries: Sequence[Listed]) -> tuple[bool, datetime]:
    """Return a key by which what was approved comes first, in the order of approvals."""
    last = entries[-1]
    return not isinstance(last.fact, AdjustmentApproved), last.recorded_at


def _of_win(entries: Sequence[Listed], standing: dict[tuple[str, ...], int]) -> Adjustment:
    """Return an adjustment; once approved, it changes what is `standing`."""
    fact = entries[-1].fact
    place = (str(fact.gaming_day), fact.table, fact.shift, fact.figure)
    before = standing.get(place, 0)
    after = before + fact.cents
    decided: dict[str, Any] = {"status": "entered"}
    match fact:
        case AdjustmentApproved():
            decided = {"status": "approved", "decided_by": fact.approved_by, "decided_at": fact.approved_at}
            standing[place] = after
        case AdjustmentRejected():
            decided = {"status": "rejected", "decided_by": fact.rejected_by, "decided_at": fact.rejected_at}
            decided["rejection_reason"] = fact.rejection_reason
    return Adjustment(
        of="win",
        number=fact.adjustment,
        gaming_day=fact.gaming_day,
        figure=fact.figure,
        cents=fact.cents,
        reason=fact.reason,
        entered_by=fact.entered_by,
        entered_at=fact.entered_at,
        entries=tuple(one.entry for one in entries),
        table=fact.table,
        shift=fact.shift,
        before=str(before),
        after=str(after),
        after_seal=fact.day_status == ReportStatus.FINAL,
        **decided,
    )
