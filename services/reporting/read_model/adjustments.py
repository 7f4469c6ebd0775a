"""Adjustments of all services' figures, each with its amount, reason, the person who entered it, and the approver."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.reading import Books, Listed
from shared.contracts import accounts
from shared.contracts.exact import exact_text, nanocents, parse_exact
from shared.contracts.inventory import AdjustmentApproved, AdjustmentEntered, AdjustmentRejected, DayFinal
from shared.contracts.meters import ChangeApproved, ChangeRejected, ChangeRequested, Movement
from shared.contracts.reports import ReportStatus

AdjustmentStatus = Literal["entered", "approved", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """An adjustment of a figure in a service's books.

    `of` is what was adjusted: `win`, `account` or `meter`; `number` is the adjustment's number in that service.
    `figure` is the adjusted figure: of a table and shift, or of the account or pool `about`. `change` is the amount;
    `before` and `after` are the figure without and with the change, as expected if undecided. All three are cents as
    decimal texts, None if unknown. `decided_by` approved or rejected the adjustment.
    """

    of: str
    number: int
    gaming_day: date
    figure: str
    change: str | None
    status: AdjustmentStatus
    reason: str
    entered_by: str
    entered_at: datetime
    entries: tuple[EntryRef, ...]
    about: str = ""
    table: str | None = None
    shift: str | None = None
    before: str | None = None
    after: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    rejection_reason: str | None = None
    after_seal: bool = False

    @property
    def nanocents(self) -> int:
        """Return the change in nanocents, 0 if unknown."""
        return parse_exact(self.change or "0")


def is_over_limit(books: Books, one: Adjustment) -> bool:
    """Return whether an adjustment exceeds the limit above which law, or the property, requires listing."""
    return abs(one.nanocents) > nanocents(limit_cents(books, one))


def limit_cents(books: Books, one: Adjustment) -> int:
    """Return the limit, in cents, above which adjustments like this one must be listed on its gaming day."""
    return books.place_on(one.gaming_day).limit_cents("adjustment_listed_cents", one.gaming_day)


AdjustmentsOf = Callable[[Books], Awaitable[Sequence[Adjustment]]]
"""A function that returns the adjustments entered, approved or rejected on the queried gaming days."""

_MEASURES: Final = {
    "opener": "opener_cents",
    "closer": "closer_cents",
    "fills": "fills_cents",
    "credits": "credits_cents",
    "currency": "currency_cents",
    "counter_checks": "counter_checks_cents",
}
"""The measure of each adjustable figure, keyed by the name of the figure."""


async def of_win(books: Books) -> Sequence[Adjustment]:
    """Return the adjustments of tables' win, ordered by gaming day and number.

    `before` is the counted or recorded figure, including earlier approved adjustments.
    """
    said = await books.facts(AdjustmentEntered, AdjustmentApproved, AdjustmentRejected)
    if not said:
        return []
    known = await books.amounts(list(_MEASURES.values()), ("gaming_day", "table_name", "shift"), explained=False)
    standing = {
        (*where, figure): measures[measure].value
        for where, measures in known.items()
        for figure, measure in _MEASURES.items()
        if measure in measures
    }
    found = [_of_win(entries, standing) for entries in sorted(_by_number(said), key=_when)]
    return sorted(found, key=lambda one: (one.gaming_day, one.number))


def _by_number(said: Iterable[Listed]) -> Iterable[list[Listed]]:
    """Return a list of entries for each adjustment, in the order of recording."""
    found: dict[tuple[date, int], list[Listed]] = {}
    for listed in said:
        found.setdefault((listed.fact.gaming_day, listed.fact.adjustment), []).append(listed)
    return found.values()


def _when(entries: Sequence[Listed]) -> tuple[bool, datetime]:
    """Return the sort key of an adjustment: approved ones first, by time of recording, then all others."""
    last = entries[-1]
    return not isinstance(last.fact, AdjustmentApproved), last.recorded_at


def _of_win(entries: Sequence[Listed], standing: dict[tuple[str, ...], int]) -> Adjustment:
    """Return an adjustment of win; an approved one is also added to `standing`, the adjusted figures in cents."""
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
        change=str(fact.cents),
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


# --- of wagering accounts ---

_OPENED_AT: Final = text("""
    SELECT data ->> 'account' AS account, table_name FROM reporting.facts
    WHERE property = :property AND kind = 'account.opened' AND data ->> 'account' = ANY(:accounts)
      AND recorded_at <= :known_at""")


async def of_accounts(books: Books) -> Sequence[Adjustment]:
    """Return the adjustments of accounts, each on the gaming day of its decision or, if undecided, of its entry.

    `before` and `after` are the available amounts. An adjustment is left out while only its rejection, but not yet its
    entry, has been read.
    """
    said: dict[tuple[str, int], list[Listed]] = {}
    for one in await books.all_facts(
        accounts.AccountAdjustmentEntered, accounts.AccountAdjustmentApproved, accounts.AccountAdjustmentRejected
    ):
        said.setdefault((one.fact.account, one.fact.adjustment), []).append(one)
    first, last = books.question.first, books.question.last
    wanted = [
        entries
        for entries in said.values()
        if first <= (entries[-1].gaming_day or date.min) <= last
        and not isinstance(entries[0].fact, accounts.AccountAdjustmentRejected)
    ]
    names = sorted({entries[0].fact.account for entries in wanted})
    tables = {row.account: row.table_name for row in await books.read(_OPENED_AT, accounts=names)} if names else {}
    found = [_of_account(entries, tables.get(entries[0].fact.account)) for entries in wanted]
    return _in_order(one for one in found if books.question.table in (None, one.table))


def _of_account(entries: Sequence[Listed], table: str | None) -> Adjustment:
    """Return an adjustment of an account; `table` is the table of a game account, None for a wallet."""
    entered, last = entries[0].fact, entries[-1]
    decided: dict[str, Any] = {"status": "entered"}
    before_cents = entered.before_cents
    match last.fact:
        case accounts.AccountAdjustmentApproved() as fact:
            decided = {"status": "approved", "decided_by": fact.by, "decided_at": last.occurred_at}
            before_cents = fact.before_cents
        case accounts.AccountAdjustmentRejected() as fact:
            decided = {"status": "rejected", "decided_by": fact.by, "decided_at": last.occurred_at}
            decided["rejection_reason"] = fact.reason
    assert last.gaming_day is not None, "only those of gaming days are asked for"
    return Adjustment(
        of="account",
        about=entered.account,
        number=entered.adjustment,
        gaming_day=last.gaming_day,
        figure="available",
        change=str(entered.cents),
        reason=entered.reason,
        entered_by=getattr(last.fact, "entered_by", entered.by),
        entered_at=entries[0].occurred_at,
        entries=tuple(one.entry for one in entries),
        table=table,
        before=str(before_cents),
        after=str(before_cents + entered.cents),
        **decided,
    )


# --- of progressive meters ---

_Display = tuple[str | None, str | None, str | None]
"""A display before a change, the change, and the display after it; None if unknown."""


async def of_meters(books: Books) -> Sequence[Adjustment]:
    """Return the meter changes that people requested; a transfer is listed once for each of its two pools.

    `before` and `after` are the exact display; they are unknown until the change is approved.
    """
    if books.question.table is not None:
        return []  # a pool belongs to the property, not to a table
    said: dict[int, list[Listed]] = {}
    for one in await books.facts(ChangeRequested, ChangeApproved):
        said.setdefault(one.fact.change, []).append(one)
    rejected = {one.fact.change: one for one in await books.all_facts(ChangeRejected)}
    sealed = {one.fact.gaming_day: one.recorded_at for one in await books.facts(DayFinal)}
    found: list[Adjustment] = []
    for number, entries in said.items():
        steps = [*entries, rejected[number]] if number in rejected else entries
        seal = sealed.get(entries[0].fact.gaming_day)
        found += _of_change(steps, after_seal=seal is not None and seal < entries[0].recorded_at)
    return _in_order(found)


def _of_change(entries: Sequence[Listed], *, after_seal: bool) -> Iterable[Adjustment]:
    asked, last = entries[0].fact, entries[-1].fact
    decided: dict[str, Any] = {"status": "entered"}
    displays: dict[str, _Display] = {pool: (None, change, None) for pool, change in _wanted(asked).items()}
    match last:
        case ChangeApproved():
            decided = {"status": "approved", "decided_by": last.approved_by, "decided_at": last.approved_at}
            displays = {movement.pool: _display(movement) for movement in last.movements}
        case ChangeRejected():
            decided = {"status": "rejected", "decided_by": last.rejected_by, "decided_at": last.rejected_at}
            decided["rejection_reason"] = last.reason
    for pool, (before, change, after) in displays.items():
        yield Adjustment(
            of="meter",
            about=pool,
            number=asked.change,
            gaming_day=asked.gaming_day,
            figure=f"display, {asked.kind}",
            change=change,
            reason=asked.reason,
            entered_by=asked.requested_by,
            entered_at=asked.requested_at,
            entries=tuple(one.entry for one in entries),
            before=before,
            after=after,
            after_seal=after_seal,
            **decided,
        )


def _wanted(asked: ChangeRequested) -> dict[str, str | None]:
    """Return the requested change of each pool's display, by pool; None for a reset, unknown before approval."""
    match asked.kind:
        case "reset":
            return {asked.pool: None}
        case "transfer" if asked.to is not None:
            return {asked.pool: str(-(asked.cents or 0)), asked.to: str(asked.cents)}
        case _:
            return {asked.pool: str(asked.cents)}


def _display(movement: Movement) -> _Display:
    """Return (display before, change, display after) for a movement that people requested."""
    after = parse_exact(movement.display_cents)
    moved = sum(map(parse_exact, (movement.transfer_cents, movement.reset_cents, movement.released_cents)))
    return exact_text(after - moved), exact_text(moved), exact_text(after)


def _in_order(found: Iterable[Adjustment]) -> list[Adjustment]:
    return sorted(found, key=lambda one: (one.gaming_day, one.about, one.number))


SOURCES: Final[tuple[AdjustmentsOf, ...]] = (of_win, of_accounts, of_meters)
"""The functions that return the adjustments of each service."""


async def adjustments_of(books: Books) -> list[Adjustment]:
    """Return all adjustments of the queried gaming days."""
    return [one for source in SOURCES for one in await source(books)]
