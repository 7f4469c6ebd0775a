"""Windows: the time between two counts of a table, and the expected inventory at its end.

The expected inventory is the count at the beginning of the window plus the movements in it; the difference from the
count at the end is a variance.
"""

from datetime import date
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.denominations import Stacks, added

Purpose = Literal["opener", "closer", "shift", "drop", "spot", "carried"]


class Count(BaseModel, frozen=True):
    """A count of a table inventory; `sequence` is that of the event in the table's pit stream."""

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
        """Return the gaming day and shift that begin with the count."""
        return (self.begins_day or self.gaming_day, self.begins_shift or self.shift)


class Moves(BaseModel, frozen=True):
    """The movements in a window: `cents` in total, positive into the inventory, and by kind.

    Figures by kind are positive: `currency_cents` is what players paid. `by_denomination` has the movements known by
    denomination, signed, if needed: for a table that is not counted yet, or that has a variance; `unknown` is the
    number of movements that are not known by denomination (less those that were taken back), `coupons` that of the
    coupons dropped.
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
        """Return whether anything moved, apart from reversed movements."""
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
        """Return the movements of both."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        known = (self.by_denomination, other.by_denomination)
        by_denomination = None if None in known else added(*(one for one in known if one is not None))
        return Moves(**sums, by_denomination=by_denomination)


_SUMS: Final = tuple(name for name in Moves.model_fields if name != "by_denomination")
NOTHING: Final = Moves()


class Mark(BaseModel, frozen=True):
    """A mark at a table, at which something may begin or end: a count, the end of a gaming day, a box exchange.

    `moves` are the movements after the previous mark, up to and including this one; None if unknown.
    """

    table: str
    at: AwareDatetime
    count: Count | None = None
    moves: Moves | None = None


class Window(BaseModel, frozen=True):
    """The time at a table between the previous count (`start`; None if there was none) and a count (`end`).

    If a gaming day ended without a count, the time is cut there, at `since` and `until`: `moves` are the movements in
    this part, `earlier` those between the count and it. A table is open in a window of `play`; `opens` and `closes` say
    whether its counts are opener and closer of its `gaming_day` and `shift`, which follow from the count that begins
    it. If the end begins another shift of the same gaming day, `hands_over`.
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
        """Return the expected inventory at the end."""
        return (0 if self.start is None else self.start.cents) + self.earlier.cents + self.moves.cents

    @property
    def variance_cents(self) -> int | None:
        """Return counted less expected; None without two counts."""
        if self.start is None or self.end is None:
            return None
        return self.end.cents - self.expected_cents

    @property
    def expected_by_denomination(self) -> Stacks | None:
        """Return the expected pieces by denomination, if all movements are known by denomination."""
        moves = self.earlier + self.moves
        if self.start is None or moves.unknown or moves.by_denomination is None:
            return None
        return added(self.start.contents, moves.by_denomination)

    @property
    def unexplained_by_denomination(self) -> Stacks | None:
        """Return the counted pieces of each denomination less the movements known by denomination.

        Settled rounds and most sales are not known so: this is their sum and the variance.
        """
        moves = self.earlier + self.moves
        if self.start is None or self.end is None or moves.by_denomination is None:
            return None
        known = added(self.start.contents, moves.by_denomination)
        return added(self.end.contents, {name: -count for name, count in known.items()})


class InventoryRow(BaseModel):
    """The expected inventory of a table at a moment: the last count, and movements since.

    `expected_by_denomination` is set if every movement since is known by denomination.
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
        """Return the row of a current window."""
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
