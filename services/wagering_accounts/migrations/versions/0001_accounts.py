"""The journal, what stands in accounts, statements, and the answers given: the statements beside this file."""

from pathlib import Path

from shared.runtime.service.migrations import run_script

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates everything, and grants the service what it needs: what was answered and stated is not to be changed."""
    run_script(Path(__file__).with_suffix(".sql"))
