"""The tables of suspicious activity reports: the journal, and its read model. The files lie beside the journal."""

from typing import Final

from sqlalchemy import Boolean, CheckConstraint, Column, LargeBinary, MetaData, Table
from sqlalchemy.dialects.postgresql import JSONB

from shared.journal.columns import columns, counts, dates, moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.ingest.property_copies import properties_table

SCHEMA: Final = "suspicious_activity"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

sars = Table(
    "sars",
    metadata,
    *texts("property", key=True),
    *counts("sar", key=True),
    *texts("subject", null=True),
    *columns(Boolean, "is_subject_known"),
    *dates("detected_on", "file_by", "first_day", "last_day"),
    *counts("dollars"),
    *texts("amends", "continues", null=True),
    *texts("status"),
    *texts("content_sha256"),
    *counts("content_bytes"),
    *texts("prepared_by"),
    *moments("prepared_at"),
    *texts("released_by", null=True),
    *moments("released_at", null=True),
    *texts("filed_by", null=True),
    *moments("filed_at", null=True),
    *texts("tracking_id", "acknowledged_by", null=True),
    *moments("acknowledged_at", null=True),
    *texts("bsa_id", null=True),
    Column("errors", JSONB, nullable=False),
    *texts("withdrawn_by", null=True),
    *moments("withdrawn_at", null=True),
    *texts("withdraw_reason", "destroyed_by", null=True),
    *moments("destroyed_at", null=True),
    CheckConstraint("status IN ('prepared', 'released', 'filed', 'accepted', 'rejected', 'withdrawn')", name="status"),
    CheckConstraint("released_by <> prepared_by", name="released_by_somebody_else"),
    CheckConstraint("status = 'withdrawn' OR (status = 'prepared') = (released_by IS NULL)", name="released_first"),
    CheckConstraint("(filed_by IS NULL) = (status IN ('prepared', 'released', 'withdrawn'))", name="filed_after"),
    CheckConstraint("(withdrawn_by IS NULL) = (status <> 'withdrawn')", name="status_and_withdrawal_agree"),
    CheckConstraint("(bsa_id IS NULL) = (status <> 'accepted')", name="status_and_identifier_agree"),
    schema=SCHEMA,
)

sar_files = Table(
    "sar_files",
    metadata,
    *texts("property", key=True),
    *counts("sar", key=True),
    *texts("wrapped_by"),
    *columns(LargeBinary, "wrapped"),
    *texts("sealed"),
    schema=SCHEMA,
)
"""The file of each report, encrypted with a key of its own, wrapped by the key `wrapped_by`."""

properties = properties_table(metadata, SCHEMA)
"""The approved properties: their gaming days and their law."""
