"""One message of every type of `meters`, by type."""

from typing import Any

from tests.unit.progressive_meters.settlements import BAD_BEAT, DAY, NOON, PROPERTY

_NOW = NOON.isoformat()
_DIGEST = "5" * 64
_POOL = {"property": PROPERTY, "pool": "major"}
_MOVEMENT = {
    "pool": "major",
    "number": 2,
    "in_count": 1,
    "in_cents": 100,
    "contribution_cents": "20.5",
    "award_cents": 500020,
    "hits": 1,
    "reset_cents": "500000",
    "display_cents": "500000.5",
    "reserve_cents": "0",
    "overflowed_cents": "0",
    "shown_cents": 500000,
}
_FILED = {
    **_POOL,
    "feeds": [{"table": "BJ-01", "game": "blackjack", "meter": BAD_BEAT}],
    "effective_from": _NOW,
    "gaming_day": DAY,
    "base_cents": 500000,
    "reset_cents": 500000,
    "limit_cents": 5000000,
    "unreasonable_contribution_cents": 100000,
    "reason": "opening of the pit",
    "version": 1,
    "hash": _DIGEST,
    "filed_by": "ann",
    "filed_at": _NOW,
}
_SEEDED = {
    "pool": "major",
    "number": 1,
    "seed_cents": "500000",
    "display_cents": "500000",
    "reserve_cents": "0",
    "overflowed_cents": "0",
    "shown_cents": 500000,
}
_ROUND = {"property": PROPERTY, "table": "BJ-01", "game": "blackjack", "gaming_day": DAY, "round_id": "r-1"}
_REJECTED = {"rejected_by": "bob", "rejected_at": _NOW, "reason": "not as agreed"}
_RETURNED = {"returned_by": "bob", "returned_at": _NOW, "reason": "not as agreed"}
_REQUESTED = {
    **_POOL,
    "kind": "transfer",
    "cents": 100,
    "to": "minor",
    "gaming_day": DAY,
    "reason": "as agreed",
    "change": 1,
    "requested_by": "ann",
    "requested_at": _NOW,
}
_DAY = {
    "pool": "major",
    **dict.fromkeys((f"{name}_cents" for name in ("opening", "seed", "contribution", "reset", "transfer")), "0"),
    **dict.fromkeys((f"{name}_cents" for name in ("released", "difference", "reserved", "reserve_used")), "0"),
    **dict.fromkeys((f"reserve_{when}_cents" for when in ("opening", "closing")), "0"),
    **dict.fromkeys((f"overflow{when}_cents" for when in ("", "_opening", "_closing")), "0"),
    "closing_cents": "500000.5",
    "shown_cents": 500000,
    **dict.fromkeys(("award_cents", "in_count", "in_cents", "hits", "readings", "readings_different"), 0),
    "liability_cents": 500000,
}

METERS: dict[str, dict[str, Any]] = {
    kind: {
        "specversion": "1.0",
        "id": "1-1",
        "source": "/progressive-meters/shards/1",
        "type": kind,
        "subject": f"/properties/{PROPERTY}/pools/major",
        "time": _NOW,
        "sequence": 1,
        "recordedat": _NOW,
        "entryhash": _DIGEST,
        "datacontenttype": "application/json",
        "data": data,
    }
    for kind, data in {
        "pool.filed": _FILED,
        "pool.approved": {**_FILED, "approved_by": "bob", "approved_at": _NOW, "movement": _SEEDED},
        "pool.returned": {**_POOL, "version": 1, "hash": _DIGEST, **_RETURNED},
        "meter.counted": {
            **_ROUND,
            "revision": 1,
            "opened_at": _NOW,
            "closed_at": _NOW,
            "at": _NOW,
            "submission": _DIGEST,
            "meters": [
                {
                    "meter": BAD_BEAT,
                    "rate": "0.205",
                    "settled_cents": 20,
                    "reading": {"before_cents": 500000, "after_cents": 500000},
                    "hits": [{"seat": 1, "wager": BAD_BEAT, "category": "any_20", "cents": 500020}],
                    "findings": ["reset"],
                    "movement": _MOVEMENT,
                }
            ],
        },
        "meter.taken_back": {
            **_ROUND,
            "revision": 1,
            "at": _NOW,
            "entered_by": "floor.lee",
            "approved_by": "audit.kim",
            "reason": "misdeal",
            "movements": [{**_MOVEMENT, "number": 3, "contribution_cents": "-20.5"}],
        },
        "meter.change_requested": _REQUESTED,
        "meter.change_approved": {
            **_REQUESTED,
            "approved_by": "bob",
            "approved_at": _NOW,
            "display_before_cents": "500000",
            "movements": [{**_SEEDED, "transfer_cents": "-100"}],
        },
        "meter.change_rejected": {**_POOL, "change": 1, **_REJECTED},
        "meter.day_reconciled": {
            "property": PROPERTY,
            "gaming_day": DAY,
            "balanced": True,
            "exceptions": 0,
            "input_open": 0,
            "liability_cents": 500000,
            "pools": [_DAY],
            "rows_sha256": _DIGEST,
            "reason": "end of day",
            "reconciled_by": "kim",
            "reconciled_at": _NOW,
        },
    }.items()
}
