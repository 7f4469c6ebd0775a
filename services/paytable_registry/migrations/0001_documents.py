"""Create the versions of submissions, properties and general-ledger mappings."""

from shared.journal.migration import grant, run_sql

revision = "paytable_registry_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the SQL file, and grant the service the privileges it needs."""
    run_sql(__file__)
    grant("SELECT, INSERT", "submissions", "properties", "ledger_mappings")
    decided = "status, approved_by, approved_at, returned_by, returned_at, return_reason"
    grant(f"UPDATE ({decided})", "submissions", "properties", "ledger_mappings")
    withdrawn = "withdrawal_requested_by, withdrawal_requested_at, withdrawal_reason, withdrawn_by, withdrawn_at"
    grant(f"UPDATE (document, filed_by, effective_from, overridden, {withdrawn})", "submissions")
