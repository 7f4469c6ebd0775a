"""The journal, the copy of the rules submissions, and where each round stands: the statements beside this file."""

from pathlib import Path

from shared.runtime.service.migrations import run_script

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates everything, and grants the service what it needs."""
    run_script(Path(__file__).with_suffix(".sql"))
