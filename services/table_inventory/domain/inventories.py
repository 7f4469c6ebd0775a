"""Inventories as documents: what each table should hold at a moment, and counts beside what was expected of them."""

from datetime import date

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.denominations import pieces
from services.table_inventory.domain.windows import Moves, Purpose, Window
from shared.contracts.chips import Pieces


class InventoryRow(BaseModel):
    """What a table should hold at a moment: what was counted last and what moved since.

    `contents` by denomination is given where every movement since is known so.
    """

    table: str
    open: bool
    gaming_day: date
    shift: str
    counted_at: AwareDatetime
    counted_cents: int
    counted_contents: tuple[Pieces, ...]
    moves: Moves
    expected_cents: int
    expected_contents: tuple[Pieces, ...] | None = None

    @classmethod
    def of(cls, window: Window) -> "InventoryRow":
        """Return a running window as a row of the report."""
        start = window.start
        assert start is not None, "a running inventory begins with a count"
        gaming_day, shift = start.begun
        expected = window.expected_by_denomination
        return cls(
            table=start.table,
            open=start.leaves_open,
            gaming_day=gaming_day,
            shift=shift,
            counted_at=start.at,
            counted_cents=start.cents,
            counted_contents=pieces(start.contents),
            moves=window.moves,
            expected_cents=window.expected_cents,
            expected_contents=None if expected is None else pieces(expected),
        )


class CountRow(BaseModel):
    """A count beside what was expected of it; `variance_cents` None at the first count of a table."""

    table: str
    sequence: int
    at: AwareDatetime
    gaming_day: date
    shift: str
    purpose: Purpose
    counted_by: str
    observed_by: str
    counted_cents: int
    counted_contents: tuple[Pieces, ...]
    expected_cents: int | None = None
    variance_cents: int | None = None

    @classmethod
    def of(cls, window: Window) -> "CountRow":
        """Return the count that ends a window as a row of the report."""
        end = window.end
        assert end is not None, "the window of a count ends with it"
        return cls(
            **end.model_dump(
                include={"table", "sequence", "at", "gaming_day", "shift", "purpose", "counted_by", "observed_by"}
            ),
            counted_cents=end.cents,
            counted_contents=pieces(end.contents),
            expected_cents=None if window.start is None else window.expected_cents,
            variance_cents=window.variance_cents,
        )
