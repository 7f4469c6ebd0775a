"""Create the tables of reports and their files, and the copy of the properties."""

from shared.journal.migration import grant, run_sql

revision = "suspicious_activity_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the SQL files, and grant the service the privileges it needs."""
    run_sql(__file__, "0001_properties")
    grant("SELECT, INSERT", "properties")
    grant("SELECT, INSERT, UPDATE", "sars", "sar_files")
    grant("DELETE", "sar_files")  # files of withdrawn reports, or whose retention has ended
