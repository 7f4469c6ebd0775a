"""The journal, what was assessed line by line, and what is owed."""

from alembic import op

from services.vigorish import tables
from shared.journal.ddl import journal_grants, journal_rules

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates everything, and grants the service what it needs."""
    schema = tables.SCHEMA
    tables.metadata.create_all(op.get_bind(), checkfirst=False)
    for statement in journal_rules(schema):
        op.execute(statement)
    for statement in journal_grants(schema, schema):
        op.execute(statement)
    op.execute(f"GRANT SELECT, INSERT ON {schema}.submissions, {schema}.shifts TO {schema}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON {schema}.owed TO {schema}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE (standing) ON {schema}.lines TO {schema}")
