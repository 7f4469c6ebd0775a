"""The tables of the paytable registry: its journal, and the versions of the submissions, which follow from it."""

from sqlalchemy import Column, DateTime, Index, MetaData, Table, Text

from shared.journal.tables import journal_tables
from shared.runtime.command.versions import version_columns

SCHEMA = "paytable_registry"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

submissions = Table(
    "submissions",
    metadata,
    Column("property", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    *version_columns(),
    Column("effective_from", DateTime(timezone=True), nullable=False),
    Index(
        "one_beginning_one_version",
        "property",
        "game",
        "effective_from",
        unique=True,
        postgresql_where="status = 'approved'",
    ),
    schema=SCHEMA,
)
