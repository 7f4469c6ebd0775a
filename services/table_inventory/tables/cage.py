"""The tables of the cage: its book, transfers and counts, movements of known patrons, winners, and tips pools."""

from sqlalchemy import CheckConstraint, Index, Integer, Table, UniqueConstraint

from services.table_inventory.tables.base import JSON, metadata
from shared.journal.columns import columns, dates, moments, texts
from shared.journal.columns import counts as numbers

cage_movements = Table(
    "cage_movements",
    metadata,
    *texts("property", key=True),
    *numbers("number", key=True),
    *dates("gaming_day"),
    *texts("shift", "window", "patron", "kind", "medium", "direction", "by"),
    *numbers("cents"),
    *moments("at"),
    *moments("entered_at", null=True),
    *texts("late_reason", "location", "purpose", "foreign_country", "table", null=True),
    *columns(JSON, "on_behalf_of", "instrument", null=True),
    *numbers("voids", null=True),
    Index("cage_movements_of_day", "property", "gaming_day"),
    UniqueConstraint("property", "voids", name="void_once"),
)
"""Transactions of known patrons at the cage, with voids."""

cage_book = Table(
    "cage_book",
    metadata,
    *texts("property", "location", "cause", key=True),
    *columns(Integer, "shard", key=True),  # of the entries: transactions on two shards do not wait for each other
    *numbers("cents"),
)
"""The changes to the money of each location of the cage since its books began, by cause; outflows are negative."""

cage_transfers = Table(
    "cage_transfers",
    metadata,
    *texts("property", key=True),
    *numbers("transfer", key=True),
    *dates("gaming_day"),  # of its last step
    *texts("giver", "receiver", "issued_by", "status"),
    *columns(JSON, "contents"),
    *moments("issued_at"),
    *texts("received_by", "returned_by", "return_reason", null=True),
    *moments("received_at", "returned_at", null=True),
    *numbers("issued_seq"),  # of the entries: they tell whether a step came before a count or after it
    *numbers("ended_seq", null=True),
    CheckConstraint("received_by <> issued_by", name="transfer_received_by_somebody_else"),
    CheckConstraint("received_by IS NULL OR returned_by IS NULL", name="transfer_ended_once"),
    Index("cage_transfers_of_status", "property", "status"),
    Index("cage_transfers_as_issued", "property", "issued_seq"),
    Index("cage_transfers_as_ended", "property", "ended_seq"),
)
"""Transfers between locations of the cage, and to and from outside parties, with their status."""

cage_counts = Table(
    "cage_counts",
    metadata,
    *texts("property", key=True),
    *numbers("count", key=True),
    *dates("gaming_day"),
    *texts("location", "cashier", "counted_by", "status"),
    *columns(JSON, "contents", "book"),
    *moments("counted_at"),
    *numbers("seq"),  # of the entry that entered it
    *texts("next_cashier", "verified_by", "over_short_reason", "rejected_by", "rejection_reason", null=True),
    *moments("verified_at", "rejected_at", null=True),
    *numbers("before_cents", "counted_cents", "over_short_cents", "imprest_cents", null=True),
    *columns(JSON, "flows", null=True),
    CheckConstraint("verified_by <> counted_by", name="cage_count_verified_by_somebody_else"),
    CheckConstraint("rejected_by <> counted_by", name="cage_count_rejected_by_somebody_else"),
    CheckConstraint("verified_by IS NULL OR rejected_by IS NULL", name="cage_count_decided_once"),
    Index("cage_counts_of_location", "property", "location", "count"),
)
"""Counts of the locations of the cage, with their status."""

chips_in_service = Table(
    "chips_in_service",
    metadata,
    *texts("property", key=True),
    *numbers("revision", key=True),
    *dates("gaming_day"),
    *texts("source", "entered_by", "status"),
    *columns(JSON, "contents"),
    *columns(JSON, "before", null=True),
    *numbers(
        *("stated_cents", "before_revision", "before_stated_cents", "put_in_since_cents", "in_service_cents"),
        null=True,
    ),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="chips_in_service_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="chips_in_service_decided_once"),
)
"""Revisions of the chips that were in service before the books of the cage began, with their status."""

winners = Table(
    "winners",
    metadata,
    *numbers("shard", "seq", key=True),
    *texts("property", "table", "wager"),
    *dates("gaming_day"),
    *texts("round_id", null=True),
    *moments("won_at", null=True),  # at a counted table, which has no rounds
    *numbers("seat", "federal_change_cents", "state_change_cents", "local_change_cents"),
    Index("winners_of_round", "property", "table", "gaming_day", "round_id"),
)
"""Tax withheld from winnings, step by step; the winner is in the journal only."""

tip_hours = Table(
    "tip_hours",
    metadata,
    *texts("property", key=True),
    *dates("last_day", key=True),
    *numbers("revision", key=True),
    *dates("first_day"),
    *columns(JSON, "pool", "hours"),
    *texts("reason", "entered_by", "status"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="tip_hours_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="tip_hours_decided_once"),
)
"""The hours by which dealers share a tips pool, by its last gaming day, with their status."""
