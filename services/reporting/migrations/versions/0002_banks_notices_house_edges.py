"""Banked rounds in the sums, notices among the exceptions, handle by submission: the statements beside this file."""

from pathlib import Path

from shared.runtime.service.migrations import run_script

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds to what is there; the sums of earlier days are completed by computing the reports again."""
    run_script(Path(__file__).with_suffix(".sql"))
