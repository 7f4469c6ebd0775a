"""The journal, patrons, accounts, rounds, holds, adjustments, statements, the liability, and the answers given."""

from alembic import op

from services.wagering_accounts import tables
from shared.journal.ddl import journal_grants, journal_rules

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates everything, and grants the service what it needs: what was answered and stated is not to be changed."""
    schema = tables.SCHEMA
    tables.metadata.create_all(op.get_bind(), checkfirst=False)
    for statement in journal_rules(schema):
        op.execute(statement)
    for statement in journal_grants(schema, schema):
        op.execute(statement)
    for table in ("idempotency", "lines"):
        op.execute(f"GRANT SELECT, INSERT ON {schema}.{table} TO {schema}")
    for table in ("patrons", "balances", "rounds", "holds", "round_accounts", "adjustments", "liability_days"):
        op.execute(f"GRANT SELECT, INSERT, UPDATE ON {schema}.{table} TO {schema}")
