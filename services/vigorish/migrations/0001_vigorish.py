"""Create the copies of the properties and the submissions, what is owed, what was assessed, the days and the shifts."""

from shared.journal.migration import grant, run_sql

revision = "vigorish_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the statements of the SQL files, and grant the service what it needs."""
    run_sql(__file__, "0001_days", "0001_properties", "0001_submissions")
    grant("SELECT, INSERT", "properties", "submissions", "days", "day_changes", "shifts", "owed", "lines")
    grant("UPDATE", "owed", "days", "day_changes")
    grant("UPDATE (standing)", "lines")
