"""The journal of the table-inventory ledger, its copies of what others approve, and how far it has read."""

from sqlalchemy import BigInteger, Column, Index, MetaData, Table
from sqlalchemy.dialects.postgresql import JSONB

from shared.journal.columns import columns, dates, moments, texts
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

JSON = JSONB(none_as_null=True)


def of_table(number: str) -> tuple[Column[object], ...]:
    """Return the key of an event of a table's pit stream: `number` is its sequence there."""
    return (*texts("property", "table", key=True), *numbers(number, key=True))


def slip_key() -> tuple[Column[object], ...]:
    """Return the key of a slip: the property, the kind of slip, and its number."""
    return (*texts("property", "slip", key=True), *numbers("number", key=True))


read_until = Table(
    "read_until",
    metadata,
    *texts("topic", key=True),
    *numbers("partition", key=True),
    *moments("until", null=True),
    signature_column(),
)
"""Up to when each partition of each topic has been read, signed; null: no process has noted it yet."""
