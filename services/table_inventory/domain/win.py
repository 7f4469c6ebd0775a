"""The win of § 601a.9(c), from counts, movements and boxes, with what the settled rounds imply."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Final

from pydantic import BaseModel

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.policies import policy_on
from services.table_inventory.domain.windows import Window
from shared.contracts.inventory import AdjustmentEntered, Figure
from shared.contracts.reports import Percent, percent_of


def win_effect(figure: Figure, cents: int) -> int:
    """Return what it does to the win that a figure is raised by so many cents."""
    return -cents if figure in ("opener", "fills") else cents


class Win(BaseModel):
    """The win of a table, a shift of it, or all tables, by § 601a.9(c), with what the settled rounds imply.

    `win_cents` is closer + credits + drop - opener - fills, and None while something is missing (`missing` says what).
    It is always `rounds_win_cents` + `inventory_variance_cents` + `drop_variance_cents` - `prepaid_cents` where prepaid
    access is not drop. Drop is currency, counter checks and, where the policy says so, prepaid access; `coupons_cents`
    were counted in the box and are no drop. `rounds_win_cents` is what the rounds brought, less coupons paid and
    vigorish waived. `counts` and `boxes` are the sequences in the table's pit stream of what the figures come from.
    """

    table: str | None = None
    shift: str | None = None
    game: str | None = None
    opened: bool = False
    opener_cents: int = 0
    fills_cents: int = 0
    credits_cents: int = 0
    closer_cents: int | None = None
    currency_cents: int = 0
    counter_checks_cents: int = 0
    prepaid_cents: int = 0
    drop_cents: int = 0
    coupons_cents: int = 0
    win_cents: int | None = None
    hold_percent: Percent | None = None
    rounds: int = 0
    rounds_cents: int = 0
    coupons_paid_cents: int = 0
    vigorish_waived_cents: int = 0
    rounds_win_cents: int = 0
    difference_cents: int | None = None
    inventory_variance_cents: int = 0
    recorded_drop_cents: int = 0
    drop_variance_cents: int | None = None
    adjustments_cents: int = 0
    final_win_cents: int | None = None
    missing: list[str] = []
    counts: list[int] = []
    boxes: list[int] = []

    def finished(self, *, prepaid_is_drop: bool) -> "Win":
        """Return the win with everything that follows from the figures that were added up."""
        counted_cents = self.currency_cents + self.counter_checks_cents
        drop_cents = counted_cents + (self.prepaid_cents if prepaid_is_drop else 0)
        rounds_win_cents = self.rounds_cents - self.coupons_paid_cents - self.vigorish_waived_cents
        values: dict[str, Any] = {"drop_cents": drop_cents, "rounds_win_cents": rounds_win_cents}
        values["missing"] = sorted(set(self.missing))
        if "closer" in self.missing:
            values["closer_cents"] = None
        if not self.missing:
            out_cents = self.opener_cents + self.fills_cents
            win_cents = (self.closer_cents or 0) + self.credits_cents + drop_cents - out_cents
            values["win_cents"] = win_cents
            values["hold_percent"] = percent_of(win_cents, drop_cents)
            values["difference_cents"] = win_cents - rounds_win_cents
            values["drop_variance_cents"] = counted_cents - self.recorded_drop_cents
            values["final_win_cents"] = win_cents + self.adjustments_cents
        return self.model_copy(update=values)


_ADDED: Final = (
    "opener_cents", "closer_cents", "fills_cents", "credits_cents", "currency_cents", "counter_checks_cents",
    "prepaid_cents", "coupons_cents", "rounds", "rounds_cents", "coupons_paid_cents", "vigorish_waived_cents",
    "recorded_drop_cents", "inventory_variance_cents", "adjustments_cents",
)  # fmt: skip


def wins(
    windows: Sequence[Window],
    boxes: Iterable[Box],
    adjustments: Iterable[AdjustmentEntered],
    *,
    by_shift: bool,
    prepaid_is_drop: bool,
) -> list[Win]:
    """Return the win of each table of a gaming day, or of each of its shifts, in the order of tables and windows.

    `windows` are those of the day, in the order of table and time.
    """
    found: dict[tuple[str, str | None], Win] = {}

    def of(table: str, shift: str) -> Win:
        key = (table, shift if by_shift else None)
        return found.setdefault(key, Win(table=table, shift=key[1], closer_cents=0))

    for window in windows:
        start, end = window.start, window.end
        if window.is_play:
            assert start is not None
            _add_window(of(start.table, start.begun[1] if end is None else end.shift), window)
        elif end is not None and end.purpose == "carried":
            win = of(end.table, end.shift)
            win.opener_cents = win.closer_cents = end.cents
            win.counts.append(end.sequence)
        elif end is not None and end.purpose == "opener":
            of(end.table, end.shift).game = end.game
    for box in boxes:
        _add_box(of(box.table, box.shift), box)
    for one in adjustments:
        of(one.table, one.shift).adjustments_cents += win_effect(one.figure, one.cents)
    for win in found.values():
        if win.opened and not win.boxes:
            win.missing.append("drop")
    return [win.finished(prepaid_is_drop=prepaid_is_drop) for win in found.values()]


def total(rows: Sequence[Win], *, prepaid_is_drop: bool) -> Win:
    """Return the win of all tables, which misses whatever one of them misses."""
    sums = {name: sum(getattr(row, name) or 0 for row in rows) for name in _ADDED}
    missing = [what for row in rows for what in row.missing]
    added = Win(opened=any(row.opened for row in rows), missing=missing, **sums)
    return added.finished(prepaid_is_drop=prepaid_is_drop)


def _add_window(win: Win, window: Window) -> None:
    start, end, moves = window.start, window.end, window.moves
    assert start is not None
    closer_cents = win.closer_cents or 0
    win.opened = True
    win.game = win.game or start.game
    if start.sequence in win.counts:  # the window before this one has ended with that count: it goes on
        closer_cents -= start.cents
    else:
        win.opener_cents += start.cents
        win.counts.append(start.sequence)
    if end is None:
        win.missing.append("closer")
    else:
        closer_cents += end.cents
        win.counts.append(end.sequence)
        win.inventory_variance_cents += window.variance_cents or 0
    win.closer_cents = closer_cents
    win.fills_cents += moves.fills_cents
    win.credits_cents += moves.credits_cents
    win.prepaid_cents += moves.prepaid_cents
    win.rounds += moves.rounds
    win.rounds_cents += moves.rounds_cents
    win.coupons_paid_cents += moves.coupons_paid_cents
    win.vigorish_waived_cents += moves.vigorish_waived_cents
    win.recorded_drop_cents += moves.currency_cents + moves.counter_checks_cents


def _add_box(win: Win, box: Box) -> None:
    win.boxes.append(box.exchange)
    if box.currency_cents is None or box.counter_checks_cents is None:
        win.missing.append("count")
        return
    win.currency_cents += box.currency_cents
    win.counter_checks_cents += box.counter_checks_cents
    win.coupons_cents += box.coupons_cents or 0


class DayWin(BaseModel):
    """The win of a gaming day: by table, by shift, and altogether (nothing while a table is incomplete)."""

    policy_from: date
    prepaid_is_drop: bool
    tables: list[Win]
    shifts: list[Win]
    total: Win


def day_win(
    gaming_day: date, windows: Sequence[Window], boxes: Sequence[Box], adjustments: Sequence[AdjustmentEntered]
) -> DayWin:
    """Return the win of a gaming day as it stands."""
    policy = policy_on(gaming_day)
    is_drop = policy.prepaid_is_drop
    tables = wins(windows, boxes, adjustments, by_shift=False, prepaid_is_drop=is_drop)
    shifts = wins(windows, boxes, adjustments, by_shift=True, prepaid_is_drop=is_drop)
    return DayWin(
        policy_from=policy.effective_from,
        prepaid_is_drop=is_drop,
        tables=tables,
        shifts=shifts,
        total=total(tables, prepaid_is_drop=is_drop),
    )
