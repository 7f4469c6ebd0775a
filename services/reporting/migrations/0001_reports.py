"""Create the sums behind the reports, the exceptions, the house edges and the days."""

from shared.journal.migration import grant, run_sql

revision = "reporting_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the statements of the SQL files, and grant the service what it needs."""
    run_sql(__file__, "0001_days")
    grant("SELECT, INSERT", "house_edges", "filled_gaps", "closings")
    grant("SELECT, INSERT, UPDATE", "wager_days", "submission_days", "game_days", "exceptions", "days")
