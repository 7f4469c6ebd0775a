"""A rules submission to file, and the registry's schema to file it in."""

from datetime import datetime
from pathlib import Path
from typing import Any

import services.paytable_registry
from shared.runtime.service.migrations import upgrade


def blackjack(effective_from: datetime) -> dict[str, Any]:
    """The body of `POST /submissions`: Blackjack from six decks with one side bet, on two tables."""
    return {
        "property": "riverbend",
        "game": "blackjack",
        "regulation": "pa-633a-2024",
        "tables": ["BJ-01", "BJ-02"],
        "effective_from": effective_from.isoformat().replace("+00:00", "Z"),
        "submission": {"decks": 6, "options": {"even_money": True}, "wagers": {"match_the_dealer": {}}},
    }


def migrate(url: str) -> None:
    """Makes the registry's schema and role."""
    upgrade("paytable-registry", Path(services.paytable_registry.__file__).parent / "migrations", url)
