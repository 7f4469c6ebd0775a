"""Windows: the time between two counts of a table, and what it should hold at the end of it.

What a table should hold is what was counted at the beginning of the window and what moved meanwhile; the difference to
what was counted then is a variance.
"""

from datetime import date
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.denominations import Stacks, added

Purpose = Literal["opener", "closer", "shift", "drop", "spot", "carried"]


class Count(BaseModel, frozen=True):
    """A table inventory as it was counted; `sequence` is that of the event in the table's pit stream."""

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
    def leaves_open(self) -> bool:
        """Return whether the table is open after it."""
        return self.purpose not in ("closer", "carried")

    @property
    def begun(self) -> tuple[date, str]:
        """Return the gaming day and shift after it."""
        return (self.begins_day or self.gaming_day, self.begins_shift or self.shift)


class Moves(BaseModel, frozen=True):
    """What moved in a window: `cents` altogether, positive into the inventory, and of which kinds.

    Figures by kind are positive as their names say: `currency_cents` is what players paid. `by_denomination` has what
    is known by denomination, signed, where there is something to look at: a table that is not counted yet, or that was
    counted otherwise than expected; `unknown` is the number of movements of which it is not known.
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
    unknown: int = 0
    by_denomination: Stacks | None = {}

    @property
    def any(self) -> bool:
        """Return whether anything moved that counts: what was taken back never did."""
        return any(getattr(self, name) for name in _SUMS)

    @property
    def sold(self) -> bool:
        """Return whether chips were given for currency, a counter check or prepaid access."""
        return bool(self.currency_cents or self.counter_checks_cents or self.prepaid_cents)

    @property
    def dropped(self) -> bool:
        """Return whether anything was recorded that goes into the drop box."""
        return bool(self.currency_cents or self.counter_checks_cents or self.coupons_paid_cents)

    def __add__(self, other: "Moves") -> "Moves":
        """Return what moved in both."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        known = (self.by_denomination, other.by_denomination)
        by_denomination = None if None in known else added(*(one for one in known if one is not None))
        return Moves(**sums, by_denomination=by_denomination)


_SUMS: Final = tuple(name for name in Moves.model_fields if name != "by_denomination")
NOTHING: Final = Moves()


class Mark(BaseModel, frozen=True):
    """A moment of a table at which something may begin or end: a count, the end of a gaming day, a box exchange.

    `moves` is what moved since the mark before: after that moment, up to and with this one; None where it is not known.
    """

    table: str
    at: AwareDatetime
    count: Count | None = None
    moves: Moves | None = None


class Window(BaseModel, frozen=True):
    """The time of a table up to a count (`end`) from the count before it (`start`; None: there was none).

    Where the gaming day ended and nobody counted, the time is cut there, at `since` and `until`: `moves` is what moved
    in this part, `earlier` what moved between the count and it. A table is open in a window of `play`; `opens` and
    `closes` say whether its counts are opener and closer of its `gaming_day` and `shift`, which follow from the count
    that begins it. Where the end begins another shift of the same gaming day, `hands_over`.
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
        """Return what the table should hold at the end."""
        return (0 if self.start is None else self.start.cents) + self.earlier.cents + self.moves.cents

    @property
    def variance_cents(self) -> int | None:
        """Return how much more was counted than was expected; None without two counts."""
        if self.start is None or self.end is None:
            return None
        return self.end.cents - self.expected_cents

    @property
    def expected_by_denomination(self) -> Stacks | None:
        """Return what it should hold by denomination, where every movement is known so."""
        moves = self.earlier + self.moves
        if self.start is None or moves.unknown or moves.by_denomination is None:
            return None
        return added(self.start.contents, moves.by_denomination)

    @property
    def unexplained_by_denomination(self) -> Stacks | None:
        """Return what was counted of each denomination beyond the movements that are known by denomination.

        Settled rounds and most sales are not: this is their sum and the variance.
        """
        moves = self.earlier + self.moves
        if self.start is None or self.end is None or moves.by_denomination is None:
            return None
        known = added(self.start.contents, moves.by_denomination)
        return added(self.end.contents, {name: -count for name, count in known.items()})


class InventoryRow(BaseModel):
    """What a table should hold at a moment: what was counted last, and what moved since.

    `expected_by_denomination` is given where every movement since is known so.
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
        """Return a running window as a row."""
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
