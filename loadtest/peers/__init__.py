"""Post the same rounds through alternatives to Pitledger, each on the same PostgreSQL."""

from pathlib import Path
from typing import Final

RESULTS: Final = Path("var/loadtest/peers.jsonl")
"""Where the figures are kept."""
