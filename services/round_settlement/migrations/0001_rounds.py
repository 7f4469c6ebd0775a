"""Create the copies of properties and submissions, and the tables of rounds and corrections."""

from shared.journal.migration import grant, run_sql

revision = "round_settlement_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the SQL files, and grant the service the privileges it needs."""
    run_sql(__file__, "0001_properties", "0001_submissions")
    grant("SELECT, INSERT", "properties", "submissions", "rounds", "corrections", "correction_outcomes", "result_voids")
    grant("UPDATE (withdrawal_received_at)", "submissions")
    grant("UPDATE", "rounds", "corrections")
