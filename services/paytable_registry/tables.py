"""The tables of the paytable registry: its journal, and the versions of documents that are projected from it."""

from sqlalchemy import CheckConstraint, Column, Index, MetaData, Table
from sqlalchemy.dialects.postgresql import JSON

from shared.journal.columns import moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.commands.version_rows import version_columns

SCHEMA = "paytable_registry"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

submissions = Table(
    "submissions",
    metadata,
    *texts("property", "game", key=True),
    *version_columns(drafts=True),
    *moments("effective_from"),
    Column("overridden", JSON(none_as_null=True)),  # the findings that its approval overrode, and the reason
    *texts("withdrawal_requested_by", null=True),
    *moments("withdrawal_requested_at", null=True),
    *texts("withdrawal_reason", "withdrawn_by", null=True),
    *moments("withdrawn_at", null=True),
    CheckConstraint(
        """CASE WHEN status = 'withdrawn' THEN num_nulls(withdrawn_by, withdrawn_at, withdrawal_reason) = 0
            ELSE num_nonnulls(withdrawn_by, withdrawn_at) = 0 END""",
        name="withdrawn_says_why",
    ),
    CheckConstraint("withdrawn_by <> withdrawal_requested_by", name="withdrawn_by_somebody_else"),
    schema=SCHEMA,
)


def _documents(name: str, one_beginning: str) -> Table:
    """Declare the table of a kind of document; a property's approved versions have distinct `effective_from`."""
    return Table(
        name,
        metadata,
        *texts("property", key=True),
        *version_columns(),
        *moments("effective_from"),
        Index(one_beginning, "property", "effective_from", unique=True, postgresql_where="status = 'approved'"),
        schema=SCHEMA,
    )


properties = _documents("properties", "one_beginning_one_version_of_property")
ledger_mappings = _documents("ledger_mappings", "one_beginning_one_version_of_ledger_mapping")
