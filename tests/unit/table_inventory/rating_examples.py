"""One message of every type of `rating.events` and `ratings`, by type."""

from typing import Any

from tests.support.pit import DAY, PROPERTY, at
from tests.support.published import published
from tests.support.ratings import RatedTable

_TABLE = RatedTable("BJ-01")
_EVENTS: dict[str, dict[str, Any]] = {
    "opened": {"patron": "P-7", "seat": 3, "average_bet_cents": 50_00, "buy_in_cents": 500_00, "chips_in_cents": 25_00},
    "moved": {"seat": 2},
    "paused": {},
    "resumed": {},
    "bet": {"average_bet_cents": 75_00},
    "bought_in": {"buy_in_cents": 200_00},
    "closed": {"chips_out_cents": 310_00},
    "amended": {"step": "BJ-01/5", "instead": {"average_bet_cents": 7_50}, "reason": "a zero too many"},
}
RATING_EVENTS = {f"rating.{kind}": _TABLE.event(kind, at(1), **data) for kind, data in _EVENTS.items()}
"""What a casino management system reports."""

_PLACE = {"property": PROPERTY, "rating": "R-1", "table": "BJ-01", "gaming_day": DAY}
_AMENDED = {"event": "rating.amended", "step": "BJ-01/8", "by": "floor.fay", "amends": "BJ-01/5", "reason": "a zero"}
_SPAN = {
    "table": "BJ-01",
    "game": "blackjack",
    "seat": 3,
    "tie": {"device_key": "BJ-01-reader", "since": at(1).isoformat()},
    "begins": at(1).isoformat(),
    "ends": at(2).isoformat(),
    "average_bet_cents": 50_00,
    "decisions": {"basis": "rounds", "number": "64", "rounds": 64},
    "edge": {
        "basis": "submission",
        "house_edge": "31/10000",
        "wager": "blackjack",
        "counted": "model",
        "version": 3,
        "submission": "5" * 64,
    },
    "theoretical_win_cents": "992",
}
_FACTS: dict[str, dict[str, Any]] = {
    "rating.recorded": {
        **_PLACE,
        **_AMENDED,
        "at": at(1).isoformat(),
        "values": {"average_bet_cents": 7_50},
        "device_key": "BJ-01-reader",
    },
    "rating.stated": {
        **_PLACE,
        "revision": 2,
        "patron": "P-7",
        "opened_at": at(1).isoformat(),
        "closed_at": at(2).isoformat(),
        "seconds": 3600,
        "buy_in_cents": 500_00,
        "chips_in_cents": 25_00,
        "chips_out_cents": 310_00,
        "average_bet_cents": 50_00,
        "theoretical_win_cents": 992,
        "spans": [_SPAN],
        "problems": ["outside"],
    },
}
RATINGS = RATING_EVENTS | {
    kind: published(kind, data, service="table-inventory", sequence=number, at=at(1))
    for number, (kind, data) in enumerate(_FACTS.items(), start=1)
}
"""All of them."""
