"""The journal, the pools and what moved them, and the answers already given."""

from alembic import op

from services.progressive_meters import tables
from shared.journal.ddl import journal_grants, journal_rules

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates everything, and grants the service what it needs: movements and answers are not to be changed."""
    schema = tables.SCHEMA
    tables.metadata.create_all(op.get_bind(), checkfirst=False)
    for statement in journal_rules(schema):
        op.execute(statement)
    for statement in journal_grants(schema, schema):
        op.execute(statement)
    for table in ("submissions", "movements", "reconciliations", "idempotency"):
        op.execute(f"GRANT SELECT, INSERT ON {schema}.{table} TO {schema}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON {schema}.pools, {schema}.readings TO {schema}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE (standing) ON {schema}.hits TO {schema}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE (status, document, approved_by) ON {schema}.changes TO {schema}")
    decision = "status, approved_by, approved_at, rejected_by, rejected_at, rejection_reason"
    op.execute(f"GRANT SELECT, INSERT, UPDATE ({decision}) ON {schema}.pool_versions TO {schema}")
