"""Inventories as documents: what each table should hold at a moment, and counts beside what was expected of them."""

from datetime import date

from pydantic import BaseModel

from services.table_inventory.domain.denominations import Stacks
from services.table_inventory.domain.windows import Count, Moves, Window


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
        """Return a running window as a row of the report."""
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


class CountRow(Count):
    """A count beside what was expected of it; `variance_cents` None at the first count of a table."""

    expected_cents: int | None = None
    variance_cents: int | None = None

    @classmethod
    def of(cls, window: Window) -> "CountRow":
        """Return the count that ends a window as a row of the report."""
        assert window.end is not None, "the window of a count ends with it"
        expected_cents = None if window.start is None else window.expected_cents
        return cls(**dict(window.end), expected_cents=expected_cents, variance_cents=window.variance_cents)
