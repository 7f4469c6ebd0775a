"""Create the journal: its tables, and the constraints that the database enforces."""

from shared.journal.migration import grant, run_sql

revision = "journal_0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the SQL file; grant the service only the rights to read, append, and advance a shard."""
    run_sql(__file__)
    grant("SELECT", "postings")
    grant(
        "SELECT, INSERT",
        "entries",
        "accounts",
        "idempotency",
        "inputs",
        "quarantine",
        "taken",
    )
    grant(
        "SELECT, INSERT, UPDATE",
        *("shards", "sources", "relay", "quarantine_requests", "quarantine_dismissals", "verified", "copies"),
    )
    grant("SELECT, INSERT, DELETE", "checkpoints")
    grant("SELECT, INSERT, UPDATE, DELETE", "gaps")
    grant("UPDATE (resolved_at)", "quarantine")
