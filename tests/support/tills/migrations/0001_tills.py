"""Create the tills and what waits for a second person."""

from shared.journal.migration import grant, run_sql

revision = "tills_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the statements of the SQL file, and grant the service what it needs."""
    run_sql(__file__)
    grant("SELECT, INSERT, UPDATE", "tills", "adjustments")
