"""The database tables of the table-inventory ledger's journal, copies of approved documents, and read progress."""

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
"""The approved rules submissions, from which the exact house edge of ratings is computed."""

pit_events = pit_events_table(
    metadata,
    "table_inventory",
    *dates("gaming_day", null=True),
    *columns(BigInteger, "voided_shard", "voided_seq", null=True),
    Index("pit_events_of_day", "source", "gaming_day", "sequence"),
)
"""The events of the pit streams, with the entry in force of each event.

A voided event keeps its row, with its gaming day and the entry that voided its last version.
"""

JSON = JSONB(none_as_null=True)


def of_table(number: str) -> tuple[Column[object], ...]:
    """Return the key columns of a pit event: property, table, and `number`, its sequence in the table's pit stream."""
    return (*texts("property", "table", key=True), *numbers(number, key=True))


def slip_key() -> tuple[Column[object], ...]:
    """Return the key columns of a slip: property, kind of slip, and number."""
    return (*texts("property", "slip", key=True), *numbers("number", key=True))


read_until = Table(
    "read_until",
    metadata,
    *texts("topic", key=True),
    *numbers("partition", key=True),
    *moments("until", null=True),
    signature_column(),
)
"""The moment up to which each partition of each topic has been read, with a signature.

The moment is null if no process has recorded its progress on the partition yet.
"""
