"""Create the copies of properties and submissions, the sealed counts, and the read model."""

from shared.journal.migration import grant, run_sql

revision = "table_inventory_0001"
down_revision = None
branch_labels = None
depends_on = "journal_0001"


def upgrade() -> None:
    """Run the SQL files, and grant the service the privileges that it needs."""
    run_sql(__file__, "0001_properties", "0001_submissions")
    grant(
        "SELECT, INSERT",
        *("properties", "counts", "movements", "moved", "requests", "slips", "manual_slips", "boxes", "transports"),
        *(
            "drop_counts",
            "counted_boxes",
            "commitments",
            "sealed_counts",
            "variance_cases",
            "adjustments",
            "contests",
            "tip_hours",
            "tax_invoices",
            "days",
        ),
        *("equipment", "check_steps", "cage_movements", "alarm_cases", "winners", "investigations"),
        *("patron_checks", "credit_lines", "credit_line_requests", "check_write_offs"),
        *("write_offs", "touched", "wins_stated", "upstream_gaps", "upstream_quarantine"),
        *("cage_book", "cage_transfers", "cage_counts", "chips_in_service"),
        *("results", "submissions", "rating_steps", "ratings_stated"),
        *("counter_checks", "read_until", "pit_events", "brought_forward", "pit_changes", "pit_change_outcomes"),
    )
    grant("DELETE", "counts", "movements", "boxes", "transports", "equipment", "counter_checks")
    grant("UPDATE (withdrawal_received_at)", "submissions")
    # Row locks need UPDATE on some column: PostgreSQL refuses FOR SHARE without it. The service never changes these
    # rows.
    grant("UPDATE (property)", "counts", "boxes", "transports", "counter_checks")
    grant(
        "UPDATE",
        *(
            "moved",
            "read_until",
            "slips",
            "drop_counts",
            "variance_cases",
            "alarm_cases",
            "adjustments",
            "contests",
            "tip_hours",
            "tax_invoices",
            "days",
            "investigations",
            "requests",
        ),
        *("patron_checks", "credit_lines", "credit_line_requests", "check_write_offs"),
        *("write_offs", "touched", "wins_stated", "upstream_gaps", "upstream_quarantine"),
        *("pit_events", "brought_forward", "pit_changes", "pit_change_outcomes", "ratings_stated"),
        *("cage_book", "cage_transfers", "cage_counts", "chips_in_service"),
    )
