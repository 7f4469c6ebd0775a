"""Create the patrons, accounts, rounds, holds, statements, filings, and the copy of the properties."""

from shared.journal.migration import grant, run_sql

revision = "wagering_accounts_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the SQL files, and grant the service the privileges it needs."""
    run_sql(__file__, "0001_properties")
    grant("SELECT, INSERT", "lines", "properties")
    grant("SELECT, INSERT, UPDATE", "patrons", "patron_codes", "balances", "rounds", "holds")
    grant("SELECT, INSERT, UPDATE", "patron_identities", "patron_erasures", "patron_keys")
    grant("SELECT, INSERT, UPDATE", "filings", "filing_reports", "filing_files")
    grant("DELETE", "patron_keys", "patron_codes", "filing_files")  # what an erasure destroys, and nothing else
    grant("SELECT, INSERT, UPDATE", "round_accounts", "adjustments", "promotions")
