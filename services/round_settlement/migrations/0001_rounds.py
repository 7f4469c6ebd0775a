"""Create the copy of the submissions, and where each round stands."""

from shared.journal.migration import grant, run_sql

revision = "round_settlement_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the statements of the SQL files, and grant the service what it needs."""
    run_sql(__file__, "0001_submissions")
    grant("SELECT, INSERT", "submissions", "rounds")
    grant("UPDATE", "rounds")
