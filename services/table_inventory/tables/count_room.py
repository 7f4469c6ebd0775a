"""The database tables of the count room: counts of drop boxes, their sealed figures, and boxes written off."""

from sqlalchemy import CheckConstraint, Index, Table, UniqueConstraint

from services.table_inventory.tables.base import JSON, metadata, of_table
from shared.journal.columns import columns, dates, entry_place, moments, texts
from shared.journal.columns import counts as numbers

drop_counts = Table(
    "drop_counts",
    metadata,
    *texts("property", key=True),
    *numbers("count", key=True),
    *dates("gaming_day"),
    *texts("opened_by"),
    *moments("opened_at"),
    *texts("concluded_by", null=True),
    *moments("concluded_at", null=True),
    Index("drop_counts_of_day", "property", "gaming_day"),
)
"""Counts of drop boxes."""

counted_boxes = Table(
    "counted_boxes",
    metadata,
    *of_table("exchange"),
    *numbers("count"),
    *texts("box", "shift"),
    *dates("gaming_day"),
    *columns(JSON, "figures", "turns"),
    *numbers("currency_cents", "counter_checks_cents", "coupons_cents"),
    *numbers("rake_cents", null=True),
    Index("counted_boxes_of_day", "property", "gaming_day"),
    Index("counted_boxes_of_count", "property", "count"),
)
"""The contents of drop boxes whose count is concluded."""

commitments = Table(
    "commitments",
    metadata,
    *texts("property", key=True),
    *numbers("count", key=True),
    *texts("table", key=True),
    *numbers("exchange", "turn", key=True),
    *texts("counted_by", "commitment"),
    *entry_place(),
)
"""The commitments to sealed figures, with the positions of their entries in the journal."""

sealed_counts = Table(
    "sealed_counts",
    metadata,
    *texts("property", key=True),
    *numbers("count", key=True),
    *texts("table", key=True),
    *numbers("exchange", "turn", key=True),
    *texts("counted_by", "salt"),
    *columns(JSON, "figures"),
    UniqueConstraint("property", "count", "table", "exchange", "counted_by", name="nobody_counts_twice"),
)
"""Counted figures that stay secret until the count is concluded. They cannot be rebuilt from the journal."""

write_offs = Table(
    "write_offs",
    metadata,
    *texts("property", key=True),
    *numbers("write_off", key=True),
    *texts("table", "box", "shift", "which", "reason", "entered_by", "status"),
    *dates("gaming_day"),
    *numbers("exchange"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("which IN ('removed', 'placed')", name="which_is_known"),
    CheckConstraint("approved_by <> entered_by", name="write_off_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="write_off_decided_once"),
    Index("write_offs_of_box", "property", "table", "exchange"),
)
"""Write-offs of drop boxes with their status."""
