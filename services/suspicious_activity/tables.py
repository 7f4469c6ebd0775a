"""The tables of suspicious activity reports: the journal, its read model, and the files outside the journal."""

from typing import Final

from sqlalchemy import Boolean, CheckConstraint, MetaData, Table

from shared.journal.columns import columns, counts, dates, moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.filing.tables import file_table, step_checks, step_columns
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
    *counts("files_again", null=True),
    *step_columns(),
    *texts("bsa_id", "destroyed_by", null=True),
    *moments("destroyed_at", null=True),
    *step_checks(),
    CheckConstraint("(bsa_id IS NULL) = (status <> 'accepted')", name="status_and_identifier_agree"),
    schema=SCHEMA,
)

sar_files = file_table("sar_files", "sar", metadata, SCHEMA)
"""The encrypted file of each report."""

properties = properties_table(metadata, SCHEMA)
"""The approved properties: their gaming days and their law."""
