"""Create the read model: facts, sums, exceptions, house edges, days."""

from shared.journal.migration import grant, run_sql

revision = "reporting_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the SQL files, and grant the service the privileges it needs."""
    run_sql(__file__, "0001_properties")
    grant("SELECT, INSERT", "house_edges", "exceptions", "filled_gaps", "closings", "properties", "documents")
    grant("SELECT, INSERT", "facts", "amounts", "rounds", "won_lines", "seat_wagers", "evidence_days")
    grant("SELECT, INSERT, UPDATE", "amount_days", "dealer_days", "wager_days", "play_days", "line_days")
    grant("SELECT, INSERT, UPDATE", "chip_hours", "pace_hours")
    grant("SELECT, INSERT, UPDATE", "day_moments", "positions", "deliveries", "read_until")
