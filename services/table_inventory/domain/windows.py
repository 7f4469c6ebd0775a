"""Windows: the time between two counts of a table, and what it should hold at the end of it.

What a table should hold is what was counted at the beginning of the window and what moved meanwhile; the difference to
what was counted then is a variance.
"""

from datetime import date
from typing import Literal

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


class Window(BaseModel, frozen=True):
    """The time up to a count (`end`; None: up to now) from the count before it (`start`; None: there was none)."""

    start: Count | None
    end: Count | None
    moves: Moves

    @property
    def counts(self) -> tuple[Count, ...]:
        """Return the counts that it lies between, as far as there are any."""
        return tuple(count for count in (self.start, self.end) if count is not None)

    @property
    def expected_cents(self) -> int:
        """Return what the table should hold at the end."""
        return (0 if self.start is None else self.start.cents) + self.moves.cents

    @property
    def variance_cents(self) -> int | None:
        """Return how much more was counted than was expected; None without two counts."""
        if self.start is None or self.end is None:
            return None
        return self.end.cents - self.expected_cents

    @property
    def expected_by_denomination(self) -> Stacks | None:
        """Return what it should hold by denomination, where every movement is known so."""
        if self.start is None or self.moves.unknown or self.moves.by_denomination is None:
            return None
        return added(self.start.contents, self.moves.by_denomination)

    @property
    def unexplained_by_denomination(self) -> Stacks | None:
        """Return what was counted of each denomination beyond the movements that are known by denomination.

        Settled rounds and most sales are not: this is their sum and the variance.
        """
        if self.start is None or self.end is None or self.moves.by_denomination is None:
            return None
        known = added(self.start.contents, self.moves.by_denomination)
        return added(self.end.contents, {name: -count for name, count in known.items()})

    @property
    def is_play(self) -> bool:
        """Return whether the table was open."""
        return self.start is not None and (self.end is None or self.end.purpose not in ("opener", "carried"))

    @property
    def runs_on(self) -> date | None:
        """Return the gaming day that an open table is on now; None for a window that has ended, or a closed table."""
        if self.end is not None or self.start is None or not self.start.leaves_open:
            return None
        return self.start.begun[0]


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
        gaming_day, shift = start.begun
        return cls(
            table=start.table,
            open=start.leaves_open,
            gaming_day=gaming_day,
            shift=shift,
            counted=start,
            moves=window.moves,
            expected_cents=window.expected_cents,
            expected_by_denomination=window.expected_by_denomination,
        )
