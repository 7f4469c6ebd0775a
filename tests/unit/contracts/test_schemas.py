"""The generated contracts: valid, in step with the models, and whole."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.cli.codegen import contracts as command
from services.cli.codegen.generate import ROOT, drift, write
from services.cli.services import NAMES, load_all
from shared.contracts.envelope import CONTENT_TYPE
from shared.contracts.facts import KINDS
from shared.rules import REGULATIONS, CaseFile, Refused, game_of, parse_round
from tests.golden.test_golden import CASES
from tests.support.json_schema import published, validator
from tests.support.nightly import sampled
from tests.support.openapi import document_of
from tests.unit.contracts.examples import EXAMPLES

NAMED = sorted({kind.name for kind in KINDS} | {"round-record", "rules-submission"})


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    """What would be written now, by path from the root."""
    return command.texts(load_all())


@pytest.fixture(scope="module")
def channels(documents: dict[str, str]) -> Any:
    """The AsyncAPI document."""
    return yaml.safe_load(documents["schemas/asyncapi.yaml"])


@pytest.mark.parametrize("name", NAMED)
def test_every_schema_is_one(name: str) -> None:
    """Each is a valid JSON Schema of 2020-12 and says so."""
    validator({}).check_schema(published()[name])
    assert "https://json-schema.org/draft/2020-12/schema" == published()[name]["$schema"]


def test_every_kind_has_a_schema() -> None:
    """No message of a channel is left out."""
    assert set(NAMED) == published().keys()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_event_is_valid_by_its_schema(name: str) -> None:
    """What the service takes, its schema allows."""
    validator(published()[name]).validate(EXAMPLES[name])


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
    assert not validator(published()["round.completed"]).is_valid(wrong)


def test_the_documents_in_messages_have_schemas_of_their_own() -> None:
    """A round record and a rules submission can be validated outside of a message."""
    validator(published()["round-record"]).validate(EXAMPLES["round.completed"]["data"]["round"])
    validator(published()["rules-submission"]).validate(EXAMPLES["submission.approved"]["data"]["submission"])


@sampled(3)
@pytest.mark.parametrize("regulation", REGULATIONS)
def test_golden_records_are_valid_by_the_published_schemas(regulation: str) -> None:
    """Whatever settlement can read, of any game, an independent validator allows: alone, and in a message of a table.

    In a message it is also allowed under no other game's regulation: the union is told apart as settlement does.
    """
    record, message = (validator(published()[name]) for name in ("round-record", "round.completed"))
    [elsewhere, *_] = (other for other in REGULATIONS if game_of(other) is not game_of(regulation))
    cases = [case for case in CASES if case.regulation == regulation and _can_be_read(case)]
    assert cases
    for case in cases:
        played = json.loads(json.dumps(case.round))
        record.validate(played)
        example: Any = EXAMPLES["round.completed"]
        data = example["data"] | {"regulation": regulation, "round": played}
        message.validate(example | {"data": data})
        assert not message.is_valid(example | {"data": data | {"regulation": elsewhere}}), case.id


def _can_be_read(case: CaseFile) -> bool:
    try:
        parse_round(case.regulation, case.round)
    except Refused:
        return False
    return True


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


def test_every_reference_of_the_asyncapi_document_leads_somewhere(channels: Any, documents: dict[str, str]) -> None:
    """Messages, channels and schema files that are referred to are there."""
    references = set(_references(channels))
    inside = {one for one in references if one.startswith("#/")}
    assert {f"schemas/{one.removeprefix('./')}" for one in references - inside} <= documents.keys()
    assert all(_resolve(channels, one) for one in inside)


def test_every_channel_is_written_and_read(channels: Any) -> None:
    """Operations refer to channels; each topic has a sender and a receiver, each message its key and content type."""
    assert "3.0.0" == channels["asyncapi"]
    done = {(one["action"], one["channel"]["$ref"]) for one in channels["operations"].values()}
    assert {(action, f"#/channels/{name}") for action in ("send", "receive") for name in channels["channels"]} == done
    assert {CONTENT_TYPE} == {message["contentType"] for message in channels["components"]["messages"].values()}
    assert all(message["bindings"]["kafka"]["key"] for message in channels["components"]["messages"].values())


@pytest.mark.parametrize("service", NAMES)
def test_every_reference_of_an_openapi_document_leads_somewhere(service: str) -> None:
    """The HTTP interface of each service is described, down to its last schema."""
    document = document_of(service)
    assert document["paths"]
    assert all(_resolve(document, one) for one in set(_references(document)))


def test_drift_is_named_file_by_file(tmp_path: Path, documents: dict[str, str]) -> None:
    """A file that is missing, changed or left over is named; writing it all again puts all three right."""
    write(documents, tmp_path)
    assert [] == drift(documents, tmp_path)
    schemas = tmp_path / "schemas"
    (schemas / "asyncapi.yaml").unlink()
    (schemas / "json" / "round.voided.json").write_text("{}")
    (schemas / "json" / "round.lost.json").write_text("{}")
    assert [
        "schemas/asyncapi.yaml: missing",
        "schemas/json/round.lost.json: nothing writes it any more",
        "schemas/json/round.voided.json: not as the code says",
    ] == drift(documents, tmp_path)
    write(documents, tmp_path)
    assert [] == drift(documents, tmp_path)


def test_without_such_a_revision_compatibility_is_not_judged() -> None:
    """A revision that git does not know is no reason to call a change compatible or not."""
    assert None is command.broken({}, "no-such-revision", ROOT)


def test_incompatible_changes_since_a_revision_are_named(tmp_path: Path, documents: dict[str, str]) -> None:
    """A field that consumers relied on, and an event type that is gone, are found in the history of the repository."""
    write(documents, tmp_path)
    older = json.loads(json.dumps(published()["gap.filled"]))
    older["properties"]["severity"] = {"type": "string"}
    older["required"].append("severity")
    (tmp_path / "schemas" / "json" / "gap.filled.json").write_text(json.dumps(older))
    (tmp_path / "schemas" / "json" / "gap.lost.json").write_text("{}")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Before"]):
        subprocess.run([*git, *words], check=True)
    assert [
        "schemas/json/gap.filled.json: (document).severity: removed",
        "schemas/json/gap.lost.json: removed",
    ] == command.broken(documents, "HEAD", tmp_path)
