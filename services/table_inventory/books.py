"""What follows from counts, movements and boxes: expected inventories, variances, and the win. Pure; amounts in cents.

A window is the time between two counts of a table. What it should hold at its end is what was counted at its
beginning and what moved meanwhile; the difference to what was counted then is a variance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from services.table_inventory.domain import Stacks, added
from shared.contracts.inventory import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A table inventory as it was counted. `purpose` is opener, closer, shift, drop, spot or carried."""

    table: str
    sequence: int
    at: datetime
    gaming_day: date
    shift: str
    purpose: str
    cents: int
    contents: Stacks
    begins_day: date | None = None
    begins_shift: str | None = None
    game: str | None = None
    counted_by: str = ""
    observed_by: str = ""

    @property
    def leaves_open(self) -> bool:
        """Whether the table is open after it."""
        return self.purpose not in ("closer", "carried")

    @property
    def begun(self) -> tuple[date, str]:
        """The gaming day and shift after it."""
        return (self.begins_day or self.gaming_day, self.begins_shift or self.shift)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """What moved in a window: `cents` altogether, positive into the inventory, and of which kinds.

    Figures by kind are positive as their names say: `currency` is what players paid. `by_denomination` has what is
    known by denomination, signed; `unknown` is the number of movements of which it is not.
    """

    cents: int = 0
    fills: int = 0
    credits: int = 0
    currency: int = 0
    prepaid: int = 0
    counter_checks: int = 0
    rounds: int = 0
    rounds_cents: int = 0
    coupons_paid: int = 0
    vigorish_waived: int = 0
    unknown: int = 0
    by_denomination: Stacks = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The time up to a count (`end`; None: up to now) from the count before it (`start`; None: there was none)."""

    start: Count | None
    end: Count | None
    moves: Moves

    @property
    def expected_cents(self) -> int:
        """What the table should hold at the end."""
        return (0 if self.start is None else self.start.cents) + self.moves.cents

    @property
    def variance_cents(self) -> int | None:
        """How much more was counted than was expected; None without two counts."""
        if self.start is None or self.end is None:
            return None
        return self.end.cents - self.expected_cents

    @property
    def expected_by_denomination(self) -> Stacks | None:
        """The same by denomination, where every movement is known so."""
        if self.start is None or self.moves.unknown:
            return None
        return added(self.start.contents, self.moves.by_denomination)

    @property
    def unexplained_by_denomination(self) -> Stacks | None:
        """Of each denomination, what was counted beyond the movements that are known by denomination.

        Settled rounds and most sales are not: this is their sum and the variance.
        """
        if self.start is None or self.end is None:
            return None
        known = added(self.start.contents, self.moves.by_denomination)
        return added(self.end.contents, {name: -count for name, count in known.items()})

    @property
    def is_play(self) -> bool:
        """Whether the table was open."""
        return self.start is not None and (self.end is None or self.end.purpose not in ("opener", "carried"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A drop box of a gaming day and shift: what was recorded as dropped, and what was counted (None: not yet)."""

    table: str
    exchange: int
    box: str
    gaming_day: date
    shift: str
    removed_at: datetime
    transported_at: datetime | None
    recorded_currency: int
    recorded_checks: int
    count: int | None = None
    currency: int | None = None
    counter_checks: int | None = None
    coupons: int | None = None

    @property
    def differences(self) -> Mapping[str, int]:
        """How much more was counted than recorded, by instrument; nothing before the count."""
        if self.currency is None or self.counter_checks is None:
            return {}
        return {
            "currency": self.currency - self.recorded_currency,
            "counter_check": self.counter_checks - self.recorded_checks,
        }


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An approved adjustment: a figure of a table and shift, raised by so much."""

    table: str
    shift: str
    figure: Figure
    cents: int

    @property
    def win_cents(self) -> int:
        """What it does to the win."""
        return -self.cents if self.figure in ("opener", "fills") else self.cents


@dataclass(slots=True, kw_only=True)
class Win:
    """The win of a table, of one shift or of the day, by § 601a.9(c), beside what the settled rounds imply.

    win = closer + credits + drop - opener - fills, and always
    win = rounds - coupons paid - vigorish waived - prepaid (where it is not drop) + inventory variance + drop variance.
    `missing` says what is not there yet; until then there is no win.
    """

    table: str
    shift: str | None
    game: str | None = None
    opened: bool = False
    opener_cents: int = 0
    closer_cents: int = 0
    fills_cents: int = 0
    credits_cents: int = 0
    currency_cents: int = 0
    counter_checks_cents: int = 0
    prepaid_cents: int = 0
    prepaid_is_drop: bool = True
    coupons_cents: int = 0
    rounds: int = 0
    rounds_cents: int = 0
    coupons_paid_cents: int = 0
    vigorish_waived_cents: int = 0
    recorded_drop_cents: int = 0
    inventory_variance_cents: int = 0
    adjustments_cents: int = 0
    missing: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    boxes: list[int] = field(default_factory=list)

    @property
    def drop_cents(self) -> int:
        """Currency, counter checks and, where the policy says so, prepaid access. Never coupons."""
        return self.currency_cents + self.counter_checks_cents + (self.prepaid_cents if self.prepaid_is_drop else 0)

    @property
    def win_cents(self) -> int | None:
        """§ 601a.9(c); None while something is missing."""
        if self.missing:
            return None
        return self.closer_cents + self.credits_cents + self.drop_cents - self.opener_cents - self.fills_cents

    @property
    def rounds_win_cents(self) -> int:
        """What the settled rounds imply."""
        return self.rounds_cents - self.coupons_paid_cents - self.vigorish_waived_cents

    @property
    def drop_variance_cents(self) -> int | None:
        """How much more currency and counter checks were counted than recorded; None while a box is not counted."""
        if self.missing:
            return None
        return self.currency_cents + self.counter_checks_cents - self.recorded_drop_cents

    @property
    def final_win_cents(self) -> int | None:
        """The win with its adjustments."""
        return None if self.win_cents is None else self.win_cents + self.adjustments_cents


def wins(
    windows: Sequence[Window],
    boxes: Iterable[Box],
    adjustments: Iterable[Adjusted],
    *,
    by_shift: bool,
    prepaid_is_drop: bool,
) -> list[Win]:
    """The win of each table of a gaming day, or of each of its shifts, in the order of tables and windows.

    `windows` are those of the day, in the order of table and time.
    """
    found: dict[tuple[str, str | None], Win] = {}

    def of(table: str, shift: str) -> Win:
        key = (table, shift if by_shift else None)
        return found.setdefault(key, Win(table=table, shift=key[1], prepaid_is_drop=prepaid_is_drop))

    before: Window | None = None
    for window in windows:
        if window.end is not None and window.end.purpose == "carried":
            win = of(window.end.table, window.end.shift)
            win.opener_cents = win.closer_cents = window.end.cents
            win.counts.append(window.end.sequence)
        elif window.is_play:
            assert window.start is not None
            shift = window.start.begun[1] if window.end is None else window.end.shift
            _add_window(of(window.start.table, shift), window, before)
        elif window.end is not None and window.end.purpose == "opener":
            of(window.end.table, window.end.shift).game = window.end.game
        before = window
    for box in boxes:
        _add_box(of(box.table, box.shift), box)
    for adjusted in adjustments:
        of(adjusted.table, adjusted.shift).adjustments_cents += adjusted.win_cents
    for win in found.values():
        if win.opened and not win.boxes:
            win.missing.append("drop")
        win.missing = sorted(set(win.missing))
    return list(found.values())


def _add_window(win: Win, window: Window, before: Window | None) -> None:
    start, end, moves = window.start, window.end, window.moves
    assert start is not None
    win.opened = True
    win.game = win.game or start.game
    goes_on = before is not None and before.end is start and before.end is not None and start.sequence in win.counts
    if goes_on:
        win.closer_cents -= start.cents
    else:
        win.opener_cents += start.cents
        win.counts.append(start.sequence)
    if end is None:
        win.missing.append("closer")
    else:
        win.closer_cents += end.cents
        win.counts.append(end.sequence)
        win.inventory_variance_cents += window.variance_cents or 0
    win.fills_cents += moves.fills
    win.credits_cents += moves.credits
    win.prepaid_cents += moves.prepaid
    win.rounds += moves.rounds
    win.rounds_cents += moves.rounds_cents
    win.coupons_paid_cents += moves.coupons_paid
    win.vigorish_waived_cents += moves.vigorish_waived
    win.recorded_drop_cents += moves.currency + moves.counter_checks


def _add_box(win: Win, box: Box) -> None:
    win.boxes.append(box.exchange)
    if box.currency is None or box.counter_checks is None:
        win.missing.append("count")
        return
    win.currency_cents += box.currency
    win.counter_checks_cents += box.counter_checks
    win.coupons_cents += box.coupons or 0


def hold_percent(win_cents: int, drop_cents: int) -> str | None:
    """Win as a share of drop, in percent with two decimals, half a step away from zero; None without drop.

    >>> hold_percent(4_000_00, 9_000_00)
    '44.44'
    """
    if drop_cents == 0:
        return None
    steps, rest = divmod(abs(win_cents) * 10_000, abs(drop_cents))
    steps += 2 * rest >= abs(drop_cents)
    sign = "-" if steps and (win_cents < 0) != (drop_cents < 0) else ""
    return f"{sign}{steps // 100}.{steps % 100:02}"
