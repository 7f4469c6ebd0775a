"""The database tables of gaming tables: inventories, slips, drop boxes, equipment, and changes to pit events."""

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer, Table, UniqueConstraint, collate, column, func

from services.table_inventory.domain.slips import STEPS
from services.table_inventory.tables.base import JSON, metadata, of_table, slip_key
from shared.journal.columns import MOMENT, columns, dates, moments, texts
from shared.journal.columns import counts as numbers

counts = Table(
    "counts",
    metadata,
    *of_table("sequence"),
    *moments("at"),
    *dates("gaming_day"),
    *texts("shift", "purpose", "counted_by", "observed_by"),
    *numbers("cents"),
    *columns(JSON, "contents"),
    *columns(Boolean, "card_reader", "dice", null=True),  # of an opener only
    *dates("begins_day", null=True),
    *texts("begins_shift", "game", null=True),
    CheckConstraint("purpose IN ('opener', 'closer', 'shift', 'drop', 'spot', 'carried')", name="purpose_is_known"),
    Index("counts_in_order", "property", "table", "at", "sequence"),
    Index("counts_of_day", "property", "gaming_day"),
)
"""Counted table inventories."""

brought_forward = Table("brought_forward", metadata, *texts("property", "table", key=True), *numbers("cents"))
"""The opening balance of each table's books."""

movements = Table(
    "movements",
    metadata,
    *numbers("shard", "seq", key=True),
    *texts("property", "table", "movement", "cause"),
    *moments("at"),
    *dates("gaming_day"),
    *numbers("cents"),  # positive into the inventory
    *numbers("rounds"),
    *columns(JSON, "contents", null=True),  # signed counts by denomination, if known
    *texts("ref", null=True),
    *numbers("revision", null=True),
    CheckConstraint(
        "movement IN ('cash', 'counter_check', 'wager', 'change', 'transfer', 'vigorish')", name="movement_is_permitted"
    ),
    # Covering index: the movements of a window are summed from the index. Their rows are spread over many pages.
    Index(
        "movements_in_order",
        *("property", "table", "at"),
        postgresql_include=["cause", "cents", "rounds", "contents"],
    ),
    Index("movements_of_checks", "property", "gaming_day", postgresql_where="cause = 'counter_check'"),
    Index("movements_of_pieces", "property", "table", "at", postgresql_where="contents IS NOT NULL"),
    Index(
        "movements_into_boxes",
        *("property", "table", "at"),
        postgresql_include=["cause", "cents"],
        postgresql_where="cause IN ('currency', 'counter_check')",
    ),
    Index("movements_of_ref", "property", "table", "ref"),
    Index("movements_of_check", "property", "ref", postgresql_where="cause = 'counter_check'"),
)
"""Movements into and out of table inventories: the six kinds that § 465a.36(b) permits.

Causes: round, coupon, currency, prepaid_access, counter_check, change, fill, credit, waived.
"""

moved = Table(
    "moved",
    metadata,
    *texts("property", "table", key=True),
    Column("hour", MOMENT, primary_key=True),
    *texts("cause", key=True),
    *columns(Integer, "shard", key=True),  # of the entries: concurrent transactions update different rows
    # unknown: the number of movements without denominations; coupons: the number of coupons dropped
    *numbers("cents", "rounds", "unknown", "coupons"),
)
"""Hourly sums of movements. The sum of a period is that of its whole hours plus single movements at both ends."""

results = Table(
    "results",
    metadata,
    *numbers("shard", "seq", key=True),
    *texts("property", "table"),
    *moments("at"),
    *numbers("results"),  # -1 if a result was taken back
    Index("results_in_order", "property", "table", "at"),
)
"""The results of counted tables; a result proves that the table was in play at that time."""

requests = Table(
    "requests",
    metadata,
    *texts("property", key=True),
    *numbers("request", key=True),
    *texts("slip", "table", "shift", "requested_by"),
    *dates("gaming_day"),
    *columns(JSON, "contents"),
    *moments("requested_at"),
    *texts("withdrawn_by", "withdrawal_reason", null=True),
    *moments("withdrawn_at", null=True),
)
"""The pit's requests to the cage for fills and credits."""

slips = Table(
    "slips",
    metadata,
    *slip_key(),
    *numbers("request", null=True),
    *texts("table", "shift", null=True),
    *dates("gaming_day", null=True),
    *columns(JSON, "contents", "received_contents", "returned", null=True),
    *numbers("cents", "received_cents", null=True),
    *texts(*STEPS, "voided_by", "void_reason", null=True),
    *moments("requested_at", "prepared_at", "carried_at", "received_at", "voided_at", null=True),
    UniqueConstraint("property", "request", name="one_slip_a_request"),
    CheckConstraint("slip IN ('fill', 'credit')", name="slip_is_known"),
    CheckConstraint("received_at IS NULL OR voided_at IS NULL", name="received_or_void"),
    CheckConstraint("carried_at IS NULL OR voided_at IS NULL OR returned <> '[]'", name="void_after_it_was_carried"),
    Index("slips_of_day", "property", "gaming_day"),
)
"""Fill and credit slips, numbered without gaps for each property and kind.

The preparation columns of a slip are null only in a rebuild that has read a later step of the slip first.
"""

manual_slips = Table(
    "manual_slips",
    metadata,
    *slip_key(),
    *dates("gaming_day"),
    *texts("entered_by", "reason"),
    *moments("entered_at"),
    *columns(Boolean, "void"),
    *texts("table", null=True),
    *numbers("cents", null=True),
    Index("manual_slips_of_day", "property", "gaming_day"),
)
"""Paper slips, by the number printed on the form."""

boxes = Table(
    "boxes",
    metadata,
    *of_table("exchange"),
    *texts("box", "shift"),
    *texts("placed_box", null=True),
    *dates("gaming_day"),
    *moments("removed_at"),
    Index("boxes_of_day", "property", "gaming_day"),
    Index("boxes_in_order", "property", "table", "removed_at"),
    Index("boxes_placed", "property", "placed_box"),
    Index("boxes_by_number", "property", func.lower(collate(column("box"), "C")), "removed_at"),
)
"""Drop boxes removed from tables."""

transports = Table("transports", metadata, *of_table("sequence"), *texts("box"), *moments("at"))
"""Drop boxes received by the count room."""

equipment = Table(
    "equipment",
    metadata,
    *of_table("sequence"),
    *texts("check", "by"),
    *moments("at"),
    *dates("gaming_day"),
    *columns(JSON, "data"),
    Index("equipment_in_order", "property", "table", "check", "at"),
)
"""Equipment events: cards, dice, card readers and stubs."""

pit_changes = Table(
    "pit_changes",
    metadata,
    *texts("property", key=True),
    *numbers("change", key=True),
    *texts("table", "event", "reason", "proposed_by", "status"),
    *dates("gaming_day"),
    *columns(Boolean, "voids"),
    *numbers("sequence", "replaces", "seq"),
    *columns(Integer, "shard"),  # with `seq`: the entry of the proposal, or of the approval once there is one
    *moments("proposed_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    *numbers("place", null=True),  # sequence in the desk stream of the table, once approved
    CheckConstraint("approved_by <> proposed_by", name="change_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="change_decided_once"),
    Index("pit_changes_of_event", "property", "table", "sequence"),
    Index("pit_changes_in_order", "property", "table", "place", unique=True),
)
"""Proposed changes to pit events, with the decision."""

pit_change_outcomes = Table(
    "pit_change_outcomes",
    metadata,
    *texts("property", key=True),
    *numbers("change", key=True),
    *texts("effect"),
)
"""The outcome of each approved change to a pit event.

Outcomes and changes are recorded in different shards, and a rebuild may read either first. They are therefore in
different database tables.
"""
