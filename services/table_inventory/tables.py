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


def _key(**kinds: Any) -> list[Column[Any]]:
    return [Column(name, kind, primary_key=True, autoincrement=False) for name, kind in kinds.items()]


def _of_table(number: str) -> list[Column[Any]]:
    """Return the key of what a table's pit stream says: `number` is the sequence of the event there."""
    return _key(property=Text, table=Text, **{number: BigInteger})


def _always(kind: Any, *names: str) -> list[Column[Any]]:
    return [Column(name, kind, nullable=False) for name in names]


def _later(kind: Any, *names: str) -> list[Column[Any]]:
    """Return columns that have no value, or none yet."""
    return [Column(name, kind) for name in names]


def _different_people() -> str:
    pairs = [(one, other) for n, one in enumerate(STEPS) for other in STEPS[n + 1 :]]
    return " AND ".join(f"coalesce({one} <> {other}, true)" for one, other in pairs)


_MOMENT = DateTime(timezone=True)
_JSON = JSONB(none_as_null=True)

counts = Table(
    "counts",
    metadata,
    *_of_table("sequence"),
    *_always(_MOMENT, "at"),
    *_always(Date, "gaming_day"),
    *_always(Text, "shift", "purpose", "counted_by", "observed_by"),
    *_always(BigInteger, "cents"),
    *_always(_JSON, "contents"),
    *_always(Boolean, "card_reader", "dice"),
    *_later(Date, "begins_day"),
    *_later(Text, "begins_shift", "game"),
    CheckConstraint("purpose IN ('opener', 'closer', 'shift', 'drop', 'spot', 'carried')", name="purpose_is_known"),
    Index("counts_in_order", "property", "table", "at", "sequence"),
    Index("counts_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Table inventories as they were counted."""

movements = Table(
    "movements",
    metadata,
    *_key(shard=Integer, seq=BigInteger),
    *_always(Text, "property", "table", "movement", "cause"),
    *_always(_MOMENT, "at"),
    *_always(Date, "gaming_day"),
    *_always(BigInteger, "cents"),  # into the inventory
    *_always(SmallInteger, "rounds"),
    *_later(_JSON, "contents"),  # signed counts by denomination, where known
    *_later(Text, "ref"),
    *_later(Integer, "revision"),
    CheckConstraint(
        "movement IN ('cash', 'counter_check', 'wager', 'change', 'transfer', 'vigorish')", name="movement_is_permitted"
    ),
    Index("movements_in_order", "property", "table", "at"),
    Index("movements_of_ref", "property", "table", "ref"),
    schema=SCHEMA,
)
"""What entered and left table inventories: § 465a.36(b) permits six movements, and there are no others.

A cause is round, coupon, currency, prepaid_access, counter_check, change, fill, credit or waived.
"""

requests = Table(
    "requests",
    metadata,
    *_key(property=Text, request=Integer),
    *_always(Text, "slip", "table", "shift", "requested_by"),
    *_always(Date, "gaming_day"),
    *_always(_JSON, "contents"),
    *_always(_MOMENT, "requested_at"),
    schema=SCHEMA,
)
"""What the pit asked of the cage."""

slips = Table(
    "slips",
    metadata,
    *_key(property=Text, slip=Text, number=Integer),
    *_later(Integer, "request"),
    *_later(Text, "table", "shift"),
    *_later(Date, "gaming_day"),
    *_later(_JSON, "contents", "received_contents", "returned"),
    *_later(BigInteger, "cents", "received_cents"),
    *_later(Text, *STEPS, "voided_by", "void_reason"),
    *_later(_MOMENT, "requested_at", "prepared_at", "carried_at", "received_at", "voided_at"),
    UniqueConstraint("property", "request", name="one_slip_a_request"),
    CheckConstraint("slip IN ('fill', 'credit')", name="slip_is_known"),
    CheckConstraint(_different_people(), name="different_people"),
    CheckConstraint("received_at IS NULL OR voided_at IS NULL", name="received_or_void"),
    CheckConstraint("carried_at IS NULL OR voided_at IS NULL OR returned <> '[]'", name="void_after_it_was_carried"),
    Index("slips_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Fill and credit slips, numbered without a hole for each property and kind.

What the cage prepared is missing only while a rebuild has read a step at the table first.
"""

manual_slips = Table(
    "manual_slips",
    metadata,
    *_key(property=Text, slip=Text, number=Integer),
    *_always(Date, "gaming_day"),
    *_always(Text, "entered_by", "reason"),
    *_always(_MOMENT, "entered_at"),
    *_always(Boolean, "void"),
    *_later(Text, "table"),
    *_later(BigInteger, "cents"),
    Index("manual_slips_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Paper slips by the numbers that are printed on them."""

boxes = Table(
    "boxes",
    metadata,
    *_of_table("exchange"),
    *_always(Text, "box", "shift"),
    *_always(Date, "gaming_day"),
    *_always(_MOMENT, "removed_at"),
    Index("boxes_of_day", "property", "gaming_day"),
    Index("boxes_in_order", "property", "table", "removed_at"),
    schema=SCHEMA,
)
"""Drop boxes as they came off the tables."""

transports = Table(
    "transports", metadata, *_of_table("sequence"), *_always(Text, "box"), *_always(_MOMENT, "at"), schema=SCHEMA
)
"""Drop boxes as they came into the custody of the count room."""

drop_counts = Table(
    "drop_counts",
    metadata,
    *_key(property=Text, count=Integer),
    *_always(Date, "gaming_day"),
    *_always(Text, "opened_by"),
    *_always(_MOMENT, "opened_at"),
    *_later(Text, "concluded_by"),
    *_later(_MOMENT, "concluded_at"),
    Index("drop_counts_of_day", "property", "gaming_day"),
    schema=SCHEMA,
)
"""Counts of drop boxes."""

counted_boxes = Table(
    "counted_boxes",
    metadata,
    *_of_table("exchange"),
    *_always(Integer, "count"),
    *_always(Text, "box", "shift"),
    *_always(Date, "gaming_day"),
    *_always(_JSON, "figures", "turns"),
    *_always(BigInteger, "currency_cents", "counter_checks_cents", "coupons_cents"),
    Index("counted_boxes_of_day", "property", "gaming_day"),
    Index("counted_boxes_of_count", "property", "count"),
    schema=SCHEMA,
)
"""What was in drop boxes whose count is concluded."""

sealed_counts = Table(
    "sealed_counts",
    metadata,
    *_key(property=Text, count=Integer, table=Text, exchange=BigInteger, turn=Integer),
    *_always(Text, "counted_by", "salt"),
    *_always(_JSON, "figures"),
    UniqueConstraint("property", "count", "table", "exchange", "counted_by", name="nobody_counts_twice"),
    schema=SCHEMA,
)
"""What was counted and is not to be seen before the count is concluded. It does not follow from the journal."""

variance_cases = Table(
    "variance_cases",
    metadata,
    *_key(property=Text, table=Text, variance=Text, number=BigInteger),
    *_always(Text, "owner"),
    *_always(_MOMENT, "owned_at"),
    *_later(BigInteger, "resolved_cents"),
    *_later(_MOMENT, "resolved_at"),
    *_later(Text, "conclusion"),
    schema=SCHEMA,
)
"""Who explains a variance, and what was found."""

adjustments = Table(
    "adjustments",
    metadata,
    *_key(property=Text, gaming_day=Date, adjustment=Integer),
    *_always(Text, "table", "shift", "figure", "reason", "day_status", "entered_by", "status"),
    *_always(BigInteger, "cents"),
    *_always(_MOMENT, "entered_at"),
    *_later(Text, "approved_by", "rejected_by", "rejection_reason"),
    *_later(_MOMENT, "approved_at", "rejected_at"),
    CheckConstraint("approved_by <> entered_by", name="approved_by_somebody_else"),
    CheckConstraint("approved_by IS NULL OR rejected_by IS NULL", name="decided_once"),
    schema=SCHEMA,
)
"""Adjustments of gaming days, and what became of them."""

days = Table(
    "days",
    metadata,
    *_key(property=Text, gaming_day=Date),
    *_always(Text, "status", "preliminary_by"),
    *_always(_MOMENT, "preliminary_at"),
    *_always(_JSON, "excused"),
    *_later(Text, "audited_by", "final_by", "hash"),
    *_later(_MOMENT, "audited_at", "final_at"),
    *_later(_JSON, "report"),
    CheckConstraint("audited_by <> preliminary_by", name="audited_by_somebody_else"),
    CheckConstraint("final_by <> audited_by", name="final_by_somebody_else"),
    schema=SCHEMA,
)
"""Gaming days that were closed, and how far."""

equipment = Table(
    "equipment",
    metadata,
    *_of_table("sequence"),
    *_always(Text, "check", "by"),
    *_always(_MOMENT, "at"),
    *_always(Date, "gaming_day"),
    *_always(_JSON, "data"),
    Index("equipment_in_order", "property", "table", "check", "at"),
    schema=SCHEMA,
)
"""What was done about cards, dice, card readers and stubs."""

refusals = Table(
    "refusals",
    metadata,
    *_key(shard=Integer, seq=BigInteger),
    *_always(Text, "property", "by", "command", "detail"),
    *_always(_MOMENT, "at"),
    *_always(_JSON, "asked"),
    *_later(Date, "gaming_day"),
    Index("refusals_in_order", "property", "at"),
    schema=SCHEMA,
)
"""Commands that were refused."""
