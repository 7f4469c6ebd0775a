"""Times of the last verification of each manifest, stored unsigned for `archive list`; they are not evidence."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from services.cli.archive.store import Store

_PATH: Final = "verified.json"


def verified_at(store: Store) -> dict[int, str]:
    """Return the time of each manifest's last successful verification, by manifest number; empty if none recorded."""
    try:
        noted = json.loads(store.read(_PATH))
    except (FileNotFoundError, ValueError):
        return {}
    return {int(number): str(moment) for number, moment in noted.items()} if isinstance(noted, dict) else {}


def note_verified(store: Store, numbers: Sequence[int]) -> bool:
    """Record that manifests were verified now; return False if the store is not writable."""
    from obstore.exceptions import BaseError

    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M}Z"
    noted = {**verified_at(store), **dict.fromkeys(numbers, now)}
    try:
        store.objects.put(_PATH, json.dumps(noted, indent=1).encode() + b"\n", use_multipart=False)
    except (BaseError, OSError):
        return False
    return True
