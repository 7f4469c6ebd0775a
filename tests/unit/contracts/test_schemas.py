"""The generated contracts: valid, in step with the models, and whole."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from services.cli import schemas as command
from services.cli.services import ServiceName
from shared.contracts import (
    account_events,
    inventory_events,
    meter_events,
    pit_events,
    settlement_events,
    submission_events,
    table_events,
    vigorish_events,
)
from shared.contracts.envelope import CONTENT_TYPE
from shared.contracts.schemas import CHANNELS, asyncapi, files, json_schemas, type_of
from tests.support.rounds import completed, corrected, record, submission, voided
from tests.unit.progressive_meters.examples import METERS
from tests.unit.reporting.entries import Shard, total
from tests.unit.table_inventory.examples import INVENTORY, PIT
from tests.unit.vigorish.examples import VIGORISH
from tests.unit.wagering_accounts.examples import ACCOUNTS

SCHEMAS = json_schemas()
SHARD = Shard()
FILED = submission()

EXAMPLES: dict[str, dict[str, Any]] = {
    "round.completed": completed("BJ-01", 1),
    "round.corrected": corrected("BJ-01", 2, "r-1", record()),
    "round.voided": voided("BJ-01", 3, "r-1"),
    "submission.approved": FILED,
    "submission.filed": FILED
    | {
        "type": "submission.filed",
        "data": {name: value for name, value in FILED["data"].items() if not name.startswith("approved")},
    },
    "submission.rejected": FILED
    | {
        "type": "submission.rejected",
        "data": {
            "property": "riverside",
            "game": "blackjack",
            "version": 1,
            "hash": "5" * 64,
            "rejected_by": "compliance.ann",
            "rejected_at": FILED["time"],
            "reason": "two decks only",
        },
    },
    "submission.approval_refused": FILED
    | {
        "type": "submission.approval_refused",
        "data": {
            "property": "riverside",
            "game": "blackjack",
            "version": 1,
            "hash": "5" * 64,
            "attempted_by": "games.ray",
            "attempted_at": FILED["time"],
            "reason": "filed by the same person",
        },
    },
    "request.refused": FILED
    | {
        "type": "request.refused",
        "recordedat": FILED["time"],
        "entryhash": "5" * 64,
        "data": {
            "command": "POST /submissions",
            "status": 403,
            "reason": "games.ray does not have the role 'submit'",
            "by": "games.ray",
            "at": FILED["time"],
            "key": "k-1",
            "content": "5" * 64,
        },
    },
    "settlement.posted": SHARD.posted(1, "BJ-01", [total(handle=100, payout=200)], revision=2),
    "settlement.reversed": SHARD.reversed(2, "BJ-01", [total(handle=100)], round_id="r-1"),
    "settlement.superseded": SHARD.superseded(3, "BJ-01", "r-1"),
    "settlement.voided": SHARD.voided(4, "BJ-01", "r-1"),
    "gap.opened": SHARD.gap(5, "BJ-01", 3, 4),
    "gap.filled": SHARD.filled(6, "BJ-01", 3),
    "record.quarantined": SHARD.quarantined(7, None, None, "not JSON"),
    "record.mended": SHARD.mended(8, "BJ-01", 3, 7),
    "quarantine.dismissed": SHARD.dismissed(9, 7),
    **PIT,
    **INVENTORY,
    **ACCOUNTS,
    **VIGORISH,
    **METERS,
}

_DECODERS = {
    pit_events.TOPIC: pit_events.decode,
    inventory_events.TOPIC: inventory_events.decode,
    vigorish_events.TOPIC: vigorish_events.decode,
    meter_events.TOPIC: meter_events.decode,
    account_events.TOPIC: account_events.decode,
    table_events.TOPIC: table_events.decode,
    submission_events.TOPIC: submission_events.decode,
    settlement_events.TOPIC: settlement_events.decode,
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_one(name: str) -> None:
    """Each is a valid JSON Schema of 2020-12 and says so."""
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert "https://json-schema.org/draft/2020-12/schema" == SCHEMAS[name]["$schema"]


def test_every_event_type_has_a_schema_and_an_example() -> None:
    """No message of a channel is left out."""
    types = {type_of(message) for channel in CHANNELS for message in channel.messages}
    assert types == EXAMPLES.keys()
    assert types | {"round-record", "rules-submission"} == SCHEMAS.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_event_is_valid_by_schema_and_by_model(name: str) -> None:
    """What the schema allows is what the service takes."""
    Draft202012Validator(SCHEMAS[name]).validate(EXAMPLES[name])
    topic = next(one.topic for one in CHANNELS if name in map(type_of, one.messages))
    decoded: Any = _DECODERS[topic](json.dumps(EXAMPLES[name]).encode())
    assert name == decoded.type


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("sequence",), 0),
        (("source",), "no slash"),
        (("data", "round", "seats", 0, "wagers", "blackjack"), -100),
        (("data", "round", "seats", 0, "dealt"), ["As", "XX"]),
        (("data", "round", "dealer"), {}),
        (("data", "tip"), 5),
    ],
    ids=str,
)
def test_a_wrong_round_is_invalid_by_its_schema(place: tuple[str | int, ...], value: Any) -> None:
    """A table system that validates before it sends finds its mistake there."""
    wrong: Any = json.loads(json.dumps(EXAMPLES["round.completed"]))
    *path, last = place
    inner = wrong
    for part in path:
        inner = inner[part]
    inner[last] = value
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMAS["round.completed"]).validate(wrong)


def test_the_documents_in_messages_have_schemas_of_their_own() -> None:
    """A round record and a rules submission can be validated outside of a message."""
    Draft202012Validator(SCHEMAS["round-record"]).validate(EXAMPLES["round.completed"]["data"]["round"])
    Draft202012Validator(SCHEMAS["rules-submission"]).validate(FILED["data"]["submission"])


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _resolve(document: Any, pointer: str) -> Any:
    for part in pointer.removeprefix("#/").split("/"):
        document = document[part.replace("~1", "/").replace("~0", "~")]
    return document


def test_every_reference_of_the_asyncapi_document_leads_somewhere() -> None:
    """Messages, channels and schema files that are referred to are there."""
    document, written = asyncapi(), files()
    references = set(_references(document))
    inside = {one for one in references if one.startswith("#/")}
    assert {one.removeprefix("./") for one in references - inside} <= written.keys()
    assert all(_resolve(document, one) for one in inside)


def test_every_channel_is_written_and_read() -> None:
    """Operations refer to channels; each topic has a sender and a receiver, each message its key and content type."""
    document = asyncapi()
    assert "3.0.0" == document["asyncapi"]
    done = {(one["action"], one["channel"]["$ref"]) for one in document["operations"].values()}
    assert {(action, f"#/channels/{name}") for action in ("send", "receive") for name in document["channels"]} == done
    assert {CONTENT_TYPE} == {message["contentType"] for message in document["components"]["messages"].values()}
    assert all(message["bindings"]["kafka"]["key"] for message in document["components"]["messages"].values())


def test_topics_are_described_as_they_are_made() -> None:
    """Address and cleanup policy of each channel are those of the topics file."""
    topics = yaml.safe_load((command.ROOT / "infra" / "topics.yaml").read_text())["topics"]
    assert {channel.topic: channel.cleanup_policy for channel in CHANNELS} == {
        name: topic["config"]["cleanup.policy"] for name, topic in topics.items()
    }


@pytest.mark.parametrize("service", ServiceName)
def test_every_reference_of_an_openapi_document_leads_somewhere(service: ServiceName) -> None:
    """The HTTP interface of each service is described, down to its last schema."""
    document = command.openapi(service)
    assert document["paths"]
    assert all(_resolve(document, one) for one in set(_references(document)))


def test_the_files_are_as_the_models_are() -> None:
    """schemas/ holds what would be written now, and nothing else."""
    assert [] == command.drift(command.DIRECTORY)


def test_drift_is_named_file_by_file(tmp_path: Path) -> None:
    """A file that is missing, changed or left over is named; writing anew puts all three right."""
    command.write(tmp_path)
    assert [] == command.drift(tmp_path)
    (tmp_path / "asyncapi.yaml").unlink()
    (tmp_path / "json" / "round.voided.json").write_text("{}")
    (tmp_path / "json" / "round.lost.json").write_text("{}")
    assert [
        "asyncapi.yaml: missing",
        "json/round.lost.json: nothing writes it any more",
        "json/round.voided.json: not as the models are",
    ] == command.drift(tmp_path)
    command.write(tmp_path)
    assert [] == command.drift(tmp_path)


def test_what_is_written_is_the_same_every_time() -> None:
    """Two runs give the same bytes."""
    assert command.documents() == command.documents()


def test_without_such_a_revision_compatibility_is_not_judged() -> None:
    """A revision that git does not know is no reason to call a change compatible or not."""
    assert None is command.broken("no-such-revision")


def test_incompatible_changes_since_a_revision_are_named(tmp_path: Path) -> None:
    """A field that consumers relied on, and an event type that is gone, are found in the history of the repository."""
    command.write(tmp_path / "schemas")
    older = json.loads(json.dumps(SCHEMAS["gap.filled"]))
    older["properties"]["severity"] = {"type": "string"}
    older["required"].append("severity")
    (tmp_path / "schemas" / "json" / "gap.filled.json").write_text(json.dumps(older))
    (tmp_path / "schemas" / "json" / "gap.lost.json").write_text("{}")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Before"]):
        subprocess.run([*git, *words], check=True)
    assert ["json/gap.filled.json: (document).severity: removed", "json/gap.lost.json: removed"] == command.broken(
        "HEAD", tmp_path
    )
