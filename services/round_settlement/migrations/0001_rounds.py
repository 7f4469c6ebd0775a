"""Create the copies of the properties and the submissions, and where each round stands, and its corrections."""

from shared.journal.migration import grant, run_sql

revision = "round_settlement_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the statements of the SQL files, and grant the service what it needs."""
    run_sql(__file__, "0001_properties", "0001_submissions")
    grant("SELECT, INSERT", "properties", "submissions", "rounds", "corrections", "correction_outcomes")
    grant("UPDATE (withdrawal_received_at)", "submissions")
    grant("UPDATE", "rounds", "corrections")
