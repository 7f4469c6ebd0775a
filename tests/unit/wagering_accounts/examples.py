"""One entry of every kind of `accounts` that only the wagering accounts record, by kind."""

from datetime import datetime
from typing import Any

from tests.support.published import published

_NOW = "2026-11-20T17:00:00+00:00"
_PLACE = {"property": "riverside", "table": "BJ-01", "round_id": "r-1"}
_ACCOUNT = {"property": "riverside", "account": "GA-1", "by": "cage.ann"}
_PATRON = {"property": "riverside", "patron": "p-1", "by": "cage.ann"}
_IN = [{"account": "GA-1", "version": 2, "available_cents": 10000}]
_HELD = [{"account": "GA-1", "version": 3, "available_cents": -1000, "held_cents": 1000}]
_GRANTED = [{"account": "GA-1", "version": 2, "promotional_cents": 500}]
_GRANT = {**_ACCOUNT, "promotion": 2, "cents": 500, "reason": "welcome", "expires_on": "2026-12-01"}
_ADJUSTED = {**_ACCOUNT, "adjustment": 7, "cents": -300}
_FILING = {"property": "riverside", "filing": 1, "by": "title31.eve"}
_ERROR = {"code": "F18", "place": "Activity[1]/Party[6]/Address[9]/RawZIPCode", "is_warning": True}
_RESULT = {
    **_PLACE,
    "game": "blackjack",
    "gaming_day": "2026-11-20",
    "revision": 1,
    "round_version": 3,
    "holds": [{"account": "GA-1", "hold": 3, "status": "settled"}],
    "accounts": [{"account": "GA-1", "staked_cents": 1000, "credited_cents": 2500, "released_cents": 1000}],
    "movements": [{"account": "GA-1", "available_cents": 2500, "staked_cents": -1000}],
}
_TAKEN_BACK = {
    **_RESULT,
    "round_version": 4,
    "holds": [],
    "accounts": [
        {"account": "GA-1", "staked_cents": -1000, "credited_cents": -2500, "released_cents": 0, "shortage_cents": 500}
    ],
    "movements": [{"account": "GA-1", "available_cents": -1000}],
}


_DATA: dict[str, dict[str, Any]] = {
    "account.opened": {**_ACCOUNT, "table": "BJ-01", "patron": "p-1"},
    "account.bought_in": {**_ACCOUNT, "instrument": "cash", "cents": 10000, "movements": _IN},
    "account.cashed_out": {
        **_ACCOUNT,
        "instrument": "chips",
        "cents": 10000,
        "reference": "tray",
        "closed": True,
        "movements": [{"account": "GA-1", "available_cents": -10000}],
    },
    "wager.authorized": {
        **_ACCOUNT,
        **_PLACE,
        "hold": 3,
        "seat": 1,
        "wager": "blackjack",
        "cents": 1000,
        "round_version": 1,
        "movements": _HELD,
    },
    "wager.released": {
        **_ACCOUNT,
        **_PLACE,
        "hold": 3,
        "cents": 1000,
        "reason": "taken back",
        "round_version": 2,
        "movements": _IN,
    },
    "wagers.captured": {
        **_PLACE,
        "by": "table.bj01",
        "round_version": 2,
        "holds": [{"account": "GA-1", "hold": 3, "cents": 1000}],
        "movements": [{"account": "GA-1", "held_cents": -1000, "staked_cents": 1000}],
    },
    "wagers.settled": _RESULT,
    "wagers.reversed": _TAKEN_BACK,
    "wagers.voided": {name: value for name, value in _RESULT.items() if name != "revision"},
    "promotion.entered": _GRANT,
    "promotion.rejected": {**_GRANT, "entered_by": "host.mo"},
    "promotion.granted": {**_GRANT, "entered_by": "host.mo", "movements": _GRANTED},
    "promotion.expired": {
        **_ACCOUNT,
        "cents": 500,
        "reason": "expired by gaming day 2026-12-01",
        "movements": [{"account": "GA-1", "version": 2, "promotional_cents": -500}],
    },
    "promotion.moved": {
        **_ACCOUNT,
        "cents": 500,
        "reason": "for the table",
        "movements": [*_GRANTED, {"account": "W-1", "version": 4, "promotional_cents": -500}],
    },
    "promotion.written_off": {
        **_ACCOUNT,
        "cents": 500,
        "reason": "expired",
        "movements": [{"account": "GA-1", "version": 2, "promotional_cents": -500}],
    },
    "account.adjustment_entered": {**_ADJUSTED, "before_cents": 1000, "reason": "credited twice"},
    "account.adjustment_approved": {
        **_ADJUSTED,
        "before_cents": 1000,
        "after_cents": 700,
        "reason": "credited twice",
        "entered_by": "audit.kim",
        "movements": [{"account": "GA-1", "available_cents": -300}],
    },
    "account.adjustment_rejected": {**_ADJUSTED, "entered_by": "audit.kim", "reason": "wrong account"},
    "patron.registered": {**_PATRON, "wallet": "W-1"},
    "patron.code_changed": {**_PATRON, "reason": "forgotten"},
    "patron.excluded": {**_PATRON, "reason": "asked for it"},
    "patron.admitted": {**_PATRON, "reason": "the year is over"},
    "patron.limit_changed": {**_PATRON, "limit": "wager", "cents": None, "effective_from": _NOW},
    "patron.identified": {**_PATRON, "identity": "A" * 40},
    "patron.erasure_entered": {**_PATRON, "ground": "requested", "last_form_on": "2021-01-02"},
    "patron.erasure_rejected": {**_PATRON, "ground": "requested", "entered_by": "care.joy"},
    "patron.erased": {**_PATRON, "ground": "requested", "entered_by": "care.joy", "kept_until": "2026-01-02"},
    "patron.tax_residence_set": {**_PATRON, "country": "CA", "reason": "passport"},
    "filing.prepared": {
        **_FILING,
        "form": "ctr",
        "period": "2026-11-20",
        "file_by": "2026-12-05",
        "reports": [
            {"kind": "patron", "reference": "p-1", "report": 1, "in_dollars": 10_001, "out_dollars": 0},
            {
                "kind": "entry",
                "reference": "table-inventory/1/7",
                "report": 2,
                "in_dollars": 0,
                "out_dollars": 10_500,
                "amends": "31000000000001",
            },
        ],
        "content_sha256": "5" * 64,
        "content_bytes": 7000,
    },
    "filing.released": {
        **_FILING,
        "by": "title31.sam",
        "prepared_by": "title31.eve",
        "content_sha256": "5" * 64,
        "subject_sha256": "6" * 64,
    },
    "filing.filed": {**_FILING, "filed_at": _NOW, "tracking_id": "260000000001"},
    "filing.acknowledged": {
        **_FILING,
        "accepted": True,
        "errors": [],
        "reports": [
            {"report": 1, "accepted": True, "bsa_id": "31000000000002", "errors": [_ERROR]},
            {"report": 2, "accepted": False},
        ],
    },
    "filing.withdrawn": {**_FILING, "reason": "p-1 showed another document"},
    "access.failed": {**_PATRON, "failed": 3, "locked_until": _NOW},
    "patron.seen": {**_PATRON, "what": "statement", "at": _NOW},
}
ACCOUNTS = {
    kind: published(
        kind,
        data,
        service="wagering-accounts",
        sequence=1,
        at=datetime.fromisoformat(_NOW),
        subject="/properties/riverside/accounts/GA-1",
    )
    for kind, data in _DATA.items()
}
