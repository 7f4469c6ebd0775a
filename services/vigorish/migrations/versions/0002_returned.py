"""What was given back, beside what was assessed, collected and waived: the statements beside this file."""

from pathlib import Path

from shared.runtime.service.migrations import run_script

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; nothing was given back before it was there."""
    run_script(Path(__file__).with_suffix(".sql"))
