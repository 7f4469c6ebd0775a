"""The win of § 601a.9(c), from counts, movements and boxes, beside what the settled rounds imply."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.policies import policy_on
from services.table_inventory.domain.windows import Window
from shared.contracts.inventory import Figure
from shared.contracts.reports import Percent, percent_of


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An approved adjustment: a figure of a table and shift, raised by so much."""

    table: str
    shift: str
    figure: Figure
    cents: int

    @property
    def win_cents(self) -> int:
        """Return what it does to the win."""
        return -self.cents if self.figure in ("opener", "fills") else self.cents


@dataclass(slots=True, kw_only=True)
class Win:
    """The win of a table, of one shift of it, or of all tables.

    win = closer + credits + drop - opener - fills, and always
    win = rounds - coupons paid - vigorish waived - prepaid (where it is not drop) + inventory variance + drop variance.
    `missing` says what is not there yet; until then there is no win.
    """

    table: str | None
    shift: str | None = None
    prepaid_is_drop: bool
    game: str | None = None
    opened: bool = False
    opener_cents: int = 0
    closed_cents: int = 0
    """What was counted at the ends so far."""
    fills_cents: int = 0
    credits_cents: int = 0
    currency_cents: int = 0
    counter_checks_cents: int = 0
    prepaid_cents: int = 0
    coupons_cents: int = 0
    rounds: int = 0
    rounds_cents: int = 0
    coupons_paid_cents: int = 0
    vigorish_waived_cents: int = 0
    recorded_drop_cents: int = 0
    inventory_variance_cents: int = 0
    adjustments_cents: int = 0
    missing: set[str] = field(default_factory=set)
    counts: list[int] = field(default_factory=list)
    boxes: list[int] = field(default_factory=list)

    @property
    def closer_cents(self) -> int | None:
        """Return what was counted at the end; None before."""
        return None if "closer" in self.missing else self.closed_cents

    @property
    def drop_cents(self) -> int:
        """Return currency, counter checks and, where the policy says so, prepaid access. Never coupons."""
        return self.currency_cents + self.counter_checks_cents + (self.prepaid_cents if self.prepaid_is_drop else 0)

    @property
    def win_cents(self) -> int | None:
        """Return the win of § 601a.9(c); None while something is missing."""
        if self.missing:
            return None
        return self.closed_cents + self.credits_cents + self.drop_cents - self.opener_cents - self.fills_cents

    @property
    def hold_percent(self) -> Percent | None:
        """Return the win as a percentage of the drop; None without drop."""
        return None if self.win_cents is None else percent_of(self.win_cents, self.drop_cents)

    @property
    def rounds_win_cents(self) -> int:
        """Return what the settled rounds imply."""
        return self.rounds_cents - self.coupons_paid_cents - self.vigorish_waived_cents

    @property
    def difference_cents(self) -> int | None:
        """Return how much more was won than the rounds imply."""
        return None if self.win_cents is None else self.win_cents - self.rounds_win_cents

    @property
    def drop_variance_cents(self) -> int | None:
        """Return how much more currency and counter checks were counted than recorded; None before all are counted."""
        if self.missing:
            return None
        return self.currency_cents + self.counter_checks_cents - self.recorded_drop_cents

    @property
    def final_win_cents(self) -> int | None:
        """Return the win with its adjustments."""
        return None if self.win_cents is None else self.win_cents + self.adjustments_cents


_ADDED: Final = (
    "opener_cents", "closed_cents", "fills_cents", "credits_cents", "currency_cents", "counter_checks_cents",
    "prepaid_cents", "coupons_cents", "rounds", "rounds_cents", "coupons_paid_cents", "vigorish_waived_cents",
    "recorded_drop_cents", "inventory_variance_cents", "adjustments_cents",
)  # fmt: skip


def wins(
    windows: Sequence[Window],
    boxes: Iterable[Box],
    adjustments: Iterable[Adjusted],
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
        return found.setdefault(key, Win(table=table, shift=key[1], prepaid_is_drop=prepaid_is_drop))

    for window in windows:
        start, end = window.start, window.end
        if window.is_play:
            assert start is not None
            _add_window(of(start.table, start.begun[1] if end is None else end.shift), window)
        elif end is not None and end.purpose == "carried":
            win = of(end.table, end.shift)
            win.opener_cents = win.closed_cents = end.cents
            win.counts.append(end.sequence)
        elif end is not None and end.purpose == "opener":
            of(end.table, end.shift).game = end.game
    for box in boxes:
        _add_box(of(box.table, box.shift), box)
    for adjusted in adjustments:
        of(adjusted.table, adjusted.shift).adjustments_cents += adjusted.win_cents
    for win in found.values():
        if win.opened and not win.boxes:
            win.missing.add("drop")
    return list(found.values())


def total(rows: Sequence[Win], *, prepaid_is_drop: bool) -> Win:
    """Return the win of all tables, which misses whatever one of them misses."""
    sums = {name: sum(getattr(row, name) for row in rows) for name in _ADDED}
    missing = {what for row in rows for what in row.missing}
    opened = any(row.opened for row in rows)
    return Win(table=None, prepaid_is_drop=prepaid_is_drop, opened=opened, missing=missing, **sums)


def _add_window(win: Win, window: Window) -> None:
    start, end, moves = window.start, window.end, window.moves
    assert start is not None
    win.opened = True
    win.game = win.game or start.game
    if start.sequence in win.counts:  # the window before this one has ended with that count: it goes on
        win.closed_cents -= start.cents
    else:
        win.opener_cents += start.cents
        win.counts.append(start.sequence)
    if end is None:
        win.missing.add("closer")
    else:
        win.closed_cents += end.cents
        win.counts.append(end.sequence)
        win.inventory_variance_cents += window.variance_cents or 0
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
        win.missing.add("count")
        return
    win.currency_cents += box.currency_cents
    win.counter_checks_cents += box.counter_checks_cents
    win.coupons_cents += box.coupons_cents or 0


class WinRow(BaseModel):
    """The win of a table, a shift of it, or all tables, by § 601a.9(c), beside what the settled rounds imply.

    `win_cents` is closer + credits + drop - opener - fills, and None while something is missing (`missing` says what).
    It is always `rounds_win_cents` + `inventory_variance_cents` + `drop_variance_cents` - `prepaid_cents` where prepaid
    access is not drop. `coupons_cents` were counted in the box and are no drop. `counts` and `boxes` are the sequences
    in the table's pit stream of what the figures come from.
    """

    model_config = ConfigDict(from_attributes=True)

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
    hold_percent: Percent | None
    rounds: int
    rounds_win_cents: int
    coupons_paid_cents: int
    vigorish_waived_cents: int
    difference_cents: int | None
    inventory_variance_cents: int
    drop_variance_cents: int | None
    adjustments_cents: int
    final_win_cents: int | None
    missing: Annotated[list[str], BeforeValidator(sorted)]
    counts: list[int]
    boxes: list[int]

    @classmethod
    def of(cls, win: Win) -> "WinRow":
        """Return a win as a row of a report."""
        return cls.model_validate(win)


class DayWin(BaseModel):
    """The win of a gaming day: by table, by shift, and altogether (nothing while a table is incomplete)."""

    policy_from: date
    prepaid_is_drop: bool
    tables: list[WinRow]
    shifts: list[WinRow]
    total: WinRow


def day_win(
    gaming_day: date, windows: Sequence[Window], boxes: Sequence[Box], adjustments: Sequence[Adjusted]
) -> DayWin:
    """Return the win of a gaming day as it stands."""
    policy = policy_on(gaming_day)
    is_drop = policy.prepaid_is_drop
    tables = wins(windows, boxes, adjustments, by_shift=False, prepaid_is_drop=is_drop)
    shifts = wins(windows, boxes, adjustments, by_shift=True, prepaid_is_drop=is_drop)
    return DayWin(
        policy_from=policy.effective_from,
        prepaid_is_drop=is_drop,
        tables=[WinRow.of(win) for win in tables],
        shifts=[WinRow.of(win) for win in shifts],
        total=WinRow.of(total(tables, prepaid_is_drop=is_drop)),
    )
