"""Rake: the revenue of a non-banking table, which has no win. Pure; cents."""

from collections.abc import Iterable
from datetime import date

from pydantic import BaseModel

from services.table_inventory.domain.boxes import Box
from shared.contracts.inventory import AdjustmentEntered, NonBanking
from shared.contracts.property_snapshot import PropertySnapshot


def non_banking_tables(place: PropertySnapshot, gaming_day: date) -> frozenset[str]:
    """Return the non-banking tables of a property on a gaming day."""
    return frozenset(table.table for table in place.tables_on(gaming_day) if table.non_banking)


def non_banking(place: PropertySnapshot, table: str, gaming_day: date) -> NonBanking:
    """Return True for a table that is non-banking on a gaming day, else None, as facts store it."""
    is_there = place.why_no_table(table, gaming_day) is None
    return True if is_there and place.table(table, gaming_day).non_banking else None


class Rake(BaseModel):
    """The rake of a non-banking table on a gaming day, in cents.

    The rake is None until all boxes of the table are counted. `boxes` are the sequences of the box exchanges in the
    table's pit stream.
    """

    table: str
    rake_cents: int | None
    adjustments_cents: int
    final_rake_cents: int | None
    boxes: list[int]


def rakes(tables: Iterable[str], boxes: Iterable[Box], adjustments: Iterable[AdjustmentEntered]) -> list[Rake]:
    """Return the rake of each non-banking table with a box removed on a gaming day, ordered by table.

    `tables` are the non-banking tables. `boxes` and `adjustments` are those of the gaming day, for all tables.
    """
    counted: dict[str, list[Box]] = {table: [] for table in sorted(tables)}
    for box in boxes:
        if box.table in counted:
            counted[box.table].append(box)
    adjusted = list(adjustments)
    return [
        _rake(table, found, sum(one.cents for one in adjusted if one.table == table))
        for table, found in counted.items()
        if found
    ]


def _rake(table: str, boxes: list[Box], adjustments_cents: int) -> Rake:
    counted = [box.rake_cents for box in boxes if box.rake_cents is not None]
    cents = sum(counted) if len(counted) == len(boxes) else None
    return Rake(
        table=table,
        rake_cents=cents,
        adjustments_cents=adjustments_cents,
        final_rake_cents=None if cents is None else cents + adjustments_cents,
        boxes=[box.exchange for box in boxes],
    )
