"""Create the catalog of the archive's tables, and the archiver's index of journals and manifests."""

from shared.journal.migration import grant, run_sql

revision = "archive_0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the SQL file, and grant the archiver's role insert only on manifests and sealed days."""
    run_sql(__file__)
    grant("SELECT, INSERT", "manifests", "sealed")
    grant("SELECT, INSERT, UPDATE", "scanned", "days")
    grant("SELECT, INSERT, UPDATE, DELETE", "iceberg_tables", "iceberg_namespace_properties", "unfinished")
