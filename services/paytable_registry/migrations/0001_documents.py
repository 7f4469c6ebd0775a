"""Create the versions of submissions and properties."""

from shared.journal.migration import grant, run_sql

revision = "paytable_registry_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the statements of the SQL file, and grant the service what it needs."""
    run_sql(__file__)
    grant("SELECT, INSERT", "submissions", "properties")
    grant(
        "UPDATE (status, approved_by, approved_at, rejected_by, rejected_at, rejection_reason)",
        "submissions",
        "properties",
    )
