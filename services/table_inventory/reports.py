"""The reports as documents: win, inventories, slip series, equipment and exceptions."""

from datetime import date, datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import reading
from services.table_inventory.books import Win, Window, hold_percent, wins
from services.table_inventory.policies import policy_on
from shared.contracts.pit import Pieces


class WinRow(BaseModel):
    """The win of a table, a shift of it, or all tables, by § 601a.9(c), beside what the settled rounds imply.

    `win_cents` is closer + credits + drop - opener - fills, and None while something is missing (`missing` says what).
    It is always `rounds_win_cents` + `inventory_variance_cents` + `drop_variance_cents` - `prepaid_cents` where prepaid
    access is not drop. `coupons_cents` were counted in the box and are no drop. `counts` and `boxes` are the sequences
    in the table's pit stream of what the figures come from.
    """

    table: str | None = None
    shift: str | None = None
    game: str | None = None
    opened: bool
    opener_cents: int
    fills_cents: int
    credits_cents: int
    closer_cents: int | None
    currency_cents: int
    counter_checks_cents: int
    prepaid_cents: int
    drop_cents: int
    coupons_cents: int
    win_cents: int | None
    hold_percent: str | None
    rounds: int
    rounds_win_cents: int
    coupons_paid_cents: int
    vigorish_waived_cents: int
    difference_cents: int | None
    inventory_variance_cents: int
    drop_variance_cents: int | None
    adjustments_cents: int
    final_win_cents: int | None
    missing: list[str] = []
    counts: list[int] = []
    boxes: list[int] = []


class DayReport(BaseModel):
    """The win of a property's gaming day: by table, by shift, and altogether (None while a table is incomplete)."""

    title: str = "Master game report"
    property: str
    gaming_day: date
    policy_from: date
    prepaid_is_drop: bool
    tables: list[WinRow]
    shifts: list[WinRow]
    total: WinRow


class InventoryRow(BaseModel):
    """What a table should hold at a moment: what was counted last and what moved since.

    `contents` by denomination is given where every movement since is known so.
    """

    table: str
    open: bool
    gaming_day: date
    shift: str
    counted_at: AwareDatetime
    counted_cents: int
    counted_contents: tuple[Pieces, ...]
    fills_cents: int
    credits_cents: int
    sold_cents: int
    counter_checks_cents: int
    rounds: int
    rounds_cents: int
    moved_cents: int
    expected_cents: int
    expected_contents: tuple[Pieces, ...] | None = None


class CountRow(BaseModel):
    """A count beside what was expected of it; `variance_cents` None at the first count of a table."""

    table: str
    sequence: int
    at: AwareDatetime
    gaming_day: date
    shift: str
    purpose: str
    counted_by: str
    observed_by: str
    counted_cents: int
    counted_contents: tuple[Pieces, ...]
    expected_cents: int | None = None
    variance_cents: int | None = None


def pieces(stacks: dict[str, int]) -> tuple[Pieces, ...]:
    """Counts by denomination as pieces; what would be negative is left out, for nothing can be."""
    found: list[Pieces] = []
    for name, count in stacks.items():
        kind, _, cents = name.partition(":")
        if count > 0:
            found.append(Pieces.model_validate({"kind": kind, "cents": int(cents), "count": count}))
    return tuple(found)


async def day_report(connection: AsyncConnection, property_name: str, gaming_day: date, *, at: datetime) -> DayReport:
    """The win of a gaming day as it stands; `at` is now."""
    policy = policy_on(gaming_day)
    windows = await reading.windows_with_running(connection, property_name, gaming_day, at)
    boxes = await reading.boxes_of_day(connection, property_name, gaming_day)
    adjusted = await reading.adjusted_of_day(connection, property_name, gaming_day)
    by_table, by_shift = (
        [
            win_row(win)
            for win in wins(windows, boxes, adjusted, by_shift=by_shift, prepaid_is_drop=policy.prepaid_is_drop)
        ]
        for by_shift in (False, True)
    )
    return DayReport(
        property=property_name,
        gaming_day=gaming_day,
        policy_from=policy.effective_from,
        prepaid_is_drop=policy.prepaid_is_drop,
        tables=by_table,
        shifts=by_shift,
        total=_total(by_table),
    )


def win_row(win: Win) -> WinRow:
    """A win as a row of the report."""
    found = win.win_cents
    return WinRow(
        table=win.table,
        shift=win.shift,
        game=win.game,
        opened=win.opened,
        opener_cents=win.opener_cents,
        fills_cents=win.fills_cents,
        credits_cents=win.credits_cents,
        closer_cents=None if "closer" in win.missing else win.closer_cents,
        currency_cents=win.currency_cents,
        counter_checks_cents=win.counter_checks_cents,
        prepaid_cents=win.prepaid_cents,
        drop_cents=win.drop_cents,
        coupons_cents=win.coupons_cents,
        win_cents=found,
        hold_percent=None if found is None else hold_percent(found, win.drop_cents),
        rounds=win.rounds,
        rounds_win_cents=win.rounds_win_cents,
        coupons_paid_cents=win.coupons_paid_cents,
        vigorish_waived_cents=win.vigorish_waived_cents,
        difference_cents=None if found is None else found - win.rounds_win_cents,
        inventory_variance_cents=win.inventory_variance_cents,
        drop_variance_cents=win.drop_variance_cents,
        adjustments_cents=win.adjustments_cents,
        final_win_cents=win.final_win_cents,
        missing=win.missing,
        counts=win.counts,
        boxes=win.boxes,
    )


_ADDED = (
    "opener_cents", "fills_cents", "credits_cents", "closer_cents", "currency_cents", "counter_checks_cents",
    "prepaid_cents", "drop_cents", "coupons_cents", "win_cents", "rounds", "rounds_win_cents", "coupons_paid_cents",
    "vigorish_waived_cents", "difference_cents", "inventory_variance_cents", "drop_variance_cents",
    "adjustments_cents", "final_win_cents",
)  # fmt: skip


def _total(rows: list[WinRow]) -> WinRow:
    sums: dict[str, Any] = {}
    for name in _ADDED:
        values = [getattr(row, name) for row in rows]
        sums[name] = None if None in values else sum(values)
    win = sums["win_cents"]
    return WinRow(
        **sums,
        opened=any(row.opened for row in rows),
        hold_percent=None if win is None else hold_percent(win, sums["drop_cents"]),
        missing=sorted({what for row in rows for what in row.missing}),
    )


def inventory_row(window: Window) -> InventoryRow:
    """A running window as a row of the report."""
    start, moves = window.start, window.moves
    assert start is not None, "a running inventory begins with a count"
    gaming_day, shift = start.begun
    expected = window.expected_by_denomination
    return InventoryRow(
        table=start.table,
        open=start.leaves_open,
        gaming_day=gaming_day,
        shift=shift,
        counted_at=start.at,
        counted_cents=start.cents,
        counted_contents=pieces(start.contents),
        fills_cents=moves.fills,
        credits_cents=moves.credits,
        sold_cents=moves.currency + moves.prepaid,
        counter_checks_cents=moves.counter_checks,
        rounds=moves.rounds,
        rounds_cents=moves.rounds_cents,
        moved_cents=moves.cents,
        expected_cents=window.expected_cents,
        expected_contents=None if expected is None else pieces(expected),
    )


def count_row(window: Window) -> CountRow:
    """A count as a row of the report."""
    end = window.end
    assert end is not None, "the window of a count ends with it"
    return CountRow(
        table=end.table,
        sequence=end.sequence,
        at=end.at,
        gaming_day=end.gaming_day,
        shift=end.shift,
        purpose=end.purpose,
        counted_by=end.counted_by,
        observed_by=end.observed_by,
        counted_cents=end.cents,
        counted_contents=pieces(end.contents),
        expected_cents=None if window.start is None else window.expected_cents,
        variance_cents=window.variance_cents,
    )
