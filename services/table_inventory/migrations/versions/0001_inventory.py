"""The journal, what is sealed, the answers given, and the projections."""

from alembic import op

from services.table_inventory import tables
from shared.journal.ddl import journal_grants, journal_rules

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates everything, and grants the service what it needs: what was counted and answered is never changed."""
    schema = tables.SCHEMA
    tables.metadata.create_all(op.get_bind(), checkfirst=False)
    for statement in journal_rules(schema):
        op.execute(statement)
    for statement in journal_grants(schema, schema):
        op.execute(statement)
    for table in tables.PROJECTIONS:
        op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.{table.name} TO {schema}")
    for table in (tables.sealed_counts, tables.idempotency):
        op.execute(f"GRANT SELECT, INSERT ON {schema}.{table.name} TO {schema}")
