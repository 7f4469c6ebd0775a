"""One message of every kind, by kind: those of the tables, the registry, round settlement and every journal.

Those of the other topics stand with the tests of the services that publish them.
"""

from typing import Any

from tests.support.ledger_mappings import mapping_event
from tests.support.properties import property_event
from tests.support.published import published
from tests.support.rounds import (
    DAY,
    completed,
    corrected,
    correction_approved,
    record,
    result,
    submission,
    two_people,
    voided,
    voided_result,
)
from tests.unit.progressive_meters.examples import METERS
from tests.unit.suspicious_activity.examples import SUSPICIONS
from tests.unit.table_inventory.examples import CHANGES, INVENTORY, PIT
from tests.unit.table_inventory.rating_examples import RATINGS
from tests.unit.vigorish.examples import VIGORISH
from tests.unit.wagering_accounts.examples import ACCOUNTS

_NOW = DAY.isoformat()
_DIGEST = "5" * 64
_FILED = submission()
_PROPERTY = property_event()
_ROUND = {
    "property": "riverside",
    "table": "BJ-01",
    "game": "blackjack",
    "gaming_day": "2026-11-20",
    "round_id": "BJ-01-r1",
}
_TOTALS = [{"wager": "blackjack", "count": 1, "handle_cents": 100, "payout_cents": 200}]
_CREDITS = [{"account": "GA-1", "seat": 1, "wager": "blackjack", "staked_cents": 100, "credited_cents": 200}]
_LINE = {
    "seat": 1,
    "wager": "blackjack",
    "outcome": "win",
    "stake": 100,
    "payout": 100,
    "stake_returned": 100,
    "vigorish": 0,
    "from_meter": 0,
    "paid_by": "house",
    "paragraph": "§ 633a.13(a)",
}
_SUBMISSION = {"version": 1, "hash": _DIGEST}
_VERSION = {"property": "riverside", "game": "blackjack", "version": 1, "hash": _DIGEST}
_PLACE = {"topic": "table.events", "partition": 3, "offset": 17, "source": "/properties/p/tables/t", "sequence": 7}
_REQUEST = {"quarantine": 17, "request": 1}
_ASKED = _REQUEST | {"reason": "vendor test", "by": "jane.roe"}
_TOGETHER = {
    "dismissal": 1,
    "filter": {"until": 900, "topic": "table.events", "reason_contains": "not JSON", "property": "p", "before": _NOW},
    "records": 3,
    "digest": "0" * 64,
}
_CLOSED = _REQUEST | {"shard": 1, "seq": 7, "correction": two_people("vendor test")}

_PROPOSED = _ROUND | {
    "correction": 1,
    "replaces": 1,
    "round": record(),
    "reason": "misread card",
    "proposed_by": "floor.lee",
    "proposed_at": _NOW,
}


def _settled(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return published(kind, data, service="round-settlement", sequence=1, at=DAY)


EXAMPLES: dict[str, dict[str, Any]] = {
    "round.completed": completed("BJ-01", 1),
    "round.corrected": corrected("BJ-01", 2, "r-1", record()),
    "round.voided": voided("BJ-01", 3, "r-1"),
    "result.recorded": result("MB-01", 4, hands={"player": ["As", "4d"], "banker": ["9c", "Kd"]}, shoe="7"),
    "result.voided": voided_result("MB-01", 5, 4),
    "result.superseded": _settled("result.superseded", result("MB-01", 4)["data"] | {"sequence": 4, "voided_by": 5}),
    "result.uncounted": _settled(
        "result.uncounted",
        voided_result("MB-01", 5, 4)["data"]
        | {"game": "minibaccarat", "gaming_day": "2026-11-20", "counted": True, "closed_at": "2026-11-20T12:00:00Z"},
    ),
    "result.counted": _settled("result.counted", result("MB-01", 4, last_of_shoe=True)["data"]),
    "round.correction_approved": correction_approved("BJ-01", 1, "BJ-01-r1"),
    "correction.proposed": _settled("correction.proposed", _PROPOSED),
    "correction.approved": _settled(
        "correction.approved", _PROPOSED | {"approved_by": "audit.kim", "approved_at": _NOW, "sequence": 1}
    ),
    "correction.rejected": _settled(
        "correction.rejected",
        _ROUND | {"correction": 1, "reason": "read right", "rejected_by": "audit.kim", "rejected_at": _NOW},
    ),
    "property.approved": _PROPERTY,
    "property.filed": published(
        "property.filed",
        {name: value for name, value in _PROPERTY["data"].items() if not name.startswith("approved")},
        service="paytable-registry",
        sequence=1,
        at=DAY,
    ),
    "property.returned": published(
        "property.returned",
        {
            "property": "riverside",
            "version": 1,
            "hash": _DIGEST,
            "returned_by": "compliance.ann",
            "returned_at": _NOW,
            "reason": "BJ-07 stays open",
        },
        service="paytable-registry",
        sequence=1,
        at=DAY,
    ),
    "submission.approved": _FILED,
    "submission.filed": published(
        "submission.filed",
        {name: value for name, value in _FILED["data"].items() if not name.startswith("approved")},
        service="paytable-registry",
        sequence=1,
        at=DAY,
    ),
    "submission.returned": published(
        "submission.returned",
        _VERSION | {"returned_by": "compliance.ann", "returned_at": _NOW, "reason": "two decks only"},
        service="paytable-registry",
        sequence=2,
        at=DAY,
    ),
}

_WITHDRAWAL = {"requested_by": "games.ray", "requested_at": _NOW, "reason": "the hotel opens later"}
_WITHDRAWN = {"withdrawn_by": "compliance.ann", "withdrawn_at": _NOW}
_DRAFTED = ("filed_by", "filed_at", "approved_by", "approved_at")
EXAMPLES |= {
    kind: published(kind, data, service="paytable-registry", sequence=1, at=DAY)
    for kind, data in {
        "submission.drafted": {name: value for name, value in _FILED["data"].items() if name not in _DRAFTED}
        | {"drafted_by": "games.ray", "drafted_at": _NOW},
        "submission.withdrawn": _VERSION | _WITHDRAWN | {"reason": "filed twice"},
        "submission.withdrawal_requested": _VERSION | _WITHDRAWAL,
        "submission.withdrawal_approved": _VERSION | _WITHDRAWAL | _WITHDRAWN,
        "submission.withdrawal_returned": _VERSION
        | {"returned_by": "compliance.ann", "returned_at": _NOW, "reason": "it opens after all"},
    }.items()
}

_PROPERTY = property_event()["data"]
EXAMPLES |= {
    kind: published(kind, data, service="paytable-registry", sequence=1, at=DAY, shard=2)
    for kind, data in {
        "property.filed": {name: value for name, value in _PROPERTY.items() if not name.startswith("approved")},
        "property.approved": _PROPERTY,
        "property.returned": {name: _PROPERTY[name] for name in ("property", "version", "hash")}
        | {"returned_by": "compliance.ann", "returned_at": _NOW, "reason": "the pits are not as built"},
    }.items()
}

_MAPPING = mapping_event()["data"]
EXAMPLES |= {
    kind: published(kind, data, service="paytable-registry", sequence=1, at=DAY, shard=2)
    for kind, data in {
        "ledger_mapping.filed": {name: value for name, value in _MAPPING.items() if not name.startswith("approved")},
        "ledger_mapping.approved": _MAPPING,
        "ledger_mapping.returned": {name: _MAPPING[name] for name in ("property", "version", "hash")}
        | {"returned_by": "finance.joe", "returned_at": _NOW, "reason": "baccarat has its own cost center"},
    }.items()
}

_OF_SETTLEMENT: dict[str, dict[str, Any]] = {
    "settlement.posted": _ROUND
    | {
        "regulation": "pa-633a-2024",
        "opened_at": _NOW,
        "closed_at": _NOW,
        "dealer_id": "dealer.1",
        "submission": _SUBMISSION,
        "revision": 2,
        "correction": two_people(),
        "totals": _TOTALS,
        "lines": [_LINE],
        "meters": {"bonus": 500},
        "notices": [{"code": "hand_reset", "seat": 0, "paragraph": "§ 645a.7", "detail": "set by the house way"}],
        "account_funded": [{"seat": 1, "wager": "blackjack", "account": "GA-1", "cents": 100}],
        "account_credits": _CREDITS,
        "record": record(),
    },
    "settlement.reversed": _ROUND
    | {
        "revision": 1,
        "reverses": 1,
        "closed_at": _NOW,
        "dealer_id": "dealer.1",
        "submission": _SUBMISSION,
        "correction": two_people(),
        "lines": [_LINE],
        "totals": _TOTALS,
        "account_credits": _CREDITS,
    },
    "settlement.superseded": _ROUND | {"record": record(), "correction": two_people()},
    "settlement.voided": _ROUND | {"correction": two_people("misdeal")},
    "event.flagged": {
        "source": "/properties/p/tables/t",
        "sequence": 3,
        "limit": "age_days_max",
        "detail": "'opened_at' is more than 35 days before its receipt",
    },
    "gap.opened": {"source": "/properties/p/tables/t", "first": 3, "last": 4},
    "gap.filled": {"source": "/properties/p/tables/t", "sequence": 3},
    "record.quarantined": _PLACE | {"reason": "not JSON", "sha256": "0" * 64},
    "record.mended": {
        "source": "/properties/p/tables/t",
        "sequence": 7,
        "quarantine": [17],
        "entries": [{"shard": 1, "seq": 7}],
        "by": "jane.roe",
        "reason": "card reader fault",
    },
    "quarantine.replay_asked": _ASKED | {"mended": {"id": "r-1", "note": None}},
    "quarantine.dismissal_asked": _ASKED,
    "quarantine.request_rejected": _ASKED,
    "quarantine.replay_approved": _CLOSED,
    "quarantine.dismissed": _CLOSED | _PLACE,
    "dismissal.requested": _TOGETHER | {"reason": "vendor test", "by": "jane.roe"},
    "dismissal.rejected": {"dismissal": 1, "reason": "vendor test", "by": "jane.roe"},
    "quarantine.dismissed_together": _TOGETHER
    | {"closed": [{"shard": 1, "first": 7, "last": 9}], "correction": two_people("vendor test")},
    "command.refused": {
        "command": "void-slip",
        "reason": "already-decided",
        "detail": "slip 7 was voided before",
        "by": "cage.ann",
        "at": _NOW,
        "property": "riverside",
        "gaming_day": "2026-11-20",
        "key": "k-1",
        "asked": {"number": 7},
        "content": _DIGEST,
    },
}
EXAMPLES |= {kind: _settled(kind, data) for kind, data in _OF_SETTLEMENT.items()}
EXAMPLES |= PIT | CHANGES | RATINGS | INVENTORY | ACCOUNTS | SUSPICIONS | VIGORISH | METERS
"""One message of every kind, by kind."""
