"""Create the copy of the submissions, the sums behind the reports, and the exceptions."""

from shared.journal.migration import grant, run_sql

revision = "reporting_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the statements of the SQL file, and grant the service what it needs."""
    run_sql(__file__)
    grant("SELECT, INSERT", "submissions")
    grant(
        "SELECT, INSERT, UPDATE, DELETE",
        *("wager_days", "submission_days", "house_edges", "game_days", "exceptions", "fills", "closings"),
    )
