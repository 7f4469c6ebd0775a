"""The win by the formula of the law, from counts, movements and boxes, with what the settled rounds imply."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from pydantic import BaseModel

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.rake import Rake, rakes
from services.table_inventory.domain.windows import Window
from shared.contracts.contests import ContestResult
from shared.contracts.inventory import AdjustmentEntered, Figure
from shared.contracts.reports import Percent, percent_of

_INSTRUMENTS: Final[Mapping[str, str]] = {
    "currency": "currency_cents",
    "counter_check": "counter_checks_cents",
    "prepaid_access": "prepaid_cents",
    "match_play": "match_play_cents",
    "direct_bet": "direct_bet_cents",
}
"""The figure of each instrument that the law may count as drop."""


def win_effect(provisions: Provisions, figure: Figure, cents: int) -> int:
    """Return what it does to the win that a figure is raised by so many cents."""
    match figure:
        case "currency":
            return _drop_effect(provisions, "currency", cents)
        case "counter_checks":
            return _drop_effect(provisions, "counter_check", cents)
        case "opener" | "closer" | "fills" | "credits":
            return provisions.formula.win_cents({figure: cents})
        case "rake":
            return 0


def _drop_effect(provisions: Provisions, instrument: str, cents: int) -> int:
    return provisions.formula.win_cents({"drop": cents}) if instrument in provisions.drop else 0


@dataclass(slots=True)
class Win:
    """The win of a table, a shift of it, or all tables, by the formula of the law, with what the settled rounds imply.

    `win_cents` is what the formula makes of opener, fills, credits, closer and drop, and None while something is
    missing (`missing` says what). Drop is what the law counts as drop of currency, counter checks, prepaid access,
    match play and direct bets. By closer + credits + drop - opener - fills the win is always `rounds_win_cents` +
    `inventory_variance_cents` + `drop_variance_cents` + `drop_cents`, less currency, counter checks and prepaid
    access. `coupons_cents` were counted in the box: match play, direct bets, and others, which are a memorandum
    everywhere. `rounds_win_cents` is what the rounds brought, less coupons paid and vigorish waived. `counts` and
    `boxes` are the sequences in the table's pit stream of what the figures come from.
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
    match_play_cents: int = 0
    direct_bet_cents: int = 0
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
    missing: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    boxes: list[int] = field(default_factory=list)

    def finish(self, provisions: Provisions) -> "Win":
        """Return it with everything that follows from what was added up."""
        self.drop_cents = sum([getattr(self, _INSTRUMENTS[instrument]) for instrument in provisions.drop])
        self.rounds_win_cents = self.rounds_cents - self.coupons_paid_cents - self.vigorish_waived_cents
        self.missing = sorted(set(self.missing))
        if "closer" in self.missing:
            self.closer_cents = None
        if not self.missing:
            win_cents = provisions.formula.win_cents(
                {
                    "opener": self.opener_cents,
                    "fills": self.fills_cents,
                    "credits": self.credits_cents,
                    "closer": self.closer_cents or 0,
                    "drop": self.drop_cents,
                }
            )
            counted_cents = self.currency_cents + self.counter_checks_cents
            self.win_cents = win_cents
            self.hold_percent = percent_of(win_cents, self.drop_cents)
            self.difference_cents = win_cents - self.rounds_win_cents
            self.drop_variance_cents = counted_cents - self.recorded_drop_cents
            self.final_win_cents = win_cents + self.adjustments_cents
        return self


_ADDED: Final = (
    "opener_cents", "closer_cents", "fills_cents", "credits_cents", "currency_cents", "counter_checks_cents",
    "prepaid_cents", "coupons_cents", "match_play_cents", "direct_bet_cents", "rounds", "rounds_cents",
    "coupons_paid_cents", "vigorish_waived_cents",
    "recorded_drop_cents", "inventory_variance_cents", "adjustments_cents",
)  # fmt: skip


def wins(
    provisions: Provisions,
    windows: Sequence[Window],
    boxes: Iterable[Box],
    adjustments: Iterable[AdjustmentEntered],
    non_banking: Collection[str] = (),
    *,
    by_shift: bool,
) -> list[Win]:
    """Return the win of each table of a gaming day, or of each of its shifts, in the order of tables and windows.

    `windows` are those of the day, in the order of table and time. The `non_banking` tables have no win.
    """
    found: dict[tuple[str, str | None], Win] = {}

    def of(table: str, shift: str) -> Win:
        key = (table, shift if by_shift else None)
        if key not in found:
            found[key] = Win(table, key[1], closer_cents=0)
        return found[key]

    for window in windows:
        start, end = window.start, window.end
        if any(count.table in non_banking for count in window.counts):
            continue
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
        if box.table not in non_banking:
            _add_box(of(box.table, box.shift), box)
    for one in adjustments:
        if one.table not in non_banking:
            of(one.table, one.shift).adjustments_cents += win_effect(provisions, one.figure, one.cents)
    for win in found.values():
        if win.opened and not win.boxes:
            win.missing.append("drop")
    return [win.finish(provisions) for win in found.values()]


def total(provisions: Provisions, rows: Sequence[Win]) -> Win:
    """Return the win of all tables, which misses whatever one of them misses."""
    sums: dict[str, Any] = {name: sum(getattr(row, name) or 0 for row in rows) for name in _ADDED}
    missing = [what for row in rows for what in row.missing]
    added = Win(opened=any(row.opened for row in rows), missing=missing, **sums)
    return added.finish(provisions)


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
    win.match_play_cents += box.coupon_cents("match_play")
    win.direct_bet_cents += box.coupon_cents("direct_bet")


class TablesWin(BaseModel):
    """The win of a gaming day: by table, and altogether (nothing while a table is incomplete).

    By the law of the property as its version `property_version` names it, which is in force since `provisions_from`:
    `formula`, and the instruments that count as `drop`. Beside it stand the rake of the tables that have no win, and
    the contests that ended.
    """

    property_version: int
    provisions_from: date
    formula: str
    drop: list[str]
    tables: list[Win]
    total: Win
    rake: list[Rake]
    contests: list[ContestResult]


class DayWin(TablesWin):
    """The same, by shift, too."""

    shifts: list[Win]


def day_win(
    provisions: Provisions,
    windows: Sequence[Window],
    boxes: Sequence[Box],
    adjustments: Sequence[AdjustmentEntered],
    non_banking: Collection[str] = (),
    contests: Sequence[ContestResult] = (),
) -> DayWin:
    """Return the win of a gaming day as it stands; of the `non_banking` tables, the rake."""
    tables = wins(provisions, windows, boxes, adjustments, non_banking, by_shift=False)
    return DayWin(
        property_version=provisions.property_version,
        provisions_from=provisions.effective_from,
        formula=str(provisions.formula),
        drop=list(provisions.drop),
        tables=tables,
        shifts=wins(provisions, windows, boxes, adjustments, non_banking, by_shift=True),
        total=total(provisions, tables),
        rake=rakes(non_banking, boxes, adjustments),
        contests=list(contests),
    )
