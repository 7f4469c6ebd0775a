"""The tables of the table-inventory ledger: its journal, what is sealed, the answers given, and the projections.

Everything in `PROJECTIONS` can be computed again from the journal. The figures of a count that is not concluded are
nowhere but in `sealed_counts`; the journal has their commitment.
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

from shared.journal.tables import journal_tables

SCHEMA = "table_inventory"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)


def _key(name: str, kind: type[Any] = Text) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _moment(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Text, nullable=nullable)


def _entry() -> tuple[Column[Any], Column[Any]]:
    """The entry that says what a row says."""
    return Column("shard", Integer, nullable=False), Column("seq", BigInteger, nullable=False)


_PEOPLE = ("requested_by", "prepared_by", "surrendered_by", "carried_by", "received_by", "observed_by")


def _different_people() -> str:
    pairs = [(one, other) for n, one in enumerate(_PEOPLE) for other in _PEOPLE[n + 1 :]]
    return " AND ".join(f"coalesce({one} <> {other}, true)" for one, other in pairs)


counts = Table(
    "counts",
    metadata,
    _key("property"),
    _key("table_name"),
    _key("sequence", BigInteger),  # of the event in the table's pit stream
    _moment("at"),
    Column("gaming_day", Date, nullable=False),
    _text("shift"),
    _text("purpose"),  # opener, closer, shift, drop, spot, carried
    Column("begins_day", Date),
    _text("begins_shift", nullable=True),
    Column("cents", BigInteger, nullable=False),
    Column("contents", JSONB, nullable=False),
    _text("counted_by"),
    _text("observed_by"),
    Column("game", Text),
    Column("card_reader", Boolean, nullable=False),
    Column("dice", Boolean, nullable=False),
    *_entry(),
    CheckConstraint("purpose IN ('opener', 'closer', 'shift', 'drop', 'spot', 'carried')", name="purpose_is_known"),
    Index("counts_in_order", "property", "table_name", "at", "sequence"),
    Index("counts_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Table inventories as they were counted."""

movements = Table(
    "movements",
    metadata,
    _key("shard", Integer),
    _key("seq", BigInteger),
    _key("line", SmallInteger),
    _text("property"),
    _text("table_name"),
    _moment("at"),
    Column("gaming_day", Date, nullable=False),
    _text("movement"),
    _text("cause"),  # round, coupon, currency, prepaid_access, counter_check, change, fill, credit, waived
    Column("cents", BigInteger, nullable=False),  # into the inventory
    Column("contents", JSONB(none_as_null=True)),  # signed counts by denomination, where known
    Column("rounds", SmallInteger, nullable=False),
    _text("ref", nullable=True),
    Column("revision", Integer),
    CheckConstraint(
        "movement IN ('cash', 'counter_check', 'wager', 'change', 'transfer', 'vigorish')", name="movement_is_permitted"
    ),
    Index("movements_in_order", "property", "table_name", "at"),
    Index("movements_of_ref", "property", "table_name", "ref"),
    schema=SCHEMA,
)
"""What entered and left table inventories: § 465a.36(b) permits six movements, and there are no others."""

requests = Table(
    "requests",
    metadata,
    _key("property"),
    _key("request", Integer),
    _text("slip"),
    _text("table_name"),
    Column("gaming_day", Date, nullable=False),
    _text("shift"),
    Column("contents", JSONB, nullable=False),
    Column("cents", BigInteger, nullable=False),
    _text("requested_by"),
    _moment("requested_at"),
    Column("number", Integer),  # of the slip that was prepared for it
    schema=SCHEMA,
)

slips = Table(
    "slips",
    metadata,
    _key("property"),
    _key("slip"),
    _key("number", Integer),
    Column("request", Integer, nullable=False),
    _text("table_name"),
    Column("gaming_day", Date, nullable=False),
    _text("shift"),
    Column("contents", JSONB, nullable=False),
    Column("cents", BigInteger, nullable=False),
    Column("received_contents", JSONB(none_as_null=True)),
    Column("received_cents", BigInteger),
    _text("requested_by"),
    _moment("requested_at"),
    _text("prepared_by"),
    _moment("prepared_at"),
    _text("surrendered_by", nullable=True),
    _text("carried_by", nullable=True),
    _moment("carried_at", nullable=True),
    _text("received_by", nullable=True),
    _moment("received_at", nullable=True),
    _text("observed_by", nullable=True),
    _text("voided_by", nullable=True),
    _moment("voided_at", nullable=True),
    _text("void_reason", nullable=True),
    UniqueConstraint("property", "request", name="one_slip_a_request"),
    CheckConstraint("slip IN ('fill', 'credit')", name="slip_is_known"),
    CheckConstraint(_different_people(), name="different_people"),
    CheckConstraint("received_at IS NULL OR voided_at IS NULL", name="received_or_void"),
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
    _text("table_name", nullable=True),
    Column("gaming_day", Date, nullable=False),
    Column("cents", BigInteger),
    _moment("occurred_at", nullable=True),
    _text("entered_by"),
    _moment("entered_at"),
    Column("void", Boolean, nullable=False),
    _text("reason"),
    Column("document", JSONB, nullable=False),
    Index("manual_slips_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Paper slips by the numbers that are printed on them."""

boxes = Table(
    "boxes",
    metadata,
    _key("property"),
    _key("table_name"),
    _key("exchange", BigInteger),  # the sequence of box.exchanged in the table's pit stream
    _text("box"),
    Column("gaming_day", Date, nullable=False),
    _text("shift"),
    _moment("removed_at"),
    _text("removed_by"),
    _text("witnessed_by"),
    _text("placed_box", nullable=True),
    Column("count", Integer),  # the concluded count that it was in
    Column("figures", JSONB(none_as_null=True)),
    Column("currency_cents", BigInteger),
    Column("counter_checks_cents", BigInteger),
    Column("coupons_cents", BigInteger),
    Index("boxes_of_day", "property", "gaming_day"),
    Index("boxes_in_order", "property", "table_name", "removed_at"),
    schema=SCHEMA,
)
"""Drop boxes as they came off the tables, and, once their count is concluded, what was in them."""

transports = Table(
    "transports",
    metadata,
    _key("property"),
    _key("table_name"),
    _key("sequence", BigInteger),
    _text("box"),
    _moment("at"),
    _text("carried_by"),
    _text("received_by"),
    schema=SCHEMA,
)

drop_counts = Table(
    "drop_counts",
    metadata,
    _key("property"),
    _key("count", Integer),
    Column("gaming_day", Date, nullable=False),
    _text("opened_by"),
    _moment("opened_at"),
    _text("concluded_by", nullable=True),
    _moment("concluded_at", nullable=True),
    Index("drop_counts_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)

sealed_counts = Table(
    "sealed_counts",
    metadata,
    _key("property"),
    _key("count", Integer),
    _key("table_name"),
    _key("exchange", BigInteger),
    _key("turn", Integer),
    _text("counted_by"),
    _text("salt"),
    Column("figures", JSONB, nullable=False),
    UniqueConstraint("property", "count", "table_name", "exchange", "counted_by", name="nobody_counts_twice"),
    schema=SCHEMA,
)
"""What was counted and is not to be seen before the count is concluded. Not a projection."""

variance_cases = Table(
    "variance_cases",
    metadata,
    _key("property"),
    _key("table_name"),
    _key("variance"),
    _key("number", BigInteger),
    _text("owner"),
    _moment("owned_at"),
    Column("resolved_cents", BigInteger),
    _moment("resolved_at", nullable=True),
    _text("conclusion", nullable=True),
    schema=SCHEMA,
)

adjustments = Table(
    "adjustments",
    metadata,
    _key("property"),
    _key("gaming_day", Date),
    _key("adjustment", Integer),
    _text("table_name"),
    _text("shift"),
    _text("figure"),
    Column("cents", BigInteger, nullable=False),
    _text("reason"),
    _text("stage"),
    _text("entered_by"),
    _moment("entered_at"),
    _text("approved_by", nullable=True),
    _moment("approved_at", nullable=True),
    _text("rejected_by", nullable=True),
    _moment("rejected_at", nullable=True),
    _text("rejection_reason", nullable=True),
    CheckConstraint("approved_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="decided_once"),
    schema=SCHEMA,
)

days = Table(
    "days",
    metadata,
    _key("property"),
    _key("gaming_day", Date),
    _text("preliminary_by"),
    _moment("preliminary_at"),
    Column("excused", JSONB, nullable=False),
    _text("audited_by", nullable=True),
    _moment("audited_at", nullable=True),
    _text("final_by", nullable=True),
    _moment("final_at", nullable=True),
    _text("hash", nullable=True),
    Column("report", JSONB(none_as_null=True)),
    CheckConstraint("audited_by <> preliminary_by", name="audited_by_somebody_else"),
    CheckConstraint("final_by <> audited_by", name="final_by_somebody_else"),
    schema=SCHEMA,
)
"""Gaming days that were closed, and how far."""

equipment = Table(
    "equipment",
    metadata,
    _key("property"),
    _key("table_name"),
    _key("sequence", BigInteger),
    _text("check"),  # cards, dice, card_reader, stub
    _moment("at"),
    Column("gaming_day", Date, nullable=False),
    _text("by"),
    Column("data", JSONB, nullable=False),
    Index("equipment_in_order", "property", "table_name", "check", "at"),
    schema=SCHEMA,
)

refusals = Table(
    "refusals",
    metadata,
    _key("shard", Integer),
    _key("seq", BigInteger),
    _text("property"),
    Column("gaming_day", Date),
    _moment("at"),
    _text("by"),
    _text("command"),
    _text("reason"),
    Index("refusals_in_order", "property", "at"),
    schema=SCHEMA,
)

PROJECTIONS = (
    counts, movements, requests, slips, manual_slips, boxes, transports, drop_counts, variance_cases, adjustments, days,
    equipment, refusals,
)  # fmt: skip
