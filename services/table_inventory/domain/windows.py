"""Windows: the time between two counts of a table, and the expected inventory at the end of that time.

The expected inventory is the count at the beginning of the window plus the movements in the window. The difference
between the count at the end and the expected inventory is a variance.
"""

from datetime import date
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.denominations import Stacks, added

Purpose = Literal["opener", "closer", "shift", "drop", "spot", "carried"]


class Count(BaseModel, frozen=True):
    """A count of a table inventory; `sequence` is the sequence of its event in the table's pit stream."""

    table: str
    sequence: int
    at: AwareDatetime
    gaming_day: date
    shift: str
    purpose: Purpose
    cents: int
    contents: Stacks
    begins_day: date | None = None
    begins_shift: str | None = None
    game: str | None = None
    counted_by: str = ""
    observed_by: str = ""

    @property
    def begun(self) -> tuple[date, str]:
        """Return the gaming day and shift that begin with the count or, if none begin, those in which it was made."""
        return (self.begins_day or self.gaming_day, self.begins_shift or self.shift)


class Moves(BaseModel, frozen=True):
    """The movements in a window, in total and by kind. The total `cents` are positive into the inventory.

    Figures by kind are positive: `currency_cents`, for example, is the currency paid by players. `by_denomination` has
    the signed numbers of pieces moved, as far as they are known. It is only read for a table's current window and for a
    window with a variance. `unknown` is the number of movements without denominations, less reversed ones. `coupons` is
    the number of dropped coupons.
    """

    cents: int = 0
    fills_cents: int = 0
    credits_cents: int = 0
    currency_cents: int = 0
    prepaid_cents: int = 0
    counter_checks_cents: int = 0
    rounds: int = 0
    rounds_cents: int = 0
    coupons_paid_cents: int = 0
    vigorish_waived_cents: int = 0
    coupons: int = 0
    unknown: int = 0
    by_denomination: Stacks | None = {}

    @property
    def any(self) -> bool:
        """Return whether anything moved, net of reversed movements."""
        return any(getattr(self, name) for name in _SUMS if name not in ("coupons", "unknown"))

    @property
    def sold(self) -> bool:
        """Return whether chips were given for currency, a counter check or prepaid access."""
        return bool(self.currency_cents or self.counter_checks_cents or self.prepaid_cents)

    @property
    def dropped(self) -> bool:
        """Return whether anything was recorded as going into the drop box."""
        return bool(self.currency_cents or self.counter_checks_cents or self.coupons)

    def __add__(self, other: "Moves") -> "Moves":
        """Return the sum of two sets of movements."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        known = (self.by_denomination, other.by_denomination)
        by_denomination = None if None in known else added(*(one for one in known if one is not None))
        return Moves(**sums, by_denomination=by_denomination)


_SUMS: Final = tuple(name for name in Moves.model_fields if name != "by_denomination")
NOTHING: Final = Moves()


class Mark(BaseModel, frozen=True):
    """A moment at which a window of a table may begin or end: a count, the end of a gaming day, or a box exchange.

    `moves` are the movements after the previous mark, up to and including this one; None if unknown.
    """

    table: str
    at: AwareDatetime
    count: Count | None = None
    moves: Moves | None = None


class Window(BaseModel, frozen=True):
    """The time at a table between a count (`start`; None if there was none) and the next count (`end`).

    If a gaming day ends without a count, the window is cut at that moment, and only covers the time from `since` to
    `until`. `moves` are the movements in the time that it covers; `earlier` are those between `start` and `since`.
    `play`: the table was open. `opens`: `start` is the opener of the window's `gaming_day` and `shift`. `closes`: `end`
    is their closer. `hands_over`: `end` also begins another shift of the same gaming day.
    """

    table: str
    start: Count | None
    end: Count | None
    moves: Moves
    earlier: Moves = NOTHING
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    play: bool = False
    opens: bool = False
    closes: bool = False
    hands_over: bool = False
    gaming_day: date
    shift: str

    @property
    def expected_cents(self) -> int:
        """Return the expected inventory at the end of the window, in cents."""
        return (0 if self.start is None else self.start.cents) + self.earlier.cents + self.moves.cents

    @property
    def variance_cents(self) -> int | None:
        """Return the counted less the expected amount, in cents; None without two counts."""
        if self.start is None or self.end is None:
            return None
        return self.end.cents - self.expected_cents

    @property
    def expected_by_denomination(self) -> Stacks | None:
        """Return the expected pieces by denomination; None unless all movements are known by denomination."""
        moves = self.earlier + self.moves
        if self.start is None or moves.unknown or moves.by_denomination is None:
            return None
        return added(self.start.contents, moves.by_denomination)

    @property
    def unexplained_by_denomination(self) -> Stacks | None:
        """Return the pieces counted at the end less those at the start and in known movements, by denomination.

        Settled rounds and most sales have no denominations, so that the result is the sum of these movements and the
        variance. It is None without two counts.
        """
        moves = self.earlier + self.moves
        if self.start is None or self.end is None or moves.by_denomination is None:
            return None
        known = added(self.start.contents, moves.by_denomination)
        return added(self.end.contents, {name: -count for name, count in known.items()})


class InventoryRow(BaseModel):
    """The expected inventory of a table at a moment, with the last count and the movements since that count.

    `expected_by_denomination` is None unless all of these movements are known by denomination.
    """

    table: str
    open: bool
    gaming_day: date
    shift: str
    counted: Count
    moves: Moves
    expected_cents: int
    expected_by_denomination: Stacks | None = None

    @classmethod
    def of(cls, window: Window) -> "InventoryRow":
        """Return the row of a table's current window."""
        start = window.start
        assert start is not None, "a running inventory begins with a count"
        day, shift = (window.gaming_day, window.shift) if window.play else start.begun
        return cls(
            table=start.table,
            open=window.play,
            gaming_day=day,
            shift=shift,
            counted=start,
            moves=window.earlier + window.moves,
            expected_cents=window.expected_cents,
            expected_by_denomination=window.expected_by_denomination,
        )
