"""One message of every type of `vigorish`, by type."""

from typing import Any

from tests.unit.vigorish.rounds import DAY, NOON, PROPERTY, TABLE

_NOW = NOON.isoformat()
_DIGEST = "5" * 64
_ROUND = {"property": PROPERTY, "table": TABLE, "game": "pai-gow", "gaming_day": DAY, "round_id": "r-1", "revision": 1}
_LINES = [
    {
        "seat": 3,
        "wager": "pai_gow_poker",
        "owed_by": "player",
        "stake_cents": 1200,
        "base_cents": 1200,
        "rate": "0.05",
        "rounding": "quarter_up",
        "cents": 75,
        "paragraph": "§ 645a.11(h)",
        "rate_paragraph": "§ 645a.13(a)",
        "agrees": True,
    }
]
_CORRECTION = {"reason": "typed wrong", "entered_by": "floor.lee", "approved_by": "audit.kim"}
_AT_TABLE = {
    "property": PROPERTY,
    "table": TABLE,
    "gaming_day": DAY,
    "shift": "day",
    "round_id": "r-1",
    "seat": 3,
    "dealer_id": "dealer.1",
    "cents": 75,
    "bank": False,
    "by": "dealer.1",
    "event": "PG-01-pit-7",
    "at": _NOW,
}

VIGORISH: dict[str, dict[str, Any]] = {
    kind: {
        "specversion": "1.0",
        "id": "1-1",
        "source": "/vigorish/shards/1",
        "type": kind,
        "subject": f"/properties/{PROPERTY}/tables/{TABLE}",
        "time": _NOW,
        "sequence": 1,
        "recordedat": _NOW,
        "entryhash": _DIGEST,
        "datacontenttype": "application/json",
        "data": data,
    }
    for kind, data in {
        "vigorish.assessed": {
            **_ROUND,
            "closed_at": _NOW,
            "dealer_id": "dealer.1",
            "submission": _DIGEST,
            "lines": _LINES,
        },
        "vigorish.taken_back": {
            **_ROUND,
            "entered_by": "floor.lee",
            "approved_by": "audit.kim",
            "reason": "misdeal",
            "lines": _LINES,
        },
        "vigorish.collection": _AT_TABLE,
        "vigorish.waiver": {**_AT_TABLE, "reason": "first hand"},
        "vigorish.return": {**_AT_TABLE, "reason": "taken twice"},
        "vigorish.voided": {
            **_AT_TABLE,
            "settled": "vigorish.waived",
            "sequence": 7,
            "correction": _CORRECTION,
        },
        "vigorish.noted": {
            "property": PROPERTY,
            "table": TABLE,
            "gaming_day": DAY,
            "event": "vigorish.waived",
            "sequence": 7,
            "correction": _CORRECTION,
        },
    }.items()
}
