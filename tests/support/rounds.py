"""Table events for tests: rounds of Blackjack whose settlement is known, and the submission they are played under."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from shared.contracts.envelope import Contract
from shared.contracts.submissions import RulesSubmission, submission_hash
from tests.support.published import published

PROPERTY = "riverside"
DAY = datetime(2026, 11, 20, 10, tzinfo=UTC)
NEXT_DAY: dict[str, Any] = {
    "gaming_day": "2026-11-21",
    "opened_at": "2026-11-21T10:00:00Z",
    "closed_at": "2026-11-21T10:01:00Z",
}
"""When a round was played on the gaming day after."""
TABLES = tuple(f"BJ-{number:02}" for number in range(1, 9))

WINNING = {"dealt": ["Ts", "9d"], "dealer": ["Td", "8s"]}
LOSING = {"dealt": ["Ts", "7d"], "dealer": ["Td", "8s"]}
BLACKJACK = {"dealt": ["As", "Kd"], "dealer": ["9d", "8s"]}


def source(table: str) -> str:
    """The stream of a table."""
    return f"/properties/{PROPERTY}/tables/{table}"


def record(play: Mapping[str, list[str]] = WINNING, *, cents: int = 10000) -> dict[str, Any]:
    """A round with one seat."""
    seat = {
        "seat": 1,
        "player": "p1",
        "wagers": {"blackjack": cents},
        "dealt": play["dealt"],
        "hands": [{"cards": play["dealt"]}],
    }
    return {"seats": [seat], "dealer": {"cards": play["dealer"]}}


def event(kind: str, table: str, sequence: int, round_id: str, **data: Any) -> dict[str, Any]:
    """An event of a table, its fields replaced or added to by `data`."""
    moment = (DAY + timedelta(minutes=sequence)).isoformat()
    return {
        "specversion": "1.0",
        "id": f"{table}-{sequence}",
        "source": source(table),
        "type": kind,
        "time": moment,
        "sequence": sequence,
        "data": {
            "property": PROPERTY,
            "table": table,
            "game": "blackjack",
            "gaming_day": "2026-11-20",
            "round_id": round_id,
        }
        | data,
    }


def completed(
    table: str, sequence: int, round_id: str | None = None, play: Mapping[str, Any] | None = None, **data: Any
) -> dict[str, Any]:
    """A round that was played to its end."""
    moment = (DAY + timedelta(minutes=sequence)).isoformat()
    played = {"opened_at": moment, "closed_at": moment, "regulation": "pa-633a-2024", "round": play or record()}
    return event("round.completed", table, sequence, round_id or f"{table}-r{sequence}", **(played | data))


def two_people(reason: str = "misread card") -> dict[str, str]:
    """A reason, and the two people who stand for it."""
    return {"reason": reason, "entered_by": "floor.lee", "approved_by": "audit.kim"}


def corrected(table: str, sequence: int, round_id: str, play: Mapping[str, Any], **data: Any) -> dict[str, Any]:
    """Another record of a round."""
    later = completed(table, sequence, round_id, play, correction=two_people(), **data)
    return later | {"type": "round.corrected"}


def voided(table: str, sequence: int, round_id: str, **data: Any) -> dict[str, Any]:
    """A round that does not count."""
    return event("round.voided", table, sequence, round_id, **({"correction": two_people("misdeal")} | data))


def result(table: str, sequence: int, **data: Any) -> dict[str, Any]:
    """The result of a game at a counted table."""
    moment = (DAY + timedelta(minutes=sequence)).isoformat()
    said = event("result.recorded", table, sequence, "", opened_at=moment, closed_at=moment, outcome="banker")
    said["data"].pop("round_id")
    return said | {"data": said["data"] | {"game": "minibaccarat"} | data}


def voided_result(table: str, sequence: int, voids: int, **data: Any) -> dict[str, Any]:
    """The result at an earlier place of the stream does not count."""
    said = event("result.voided", table, sequence, "")
    named = {"property": PROPERTY, "table": table, "voids": voids, "correction": two_people("wrong shoe")}
    return said | {"data": named | data}


def correction_approved(table: str, sequence: int, round_id: str, correction: int = 1, **data: Any) -> dict[str, Any]:
    """What round settlement itself says of a correction that was approved at the desk."""
    approved = event("round.correction_approved", table, sequence, round_id, correction=correction, **data)
    return approved | {"source": f"{source(table)}/desk", "id": f"correction-{correction}"}


def submission(sequence: int = 1, **changes: Any) -> dict[str, Any]:
    """The approved submission under which these rounds are played, in effect since the day before."""
    before = (DAY - timedelta(days=1)).isoformat()
    data: dict[str, Any] = {
        "property": PROPERTY,
        "game": "blackjack",
        "regulation": "pa-633a-2024",
        "tables": list(TABLES),
        "effective_from": before,
        "submission": {"decks": 6},
        "version": 1,
        "filed_by": "games.ray",
        "filed_at": before,
        "approved_by": "compliance.ann",
        "approved_at": before,
    } | changes
    data["hash"] = submission_hash(RulesSubmission.model_validate(_only(data, RulesSubmission)), data["version"])
    return published(
        "submission.approved", data, service="paytable-registry", sequence=sequence, at=DAY - timedelta(days=1)
    )


def withdrawn(sequence: int, approved: Mapping[str, Any]) -> dict[str, Any]:
    """That an approved submission was withdrawn before it took effect."""
    data = {name: approved["data"][name] for name in ("property", "game", "version", "hash")} | {
        "requested_by": "games.ray",
        "requested_at": DAY.isoformat(),
        "reason": "filed twice",
        "withdrawn_by": "compliance.ann",
        "withdrawn_at": DAY.isoformat(),
    }
    kind = "submission.withdrawal_approved"
    return published(kind, data, service="paytable-registry", sequence=sequence, at=DAY - timedelta(hours=20))


def _only(data: Mapping[str, Any], contract: type[Contract]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name in contract.model_fields}


def encoded(document: Mapping[str, Any]) -> bytes:
    """The bytes of an event."""
    return json.dumps(document).encode()
