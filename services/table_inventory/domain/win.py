"""The counted win under the formula of the law, from counts, movements and boxes, compared with the settled win."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.occupancy import box_lacks
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.rake import Rake
from services.table_inventory.domain.sessions import EVER, Piece, Sessions
from services.table_inventory.domain.slips import Slip
from services.table_inventory.domain.windows import Count, Window
from shared.contracts.contests import ContestResult
from shared.contracts.inventory import AdjustmentEntered, Figure
from shared.contracts.properties import Play, Sales
from shared.contracts.reports import Percent, percent_of
from shared.contracts.win import Missing, MissingKind, ShiftTime, WinFigures

_INSTRUMENTS: Final[Mapping[str, str]] = {
    "currency": "currency_cents",
    "counter_check": "counter_checks_cents",
    "prepaid_access": "prepaid_cents",
    "match_play": "match_play_cents",
    "direct_bet": "direct_bet_cents",
}
"""The field of `Win` for each instrument that the law may count as drop."""


def win_effect(provisions: Provisions, figure: Figure, cents: int) -> int:
    """Return the change of the win (or of a table's rake) in cents if a figure is raised by `cents`."""
    match figure:
        case "currency":
            return _drop_effect(provisions, "currency", cents)
        case "counter_checks":
            return _drop_effect(provisions, "counter_check", cents)
        case "fills" | "credits":
            return provisions.formula.win_cents({figure: cents})
        case "rake":
            return cents


def _drop_effect(provisions: Provisions, instrument: str, cents: int) -> int:
    return provisions.formula.win_cents({"drop": cents}) if instrument in provisions.drop else 0


@dataclass(slots=True)
class Win:
    """The win of a table, of one of its shifts, or of all tables, under the formula of the law.

    `win_cents` is computed from opener, fills, credits, closer and drop. It is None while something is missing:
    `missing` lists the kinds of missing items, `lacks` the items. `drop_cents` is the sum of those instruments that the
    law counts as drop: currency, counter checks, prepaid access, match play or direct bets. Under the formula closer +
    credits + drop - opener - fills, the win always equals `rounds_win_cents` + `counted_win_cents` +
    `inventory_variance_cents` + `drop_variance_cents` + `drop_cents`, less currency, counter checks and prepaid access.

    The difference of a count from the expected inventory is part of `counted_win_cents` at a table whose `play` is
    counted, and of `inventory_variance_cents` at other tables. If a table does not report each sale, the contents of
    boxes beyond the reported sales are also part of its counted win (`unrecorded_currency_cents`,
    `unrecorded_checks_cents`). `difference_cents` is the part of the win that neither rounds nor win by count explain.
    While something is missing, the win by count is 0. A total over all tables has no `play`.

    `coupons_cents` is the stated value of the coupons counted in boxes: match play, direct bets, and other coupons,
    which are only a memorandum. `rounds_win_cents` is the settled win in chips, less coupons paid and vigorish waived.
    `counts` and `boxes` are the sequences of the counts and box exchanges in the table's pit stream. A count that ends
    one shift and begins the next on the same day is in `handed_over_cents`; over the whole day, such counts are in
    neither opener nor closer.
    """

    table: str | None = None
    shift: str | None = None
    game: str | None = None
    play: Play | None = None
    opened: bool = False
    opener_cents: int = 0
    fills_cents: int = 0
    credits_cents: int = 0
    closer_cents: int | None = 0
    handed_over_cents: int = 0
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
    counted_win_cents: int = 0
    unrecorded_currency_cents: int = 0
    unrecorded_checks_cents: int = 0
    inventory_variance_cents: int = 0
    recorded_drop_cents: int = 0
    drop_variance_cents: int | None = None
    adjustments_cents: int = 0
    final_win_cents: int | None = None
    rake_cents: int = 0
    openings: int = 0
    closings: int = 0
    carried: int = 0
    boxes_counted: int = 0
    missing: list[MissingKind] = field(default_factory=list)
    lacks: list[Missing] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    boxes: list[int] = field(default_factory=list)
    times: Annotated[list[ShiftTime], Field(exclude=True)] = field(default_factory=list)
    """The periods of the shift in which the table was open. Statements include them; documents do not."""

    @property
    def found(self) -> bool:
        """Return whether the table's counted boxes contained anything."""
        return bool(self.currency_cents or self.counter_checks_cents or self.coupons_cents or self.rake_cents)

    def lack(self, missing: Missing) -> None:
        """Add a missing item, unless it is listed already."""
        if missing not in self.lacks:
            self.lacks.append(missing)

    def finish(self, provisions: Provisions) -> "Win":
        """Compute all derived figures in place, and return self."""
        self.drop_cents = sum([getattr(self, _INSTRUMENTS[instrument]) for instrument in provisions.drop])
        self.rounds_win_cents = self.rounds_cents - self.coupons_paid_cents - self.vigorish_waived_cents
        self.lacks.sort(key=lambda one: (one.what, one.since, one.name))
        self.missing = sorted({one.what for one in self.lacks})
        if not self.missing:
            self.win_cents = provisions.formula.win_cents(
                {
                    "opener": self.opener_cents,
                    "fills": self.fills_cents,
                    "credits": self.credits_cents,
                    "closer": self.closer_cents or 0,
                    "drop": self.drop_cents,
                }
            )
            self.hold_percent = percent_of(self.win_cents, self.drop_cents)
            self.difference_cents = self.win_cents - self.rounds_win_cents - self.counted_win_cents
            counted_cents = self.currency_cents + self.counter_checks_cents
            unrecorded_cents = self.unrecorded_currency_cents + self.unrecorded_checks_cents
            self.drop_variance_cents = counted_cents - self.recorded_drop_cents - unrecorded_cents
            self.final_win_cents = self.win_cents + self.adjustments_cents
            return self
        self.counted_win_cents = self.unrecorded_currency_cents = self.unrecorded_checks_cents = 0
        if not self.closings and not self.carried:
            self.closer_cents = None
        return self

    def figures(self, *, non_banking: bool) -> WinFigures:
        """Return a shift's figures for a statement. A non-banking table has only figures that are not part of a win."""
        if non_banking:
            counted = {name: getattr(self, name) for name in ("counter_checks_cents", "rake_cents")}
            tally = {"openings": self.openings, "boxes": len(self.boxes), "boxes_counted": self.boxes_counted}
            return WinFigures(**counted, **tally, adjusted_cents=self.adjustments_cents)
        stated = {name: getattr(self, name) or 0 for name in WinFigures.model_fields if hasattr(self, name)}
        return WinFigures(**stated | {"boxes": len(self.boxes), "adjusted_cents": self.adjustments_cents})


_ADDED: Final = (
    "opener_cents", "closer_cents", "handed_over_cents", "fills_cents", "credits_cents", "currency_cents",
    "counter_checks_cents", "prepaid_cents", "coupons_cents", "match_play_cents", "direct_bet_cents", "rounds",
    "rounds_cents", "coupons_paid_cents", "vigorish_waived_cents", "recorded_drop_cents", "inventory_variance_cents",
    "counted_win_cents", "unrecorded_currency_cents", "unrecorded_checks_cents",
    "adjustments_cents", "rake_cents", "openings", "closings", "carried", "boxes_counted",
)  # fmt: skip


def shift_wins(
    provisions: Provisions,
    gaming_day: date,
    sessions: Sessions,
    boxes: Sequence[Box],
    adjustments: Iterable[AdjustmentEntered],
    slips: Iterable[Slip] = (),
) -> list[Win]:
    """Return the win of each shift of a table on a gaming day, in the order in which the shifts first have a record.

    `boxes` are the boxes removed from the table in order of time, including the last one before and the first one after
    the day. `adjustments` are the day's approved adjustments. `slips` are the day's slips in progress.
    """
    found: dict[str, Win] = {}

    def of(table: str, shift: str) -> Win:
        play: Play = "counted" if table in provisions.counted else "rounds"
        return found.setdefault(shift, Win(table, shift, play=play))

    for window in sessions.windows:
        if window.gaming_day == gaming_day and window.play:
            _add_window(of(window.table, window.shift), window, is_win=provisions.is_win(window))
    for count in sessions.carried:
        if count.gaming_day == gaming_day:
            _add_carried(of(count.table, count.shift), count)
    for box in boxes:
        if box.gaming_day == gaming_day:
            _add_box(of(box.table, box.shift), box, provisions.counted.get(box.table, "each"))
    for one in adjustments:
        of(one.table, one.shift).adjustments_cents += win_effect(provisions, one.figure, one.cents)
    for slip in slips:
        of(slip.table, slip.shift).lack(Missing(what="slip", name=f"{slip.slip} {slip.number}", since=slip.since))
    table = next(iter(found.values())).table if found else sessions.table
    for piece in sorted(sessions.pieces, key=lambda one: one.since):
        if piece.of.gaming_day == gaming_day:
            _add_time(of(sessions.table, piece.of.shift).times, piece)
    for lack in (*sessions.lacks, *box_lacks(boxes, sessions.pieces)):
        if lack.of.gaming_day == gaming_day:
            of(table or "", lack.of.shift).lack(lack.missing)
    return [win.finish(provisions) for win in found.values()]


def of_day(provisions: Provisions, shifts: Sequence[Win]) -> Win:
    """Return a table's win on a gaming day. Counts between two of its `shifts` are in neither opener nor closer."""
    win = _sum(shifts)
    win.table, win.play = shifts[0].table, shifts[0].play
    win.game = next((one.game for one in shifts if one.game is not None), None)
    win.counts = sorted({number for one in shifts for number in one.counts})
    win.boxes = [number for one in shifts for number in one.boxes]
    win.opener_cents -= win.handed_over_cents
    win.closer_cents = (win.closer_cents or 0) - win.handed_over_cents
    win.handed_over_cents = 0
    return win.finish(provisions)


def total(provisions: Provisions, rows: Sequence[Win]) -> Win:
    """Return the total win of all tables, with the missing items of every table."""
    return _sum(rows).finish(provisions)


def _sum(rows: Sequence[Win]) -> Win:
    sums: dict[str, Any] = {name: sum(getattr(row, name) or 0 for row in rows) for name in _ADDED}
    win = Win(opened=any(row.opened for row in rows), **sums)
    for missing in (one for row in rows for one in row.lacks):
        win.lack(missing)
    return win


def _add_window(win: Win, window: Window, *, is_win: bool) -> None:
    start, end, moves = window.start, window.end, window.moves
    win.opened = True
    if start is not None and window.opens:
        win.game = win.game or start.game
        win.opener_cents += start.cents
        win.openings += 1
        win.counts.append(start.sequence)
    if end is not None:
        if is_win:
            win.counted_win_cents += window.variance_cents or 0
        else:
            win.inventory_variance_cents += window.variance_cents or 0
        if window.closes:
            win.closer_cents = (win.closer_cents or 0) + end.cents
            win.closings += 1
            win.handed_over_cents += end.cents if window.hands_over else 0
            win.counts.append(end.sequence)
    win.fills_cents += moves.fills_cents
    win.credits_cents += moves.credits_cents
    win.prepaid_cents += moves.prepaid_cents
    win.rounds += moves.rounds
    win.rounds_cents += moves.rounds_cents
    win.coupons_paid_cents += moves.coupons_paid_cents
    win.vigorish_waived_cents += moves.vigorish_waived_cents
    win.recorded_drop_cents += moves.currency_cents + moves.counter_checks_cents


def _add_time(times: list[ShiftTime], piece: Piece) -> None:
    """Add a period to the periods of a shift. If it adjoins the last one, merge the two."""
    since = times.pop().since if times and times[-1].until == piece.since else piece.since
    times.append(ShiftTime(since=since, until=None if piece.until == EVER else piece.until))


def _add_carried(win: Win, count: Count) -> None:
    win.opener_cents += count.cents
    win.closer_cents = (win.closer_cents or 0) + count.cents
    win.carried += 1
    win.counts.append(count.sequence)


def _add_box(win: Win, box: Box, sales: Sales) -> None:
    win.boxes.append(box.exchange)
    if box.currency_cents is None or box.counter_checks_cents is None:
        return
    win.boxes_counted += 1
    win.currency_cents += box.currency_cents
    win.counter_checks_cents += box.counter_checks_cents
    win.coupons_cents += box.coupons_cents or 0
    win.match_play_cents += box.coupon_cents("match_play")
    win.direct_bet_cents += box.coupon_cents("direct_bet")
    win.rake_cents += box.rake_cents or 0
    unrecorded = box.unrecorded(sales)
    win.unrecorded_currency_cents += unrecorded.get("currency", 0)
    win.unrecorded_checks_cents += unrecorded.get("counter_check", 0)
    win.counted_win_cents += sum(unrecorded.values())


class TablesWin(BaseModel):
    """The win of a gaming day, by table and in total. The total win is None while a table is incomplete.

    `formula` and `drop` (the instruments that count as drop) are those of the law to which `property_version` refers,
    in effect since `provisions_from`. `rake` is the rake of non-banking tables, which have no win. `contests` are the
    results of contests that ended on the day.
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
    """The win of a gaming day by table and in total, and also by shift."""

    shifts: list[Win]


def day_win(
    provisions: Provisions,
    shifts: Mapping[str, Sequence[Win]],
    rake: Sequence[Rake] = (),
    contests: Sequence[ContestResult] = (),
) -> DayWin:
    """Return the current win of a gaming day.

    `shifts` has the win of each shift of the banking tables, by table. `rake` is the rake of the non-banking tables.
    """
    of_shifts = [row for table in sorted(shifts) for row in shifts[table]]
    tables = [of_day(provisions, shifts[table]) for table in sorted(shifts) if shifts[table]]
    return DayWin(
        property_version=provisions.property_version,
        provisions_from=provisions.effective_from,
        formula=str(provisions.formula),
        drop=list(provisions.drop),
        tables=tables,
        shifts=of_shifts,
        total=total(provisions, tables),
        rake=list(rake),
        contests=list(contests),
    )
