"""The tables of the table-inventory ledger: its journal, sealed counts, and the read model.

Everything but the journal, the copies of properties and submissions, `read_until` and `sealed_counts` follows from the
journal. The figures of an open count are only in `sealed_counts`; the journal has their commitments.
"""

from services.table_inventory.tables.base import journal, metadata, pit_events, properties, read_until, submissions
from services.table_inventory.tables.cage import (
    cage_book,
    cage_counts,
    cage_movements,
    cage_transfers,
    chips_in_service,
    tip_hours,
    winners,
)
from services.table_inventory.tables.count_room import (
    commitments,
    counted_boxes,
    drop_counts,
    sealed_counts,
    write_offs,
)
from services.table_inventory.tables.credit import (
    check_steps,
    check_write_offs,
    counter_checks,
    credit_line_requests,
    credit_lines,
    patron_checks,
)
from services.table_inventory.tables.gaming_days import (
    adjustments,
    alarm_cases,
    contests,
    days,
    investigations,
    touched,
    upstream_gaps,
    upstream_quarantine,
    variance_cases,
    wins_stated,
)
from services.table_inventory.tables.pit import (
    boxes,
    brought_forward,
    counts,
    equipment,
    manual_slips,
    moved,
    movements,
    pit_change_outcomes,
    pit_changes,
    requests,
    slips,
    transports,
)
from services.table_inventory.tables.ratings import rating_steps, ratings_stated

__all__ = [
    "adjustments",
    "alarm_cases",
    "boxes",
    "brought_forward",
    "cage_book",
    "cage_counts",
    "cage_movements",
    "cage_transfers",
    "check_steps",
    "check_write_offs",
    "chips_in_service",
    "commitments",
    "contests",
    "counted_boxes",
    "counter_checks",
    "counts",
    "credit_line_requests",
    "credit_lines",
    "days",
    "drop_counts",
    "equipment",
    "investigations",
    "journal",
    "manual_slips",
    "metadata",
    "moved",
    "movements",
    "patron_checks",
    "pit_change_outcomes",
    "pit_changes",
    "pit_events",
    "properties",
    "rating_steps",
    "ratings_stated",
    "read_until",
    "requests",
    "sealed_counts",
    "slips",
    "submissions",
    "tip_hours",
    "touched",
    "transports",
    "upstream_gaps",
    "upstream_quarantine",
    "variance_cases",
    "winners",
    "wins_stated",
    "write_offs",
]
