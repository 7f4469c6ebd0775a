"""The tables of the paytable registry: its journal, and the versions of what was filed, which follow from it."""

from sqlalchemy import Index, MetaData, Table

from shared.journal.columns import moments, texts
from shared.journal.tables import journal_tables
from shared.runtime.command.versions import version_columns

SCHEMA = "paytable_registry"

metadata = MetaData()

journal = journal_tables(metadata, SCHEMA)

submissions = Table(
    "submissions",
    metadata,
    *texts("property", "game", key=True),
    *version_columns(),
    *moments("effective_from"),
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

properties = Table(
    "properties",
    metadata,
    *texts("property", key=True),
    *version_columns(),
    *moments("effective_from"),
    Index(
        "one_beginning_one_version_of_property",
        "property",
        "effective_from",
        unique=True,
        postgresql_where="status = 'approved'",
    ),
    schema=SCHEMA,
)
