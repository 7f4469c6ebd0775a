"""Post the same rounds through alternatives to Pitledger, all with the same PostgreSQL version and settings."""

from pathlib import Path
from typing import Final

RESULTS: Final = Path("var/loadtest/peers.jsonl")
"""The file in which results are stored, as JSON lines."""
