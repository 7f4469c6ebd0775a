"""The tables of the table-inventory ledger: its journal, what is under seal, and the read model.

Everything but the journal and `sealed_counts` follows from the journal alone. The figures of a count that is not
concluded are nowhere but in `sealed_counts`; the journal has their commitment.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import JSONB

from services.table_inventory.domain.slips import STEPS
from shared.journal.tables import journal_tables

SCHEMA = "table_inventory"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


def _key(name: str, kind: type[Any] = Text) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _column(name: str, kind: Any = Text) -> Column[Any]:
    return Column(name, kind, nullable=False)


def _moment(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=nullable)


def _of_table(number: str) -> tuple[Column[Any], ...]:
    """Return the key of what a table's pit stream says: `number` is the sequence of the event there."""
    return _key("property"), _key("table"), _key(number, BigInteger)


def _different_people() -> str:
    pairs = [(one, other) for n, one in enumerate(STEPS) for other in STEPS[n + 1 :]]
    return " AND ".join(f"coalesce({one} <> {other}, true)" for one, other in pairs)


_JSON = JSONB(none_as_null=True)

counts = Table(
    "counts",
    metadata,
    *_of_table("sequence"),
    _moment("at"),
    _column("gaming_day", Date),
    _column("shift"),
    _column("purpose"),
    Column("begins_day", Date),
    Column("begins_shift", Text),
    _column("cents", BigInteger),
    _column("contents", JSONB),
    _column("counted_by"),
    _column("observed_by"),
    Column("game", Text),
    _column("card_reader", Boolean),
    _column("dice", Boolean),
    CheckConstraint("purpose IN ('opener', 'closer', 'shift', 'drop', 'spot', 'carried')", name="purpose_is_known"),
    Index("counts_in_order", "property", "table", "at", "sequence"),
    Index("counts_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Table inventories as they were counted."""

movements = Table(
    "movements",
    metadata,
    _key("shard", Integer),
    _key("seq", BigInteger),
    _column("property"),
    _column("table"),
    _moment("at"),
    _column("gaming_day", Date),
    _column("movement"),
    _column("cause"),  # round, coupon, currency, prepaid_access, counter_check, change, fill, credit, waived
    _column("cents", BigInteger),  # into the inventory
    Column("contents", _JSON),  # signed counts by denomination, where known
    _column("rounds", SmallInteger),
    Column("ref", Text),
    Column("revision", Integer),
    CheckConstraint(
        "movement IN ('cash', 'counter_check', 'wager', 'change', 'transfer', 'vigorish')", name="movement_is_permitted"
    ),
    Index("movements_in_order", "property", "table", "at"),
    Index("movements_of_ref", "property", "table", "ref"),
    schema=SCHEMA,
)
"""What entered and left table inventories: § 465a.36(b) permits six movements, and there are no others."""

requests = Table(
    "requests",
    metadata,
    _key("property"),
    _key("request", Integer),
    _column("slip"),
    _column("table"),
    _column("gaming_day", Date),
    _column("shift"),
    _column("contents", JSONB),
    _column("requested_by"),
    _moment("requested_at"),
    schema=SCHEMA,
)
"""What the pit asked of the cage."""

slips = Table(
    "slips",
    metadata,
    _key("property"),
    _key("slip"),
    _key("number", Integer),
    Column("request", Integer),  # from here to `prepared_at`: missing only while a rebuild reads a later step first
    Column("table", Text),
    Column("gaming_day", Date),
    Column("shift", Text),
    Column("contents", _JSON),
    Column("cents", BigInteger),
    Column("requested_by", Text),
    _moment("requested_at", nullable=True),
    Column("prepared_by", Text),
    _moment("prepared_at", nullable=True),
    Column("surrendered_by", Text),
    Column("carried_by", Text),
    _moment("carried_at", nullable=True),
    Column("received_by", Text),
    _moment("received_at", nullable=True),
    Column("observed_by", Text),
    Column("received_contents", _JSON),
    Column("received_cents", BigInteger),
    Column("voided_by", Text),
    _moment("voided_at", nullable=True),
    Column("void_reason", Text),
    Column("returned", Boolean),
    UniqueConstraint("property", "request", name="one_slip_a_request"),
    CheckConstraint("slip IN ('fill', 'credit')", name="slip_is_known"),
    CheckConstraint(_different_people(), name="different_people"),
    CheckConstraint("received_at IS NULL OR voided_at IS NULL", name="received_or_void"),
    CheckConstraint("carried_at IS NULL OR voided_at IS NULL OR returned", name="void_after_it_was_carried"),
    Index("slips_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Fill and credit slips, numbered without a hole for each property and kind."""

manual_slips = Table(
    "manual_slips",
    metadata,
    _key("property"),
    _key("slip"),
    _key("number", Integer),
    Column("table", Text),
    _column("gaming_day", Date),
    Column("cents", BigInteger),
    _column("entered_by"),
    _moment("entered_at"),
    _column("void", Boolean),
    _column("reason"),
    Index("manual_slips_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Paper slips by the numbers that are printed on them."""

boxes = Table(
    "boxes",
    metadata,
    *_of_table("exchange"),
    _column("box"),
    _column("gaming_day", Date),
    _column("shift"),
    _moment("removed_at"),
    Index("boxes_of_day", "property", "gaming_day"),
    Index("boxes_in_order", "property", "table", "removed_at"),
    schema=SCHEMA,
)
"""Drop boxes as they came off the tables."""

transports = Table("transports", metadata, *_of_table("sequence"), _column("box"), _moment("at"), schema=SCHEMA)
"""Drop boxes as they came into the custody of the count room."""

drop_counts = Table(
    "drop_counts",
    metadata,
    _key("property"),
    _key("count", Integer),
    _column("gaming_day", Date),
    _column("opened_by"),
    _moment("opened_at"),
    Column("concluded_by", Text),
    _moment("concluded_at", nullable=True),
    Index("drop_counts_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Counts of drop boxes."""

counted_boxes = Table(
    "counted_boxes",
    metadata,
    *_of_table("exchange"),
    _column("count", Integer),
    _column("box"),
    _column("gaming_day", Date),
    _column("shift"),
    _column("figures", JSONB),
    _column("currency_cents", BigInteger),
    _column("counter_checks_cents", BigInteger),
    _column("coupons_cents", BigInteger),
    _column("turns", JSONB),
    Index("counted_boxes_of_day", "property", "gaming_day"),
    Index("counted_boxes_of_count", "property", "count"),
    schema=SCHEMA,
)
"""What was in drop boxes whose count is concluded."""

sealed_counts = Table(
    "sealed_counts",
    metadata,
    _key("property"),
    _key("count", Integer),
    _key("table"),
    _key("exchange", BigInteger),
    _key("turn", Integer),
    _column("counted_by"),
    _column("salt"),
    _column("figures", JSONB),
    UniqueConstraint("property", "count", "table", "exchange", "counted_by", name="nobody_counts_twice"),
    schema=SCHEMA,
)
"""What was counted and is not to be seen before the count is concluded. It does not follow from the journal."""

variance_cases = Table(
    "variance_cases",
    metadata,
    _key("property"),
    _key("table"),
    _key("variance"),
    _key("number", BigInteger),
    _column("owner"),
    _moment("owned_at"),
    Column("resolved_cents", BigInteger),
    _moment("resolved_at", nullable=True),
    Column("conclusion", Text),
    schema=SCHEMA,
)
"""Who explains a variance, and what was found."""

adjustments = Table(
    "adjustments",
    metadata,
    _key("property"),
    _key("gaming_day", Date),
    _key("adjustment", Integer),
    _column("table"),
    _column("shift"),
    _column("figure"),
    _column("cents", BigInteger),
    _column("reason"),
    _column("day_status"),
    _column("entered_by"),
    _moment("entered_at"),
    _column("status"),
    Column("approved_by", Text),
    _moment("approved_at", nullable=True),
    Column("rejected_by", Text),
    _moment("rejected_at", nullable=True),
    Column("rejection_reason", Text),
    CheckConstraint("approved_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="decided_once"),
    schema=SCHEMA,
)
"""Adjustments of gaming days, and what became of them."""

days = Table(
    "days",
    metadata,
    _key("property"),
    _key("gaming_day", Date),
    _column("status"),
    _column("preliminary_by"),
    _moment("preliminary_at"),
    _column("excused", JSONB),
    Column("audited_by", Text),
    _moment("audited_at", nullable=True),
    Column("final_by", Text),
    _moment("final_at", nullable=True),
    Column("hash", Text),
    Column("report", _JSON),
    CheckConstraint("audited_by <> preliminary_by", name="audited_by_somebody_else"),
    CheckConstraint("final_by <> audited_by", name="final_by_somebody_else"),
    schema=SCHEMA,
)
"""Gaming days that were closed, and how far."""

equipment = Table(
    "equipment",
    metadata,
    *_of_table("sequence"),
    _column("check"),  # cards, dice, card_reader, stub
    _moment("at"),
    _column("gaming_day", Date),
    _column("by"),
    _column("data", JSONB),
    Index("equipment_in_order", "property", "table", "check", "at"),
    schema=SCHEMA,
)
"""What was done about cards, dice, card readers and stubs."""

refusals = Table(
    "refusals",
    metadata,
    _key("shard", Integer),
    _key("seq", BigInteger),
    _column("property"),
    Column("gaming_day", Date),
    _moment("at"),
    _column("by"),
    _column("command"),
    _column("detail"),
    _column("asked", JSONB),
    Index("refusals_in_order", "property", "at"),
    schema=SCHEMA,
)
"""Commands that were refused."""
