"""The tables of the table-inventory ledger: its journal, sealed counts, and the read model.

Everything but the journal, the properties and `sealed_counts` follows from the journal. The figures of an open count
are only in `sealed_counts`; the journal has their commitments.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
    column,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB

from services.table_inventory.domain.slips import STEPS
from shared.journal.columns import MOMENT, columns, dates, entry_place, moments, texts
from shared.journal.columns import counts as numbers
from shared.journal.signed_rows import signature_column
from shared.journal.tables import journal_tables
from shared.runtime.ingest.pit_events import pit_events_table
from shared.runtime.ingest.property_copies import properties_table
from shared.runtime.ingest.submission_copies import submissions_table

metadata = MetaData(schema="table_inventory")

journal = journal_tables(metadata, "table_inventory")

properties = properties_table(metadata, "table_inventory")
"""The approved properties: location, clock and law."""

submissions = submissions_table(metadata, "table_inventory")
"""The approved rules submissions: the exact house edge that ratings go by."""

pit_events = pit_events_table(
    metadata,
    "table_inventory",
    *dates("gaming_day", null=True),
    *columns(BigInteger, "voided_shard", "voided_seq", null=True),
    Index("pit_events_of_day", "source", "gaming_day", "sequence"),
)
"""The events of the pit streams, with the entry of each in force.

Kept when an event is voided: its gaming day, and the entry that last voided a version of it.
"""

_JSON = JSONB(none_as_null=True)


def _of_table(number: str) -> tuple[Column[object], ...]:
    """Return the key of an event of a table's pit stream: `number` is its sequence there."""
    return (*texts("property", "table", key=True), *numbers(number, key=True))


def _slip_key() -> tuple[Column[object], ...]:
    return (*texts("property", "slip", key=True), *numbers("number", key=True))


counts = Table(
    "counts",
    metadata,
    *_of_table("sequence"),
    *moments("at"),
    *dates("gaming_day"),
    *texts("shift", "purpose", "counted_by", "observed_by"),
    *numbers("cents"),
    *columns(_JSON, "contents"),
    *columns(Boolean, "card_reader", "dice", null=True),  # of an opener
    *dates("begins_day", null=True),
    *texts("begins_shift", "game", null=True),
    CheckConstraint("purpose IN ('opener', 'closer', 'shift', 'drop', 'spot', 'carried')", name="purpose_is_known"),
    Index("counts_in_order", "property", "table", "at", "sequence"),
    Index("counts_of_day", "property", "gaming_day"),
)
"""Table inventories as counted."""

brought_forward = Table("brought_forward", metadata, *texts("property", "table", key=True), *numbers("cents"))
"""The opening balance of each table's books."""

movements = Table(
    "movements",
    metadata,
    *numbers("shard", "seq", key=True),
    *texts("property", "table", "movement", "cause"),
    *moments("at"),
    *dates("gaming_day"),
    *numbers("cents"),  # into the inventory
    *numbers("rounds"),
    *columns(_JSON, "contents", null=True),  # signed counts by denomination, where known
    *texts("ref", null=True),
    *numbers("revision", null=True),
    CheckConstraint(
        "movement IN ('cash', 'counter_check', 'wager', 'change', 'transfer', 'vigorish')", name="movement_is_permitted"
    ),
    # What windows between counts add up is in the index: a table's movements lie far apart in the rows.
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
"""Movements into and out of table inventories: the six that § 465a.36(b) permits.

A cause is round, coupon, currency, prepaid_access, counter_check, change, fill, credit or waived.
"""

moved = Table(
    "moved",
    metadata,
    *texts("property", "table", key=True),
    Column("hour", MOMENT, primary_key=True),
    *texts("cause", key=True),
    *columns(Integer, "shard", key=True),  # that of the entries: so no two transactions wait for each other
    # unknown: how many movements of which the denominations are not known; coupons: how many coupons were dropped
    *numbers("cents", "rounds", "unknown", "coupons"),
)
"""Hourly sums of movements: a period is read from whole hours and its two ends."""

requests = Table(
    "requests",
    metadata,
    *texts("property", key=True),
    *numbers("request", key=True),
    *texts("slip", "table", "shift", "requested_by"),
    *dates("gaming_day"),
    *columns(_JSON, "contents"),
    *moments("requested_at"),
    *texts("withdrawn_by", "withdrawal_reason", null=True),
    *moments("withdrawn_at", null=True),
)
"""The pit's requests to the cage."""

slips = Table(
    "slips",
    metadata,
    *_slip_key(),
    *numbers("request", null=True),
    *texts("table", "shift", null=True),
    *dates("gaming_day", null=True),
    *columns(_JSON, "contents", "received_contents", "returned", null=True),
    *numbers("cents", "received_cents", null=True),
    *texts(*STEPS, "voided_by", "void_reason", null=True),
    *moments("requested_at", "prepared_at", "carried_at", "received_at", "voided_at", null=True),
    UniqueConstraint("property", "request", name="one_slip_a_request"),
    CheckConstraint("slip IN ('fill', 'credit')", name="slip_is_known"),
    CheckConstraint("received_at IS NULL OR voided_at IS NULL", name="received_or_void"),
    CheckConstraint("carried_at IS NULL OR voided_at IS NULL OR returned <> '[]'", name="void_after_it_was_carried"),
    Index("slips_of_day", "property", "gaming_day"),
)
"""Fill and credit slips, numbered densely for each property and kind.

The preparation is only missing during a rebuild that has read a step at the table first.
"""

manual_slips = Table(
    "manual_slips",
    metadata,
    *_slip_key(),
    *dates("gaming_day"),
    *texts("entered_by", "reason"),
    *moments("entered_at"),
    *columns(Boolean, "void"),
    *texts("table", null=True),
    *numbers("cents", null=True),
    Index("manual_slips_of_day", "property", "gaming_day"),
)
"""Paper slips by the numbers that are printed on them."""

boxes = Table(
    "boxes",
    metadata,
    *_of_table("exchange"),
    *texts("box", "shift"),
    *texts("placed_box", null=True),
    *dates("gaming_day"),
    *moments("removed_at"),
    Index("boxes_of_day", "property", "gaming_day"),
    Index("boxes_in_order", "property", "table", "removed_at"),
    Index("boxes_placed", "property", "placed_box"),
)
"""Drop boxes removed from tables."""

transports = Table("transports", metadata, *_of_table("sequence"), *texts("box"), *moments("at"))
"""Drop boxes received by the count room."""

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
    *_of_table("exchange"),
    *numbers("count"),
    *texts("box", "shift"),
    *dates("gaming_day"),
    *columns(_JSON, "figures", "turns"),
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
"""The commitments in the journal, with their positions."""

sealed_counts = Table(
    "sealed_counts",
    metadata,
    *texts("property", key=True),
    *numbers("count", key=True),
    *texts("table", key=True),
    *numbers("exchange", "turn", key=True),
    *texts("counted_by", "salt"),
    *columns(_JSON, "figures"),
    UniqueConstraint("property", "count", "table", "exchange", "counted_by", name="nobody_counts_twice"),
)
"""Counted figures that are secret until the count is concluded. They do not follow from the journal."""

variance_cases = Table(
    "variance_cases",
    metadata,
    *texts("property", "table", "variance", key=True),
    *numbers("number", key=True),
    *dates("gaming_day"),
    *texts("owner"),
    *moments("owned_at"),
    *numbers("resolved_cents", null=True),
    *columns(_JSON, "resolved_by_instrument", null=True),
    *moments("resolved_at", null=True),
    *texts("conclusion", null=True),
)
"""Owners and conclusions of variances."""

alarm_cases = Table(
    "alarm_cases",
    metadata,
    *texts("property", "alarm", key=True),
    *texts("owner", "named_by"),
    *moments("owned_at"),
    *texts("conclusion", null=True),
    *moments("resolved_at", null=True),
)
"""Owners and conclusions of statistical alarms."""

adjustments = Table(
    "adjustments",
    metadata,
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *numbers("adjustment", key=True),
    *texts("table", "shift", "figure", "reason", "day_status", "entered_by", "status"),
    *numbers("cents"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="decided_once"),
)
"""Adjustments of gaming days with their status."""

counter_checks = Table(
    "counter_checks",
    metadata,
    *texts("property", "serial", "table", key=True),
    *numbers("number", key=True),
    # At once where they are recorded; a rebuild may read a check before it reads that an earlier one is void.
    UniqueConstraint("property", "serial", name="serial_used_once", deferrable=True),
)
"""The counter checks of each property; each serial number is used once.

`number` is that of the event in the table's pit stream; for one that replaced others, which has no table, the step.
"""

read_until = Table(
    "read_until",
    metadata,
    *texts("topic", key=True),
    *numbers("partition", key=True),
    *moments("until", null=True),
    signature_column(),
)
"""Up to when each partition of each topic has been read, signed; null: no process has noted it yet."""

check_steps = Table(
    "check_steps",
    metadata,
    *texts("property", key=True),
    *numbers("step", key=True),
    *texts("serial", key=True),
    *texts("what", "shift", "by"),
    *dates("gaming_day"),
    *numbers("cents"),  # what it changes of what is owed on the check
    *moments("at"),
    *texts("table", "drawer", "paid_in", "late_reason", null=True),
    *moments("entered_at", null=True),
    *numbers("undoes", null=True),  # the redemption that is void, came back unpaid, or is cleared
    CheckConstraint(
        "what IN ('redeemed', 'voided', 'returned', 'replaced', 'cleared', 'collection_begun', 'written_off', "
        "'recovered')",
        name="what_is_known",
    ),
    Index("redemption_undone_once", "property", "undoes", unique=True),
    Index("steps_of_check", "property", "serial"),
)
"""The cage's steps on counter checks."""

patron_checks = Table(
    "patron_checks",
    metadata,
    *texts("property", "serial", key=True),
    *texts("patron", "table", "shift", "prepared_by", "voided_by", "drawer", null=True),
    *dates("gaming_day", null=True),
    *numbers("cents", "limit_cents", "outstanding_cents", "issued_cents", null=True),
    *moments("prepared_at", "voided_at", "issued_at", null=True),
    Index("patron_checks_of_patron", "property", func.coalesce(column("patron"), column("drawer"))),
)
"""Counter checks by the patron who owes them: as prepared (`cents`) and as issued at a table (`issued_cents`).

Either may be missing. A check that replaced others has a `patron` and 0 `cents`: its steps say what is owed on it.
"""

check_write_offs = Table(
    "check_write_offs",
    metadata,
    *texts("property", key=True),
    *numbers("check_write_off", key=True),
    *texts("serial", "write_off_kind", "reason", "entered_by", "status"),
    *texts("table", "drawer", null=True),
    *numbers("cents", "recovered_cents"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="check_write_off_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="check_write_off_decided_once"),
    CheckConstraint("recovered_cents <= cents", name="recovered_at_most_once"),
    Index("check_write_offs_of_check", "property", "serial"),
)
"""Write-offs of counter checks with their status, and what was recovered since."""

credit_lines = Table(
    "credit_lines",
    metadata,
    *texts("property", "patron", key=True),
    *numbers("limit_cents"),
    *numbers("temporary_cents", null=True),
    *dates("until", null=True),
    *texts("suspended_for", null=True),
    *moments("changed_at"),
)
"""The terms of each patron's credit line."""

credit_line_requests = Table(
    "credit_line_requests",
    metadata,
    *texts("property", key=True),
    *numbers("request", key=True),
    *texts("patron", "change", "reason", "requested_by"),
    *numbers("limit_cents"),
    *dates("until", null=True),
    *moments("requested_at"),
    *texts("verification", "verified_by", "decline_reason", "declined_by", null=True),
    *moments("verified_at", "approved_at", "granted_at", "declined_at", null=True),
    *numbers("approvals", null=True),
    *columns(_JSON, "approved_by", null=True),
    CheckConstraint("granted_at IS NULL OR declined_at IS NULL", name="credit_line_decided_once"),
    Index("credit_line_requests_of_patron", "property", "patron"),
)
"""Requested changes of a credit line, with what became of each."""

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
    *texts("late_reason", "location", null=True),
    *numbers("voids", null=True),
    Index("cage_movements_of_day", "property", "gaming_day"),
    UniqueConstraint("property", "voids", name="void_once"),
)
"""Transactions of known patrons at the cage, with voids."""

cage_book = Table(
    "cage_book",
    metadata,
    *texts("property", "location", "cause", key=True),
    *columns(Integer, "shard", key=True),  # that of the entries: so no two transactions wait for each other
    *numbers("cents"),
)
"""The money that ever came into each location of the cage, by cause; what went out is negative."""

cage_transfers = Table(
    "cage_transfers",
    metadata,
    *texts("property", key=True),
    *numbers("transfer", key=True),
    *dates("gaming_day"),  # of its last step
    *texts("giver", "receiver", "issued_by", "status"),
    *columns(_JSON, "contents"),
    *moments("issued_at"),
    *texts("received_by", "returned_by", "return_reason", null=True),
    *moments("received_at", "returned_at", null=True),
    CheckConstraint("received_by <> issued_by", name="transfer_received_by_somebody_else"),
    CheckConstraint("received_by IS NULL OR returned_by IS NULL", name="transfer_ended_once"),
    Index("cage_transfers_of_status", "property", "status"),
)
"""Transfers between locations of the cage, and to and from those outside, with their status."""

cage_counts = Table(
    "cage_counts",
    metadata,
    *texts("property", key=True),
    *numbers("count", key=True),
    *dates("gaming_day"),
    *texts("location", "cashier", "counted_by", "status"),
    *columns(_JSON, "contents", "book"),
    *moments("counted_at"),
    *texts("verified_by", "over_short_reason", "rejected_by", "rejection_reason", null=True),
    *moments("verified_at", "rejected_at", null=True),
    *numbers("before_cents", "counted_cents", "over_short_cents", "imprest_cents", null=True),
    *columns(_JSON, "flows", null=True),
    CheckConstraint("verified_by <> counted_by", name="cage_count_verified_by_somebody_else"),
    CheckConstraint("verified_by IS NULL OR rejected_by IS NULL", name="cage_count_decided_once"),
    Index("cage_counts_of_location", "property", "location", "count"),
)
"""Counts of the locations of the cage, with their status."""

winners = Table(
    "winners",
    metadata,
    *numbers("shard", "seq", key=True),
    *texts("property", "table", "wager"),
    *dates("gaming_day"),
    *texts("round_id", null=True),
    *moments("won_at", null=True),  # at a counted table, which has no rounds
    *numbers("seat", "withheld_change_cents"),
    Index("winners_of_round", "property", "table", "gaming_day", "round_id"),
)
"""Tax withheld from winnings, step by step; the winner is in the journal only."""

investigations = Table(
    "investigations",
    metadata,
    *texts("property", key=True),
    *numbers("investigation", key=True),
    *texts("what", "subject", "month", "found", "owner", "opened_by"),
    *moments("opened_at"),
    *texts("conclusion", null=True),
    *moments("concluded_at", null=True),
    Index("investigations_of_month", "property", "month"),
)
"""Investigations of a hold that deviates from its base."""

contests = Table(
    "contests",
    metadata,
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *texts("contest", key=True),
    *numbers("revision", key=True),
    *numbers("fees_cents", "prizes_cents"),
    *columns(_JSON, "before", null=True),
    *texts("reason", "entered_by", "status"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="contest_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="contest_decided_once"),
)
"""Results of contests by the gaming day on which they ended, with their status."""

tip_hours = Table(
    "tip_hours",
    metadata,
    *texts("property", key=True),
    *dates("last_day", key=True),
    *numbers("revision", key=True),
    *dates("first_day"),
    *columns(_JSON, "pool", "hours"),
    *texts("reason", "entered_by", "status"),
    *moments("entered_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    CheckConstraint("approved_by <> entered_by", name="tip_hours_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="tip_hours_decided_once"),
)
"""The hours by which dealers share a tips pool, by its last gaming day, with their status."""

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

pit_changes = Table(
    "pit_changes",
    metadata,
    *texts("property", key=True),
    *numbers("change", key=True),
    *texts("table", "event", "reason", "proposed_by", "status"),
    *dates("gaming_day"),
    *columns(Boolean, "voids"),
    *numbers("sequence", "replaces", "seq"),
    *columns(Integer, "shard"),  # with `seq` the entry that proposed it; once it is approved, that
    *moments("proposed_at"),
    *texts("approved_by", "rejected_by", "rejection_reason", null=True),
    *moments("approved_at", "rejected_at", null=True),
    *numbers("place", null=True),  # in the desk stream of the table, once it is approved
    CheckConstraint("approved_by <> proposed_by", name="change_approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="change_decided_once"),
    Index("pit_changes_of_event", "property", "table", "sequence"),
    Index("pit_changes_in_order", "property", "table", "place", unique=True),
)
"""Changes of pit events proposed at the desk, with the decision."""

pit_change_outcomes = Table(
    "pit_change_outcomes",
    metadata,
    *texts("property", key=True),
    *numbers("change", key=True),
    *texts("effect"),
)
"""Outcomes of approved changes of pit events.

They follow from other shards than the changes, and are in a separate table because a rebuild may read either first.
"""

touched = Table(
    "touched",
    metadata,
    *texts("property", "table", key=True),
    *dates("gaming_day", key=True),
    *columns(Integer, "shard", key=True),
    *numbers("seq"),
    *moments("recorded_at"),
    Index("touched_in_order", "shard", "seq"),
)
"""The last entry of each shard that may change the win of a table's gaming day."""

wins_stated = Table(
    "wins_stated",
    metadata,
    *texts("property", "table", key=True),
    *dates("gaming_day", key=True),
    *texts("shift", key=True),
    *numbers("revision"),
    *columns(_JSON, "figures", "missing", "counts", "boxes", "times"),
    *moments("stated_at"),
    Index("wins_stated_of_day", "property", "gaming_day"),
)
"""The last statement about the win of a table in a shift."""

rating_steps = Table(
    "rating_steps",
    metadata,
    *numbers("shard", "seq", key=True),
    *texts("property", "rating", "step"),
    *dates("gaming_day"),
    *moments("recorded_at"),
    *numbers("opening", null=True),  # the number that the desk gave a rating as it opened it
    *columns(_JSON, "said"),
    Index("rating_steps_of_rating", "property", "rating"),
    Index("rating_steps_of_day", "property", "gaming_day", "rating"),
    Index("rating_openings", "property", "opening", postgresql_where="opening IS NOT NULL"),
)
"""The steps of ratings, as recorded: a rating follows from all of them."""

ratings_stated = Table(
    "ratings_stated",
    metadata,
    *texts("property", "rating", key=True),
    *moments("opened_at", "closed_at", null=True),
    *moments("stated_at"),
    *columns(_JSON, "said"),
    Index("ratings_stated_in_order", "property", "closed_at"),
)
"""The last statement about each rating that was closed."""

upstream_gaps = Table(
    "upstream_gaps",
    metadata,
    *texts("source", key=True),
    *numbers("first", key=True),
    *columns(Boolean, "is_open", key=True),
    *numbers("last"),
    *texts("property", null=True),
)
"""Events missing at round settlement (`is_open`), and those of them that arrived late."""

upstream_quarantine = Table(
    "upstream_quarantine",
    metadata,
    *columns(Integer, "shard", key=True),
    *numbers("seq", key=True),
    *texts("property", "source", "reason", null=True),
    *numbers("sequence", null=True),
    *columns(Boolean, "is_closed", "is_mended"),
    Index("upstream_quarantine_open", "property", postgresql_where="NOT is_closed"),
)
"""Records refused by round settlement, by the position of the entry, and whether they are closed."""

days = Table(
    "days",
    metadata,
    *texts("property", key=True),
    *dates("gaming_day", key=True),
    *texts("status", "preliminary_by"),
    *moments("preliminary_at"),
    *columns(_JSON, "excused"),
    *texts("audited_by", "final_by", "hash", null=True),
    *moments("audited_at", "final_at", null=True),
    *columns(_JSON, "report", null=True),
    CheckConstraint("audited_by <> preliminary_by", name="audited_by_somebody_else"),
)
"""Gaming days that were closed, and how far."""

equipment = Table(
    "equipment",
    metadata,
    *_of_table("sequence"),
    *texts("check", "by"),
    *moments("at"),
    *dates("gaming_day"),
    *columns(_JSON, "data"),
    Index("equipment_in_order", "property", "table", "check", "at"),
)
"""Equipment events: cards, dice, card readers and stubs."""
