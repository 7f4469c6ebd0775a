"""Create the copies of properties and submissions, and the tables of pools and their movements."""

from shared.journal.migration import grant, run_sql

revision = "progressive_meters_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the SQL files, and grant the service the privileges it needs."""
    run_sql(__file__, "0001_properties", "0001_submissions")
    grant(
        "SELECT, INSERT",
        *("properties", "submissions"),
        *("pool_versions", "pools", "movements", "pool_days", "readings", "hits", "changes", "reconciliations"),
    )
    grant("UPDATE (withdrawal_received_at)", "submissions")
    grant("SELECT, INSERT, UPDATE, DELETE", "compared_pools", "compared_hours")
    grant("UPDATE", "pools", "pool_days", "readings")
    grant("UPDATE (standing)", "hits")
    grant("UPDATE (status, document, approved_by, rejection)", "changes")
    grant("UPDATE (status, approved_by, approved_at, returned_by, returned_at, return_reason)", "pool_versions")
