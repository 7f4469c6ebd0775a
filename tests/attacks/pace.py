"""How much faster a stack under attack looks at itself than one in production, so that a run takes minutes.

All that is stated as a time is divided by the same: a finding that takes a minute in production must take five seconds.
"""

import os
from typing import Final

FASTER: Final = 12

_WATCH_SECONDS: Final = 60 // FASTER
REDERIVATION_SECONDS: Final = 15
"""Once an hour in production."""

SETTINGS: Final = {
    "PITLEDGER_VERIFICATION_SECONDS": f"{_WATCH_SECONDS}",
    "PITLEDGER_CHECKPOINT_SECONDS": f"{_WATCH_SECONDS}",
    "PITLEDGER_COMPARISON_SECONDS": f"{_WATCH_SECONDS}",
    "PITLEDGER_REDERIVATION_SECONDS": f"{REDERIVATION_SECONDS}",
    "PITLEDGER_KAFKA_SESSION_SECONDS": "3",
}

LOOKED_SECONDS: Final = 10.0
"""Who looks adds this: figures are written every two seconds, scraped and judged every second."""


def looked_seconds() -> float:
    """Return what looking adds on this machine now: more where several processes want each processor."""
    return LOOKED_SECONDS * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


AT_ONCE: Final = ("at once", 0.0)
A_WATCH: Final = ("a minute", float(_WATCH_SECONDS))
A_PASS: Final = ("two minutes up to 6,000 entries", 2.0 * _WATCH_SECONDS)
A_LOOK_AT_TOPICS: Final = ("ten seconds", 10.0)
A_DERIVATION: Final = ("an hour", 2.0 * REDERIVATION_SECONDS)
A_COMPARISON: Final = ("two minutes up to 20,000 rows", 120.0)
"""Not divided: it compares so many rows a second, whatever pauses it makes."""
A_COMPARISON_ANEW: Final = ("four minutes up to 20,000 rows, all projected again", 240.0)
"""Where there is no bookmark yet, as in a stack that has just been started."""

Stated = tuple[str, float]
"""A time as the documents state it, and the seconds that it comes to here, without those of looking."""
