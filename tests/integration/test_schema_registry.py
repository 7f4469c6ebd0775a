"""`pitledger schemas publish` on a registry with Confluent's interface, read back by Confluent's own client."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from referencing import Registry as Known
from referencing import Resource

from services.cli.exits import CheckFailed
from services.cli.operations.schema_registry import Change, Registry, Subject, subjects
from shared.contracts.facts import KINDS
from shared.contracts.topics import TOPICS
from shared.local.ports import LOOPBACK, free_port
from tests.support.json_schema import validator
from tests.support.nightly import AT_NIGHT
from tests.support.rounds import completed
from tests.support.schema_registry import schema_registry
from tests.unit.cli.calling import Caller


@pytest.fixture(scope="module")
def registry(kafka_packages: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a registry of the module's own."""
    with schema_registry(tmp_path_factory.mktemp("registry")) as url:
        yield url


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger`."""
    return Caller(capsys, monkeypatch)


@pytest.fixture
def client(registry: str) -> Iterator[SchemaRegistryClient]:
    """Confluent's client of the registry."""
    with SchemaRegistryClient({"url": registry}) as opened:
        yield opened


def takes(client: SchemaRegistryClient, subject: str, document: object) -> bool:
    """Whether a consumer takes it by a subject: its schema, with those that it refers to looked up in the registry."""
    known: Known[Any] = Known()
    schema = client.get_latest_version(subject).schema
    for reference in schema.references or ():
        assert reference.subject is not None
        assert reference.version is not None
        text = str(client.get_version(reference.subject, reference.version).schema.schema_str)
        known = known.with_resource(str(reference.name), Resource.from_contents(json.loads(text)))
    return validator(json.loads(str(schema.schema_str)), known).is_valid(document)


@AT_NIGHT
def test_what_is_published_is_there_and_changes_nothing_the_second_time(
    registry: str, client: SchemaRegistryClient, pitledger: Caller
) -> None:
    """A dry run only says so; then every subject is there, with references and compatibility; then no change."""
    words = ("schemas", "publish", "--registry", registry, "--json", "--prefix", "first.")

    every, before = len(subjects("")), set(client.get_subjects())
    said = pitledger(*words, "--dry-run")
    assert (0, every, before) == (said.code, len(said.documents), set(client.get_subjects())), said.stderr
    assert {"registered"} == {one["schema"] for one in said.documents}

    said = pitledger(*words)
    assert (0, every) == (said.code, len(said.documents)), said.stderr
    wanted = {*(f"{topic.name}-value" for topic in TOPICS), *(f"first.{kind.name}" for kind in KINDS)}
    assert wanted | {"first.round-record", "first.rules-submission"} == set(client.get_subjects()) - before
    assert {1} == {one["version"] for one in said.documents}
    assert "BACKWARD_TRANSITIVE" == client.get_compatibility("first.round.completed")
    assert "JSON" == client.get_latest_version("settlements-value").schema.schema_type

    for again in (pitledger(*words), pitledger(*words, "--dry-run")):
        assert {("unchanged", "unchanged")} == {(one["schema"], one["compatibility"]) for one in again.documents}

    event = completed("BJ-01", 1)
    for subject in ("first.round.completed", "table.events-value"):
        assert takes(client, subject, event)
        assert not takes(client, subject, event | {"sequence": 0})
    assert not takes(client, "settlements-value", event)


@AT_NIGHT
def test_a_registry_refuses_what_would_break_readers(registry: str, client: SchemaRegistryClient) -> None:
    """A member that is newly required is refused, by its name, and what would come after it is not published."""
    cents = {"cents": {"type": "integer"}}
    now: dict[str, Any] = {"$id": "urn:test", "type": "object", "properties": cents, "additionalProperties": False}
    there = Registry(registry)

    def publish(*wanted: Subject) -> list[Change]:
        return list(there.publish(wanted, "BACKWARD_TRANSITIVE"))

    [first] = publish(Subject("test.evolving", now))
    assert ("registered", 1, "set") == (first.schema, first.version, first.compatibility)
    [more] = publish(Subject("test.evolving", now | {"properties": cents | {"reason": {"type": "string"}}}))
    assert ("registered", 2) == (more.schema, more.version)

    with pytest.raises(CheckFailed, match=r"test\.evolving.*409.*nothing was published after it"):
        publish(Subject("test.evolving", now | {"required": ["cents"]}), Subject("test.after", now))
    there.close()
    assert "test.after" not in set(client.get_subjects())
    assert [1, 2] == client.get_versions("test.evolving")


def test_what_is_wrong_is_said(pitledger: Caller) -> None:
    """A registry that is not there, an address that is none and a level that there is not are named."""
    gone = f"http://{LOOPBACK}:{free_port()}"
    said = pitledger("schemas", "publish", "--registry", gone)
    assert 4 == said.code
    assert gone in said.stderr
    assert 2 == pitledger("schemas", "publish", "--registry", "localhost").code
    said = pitledger("schemas", "publish", "--registry", gone, "--compatibility", "SOME")
    assert (2, True) == (said.code, "one of BACKWARD_TRANSITIVE" in said.stderr)


def test_a_login_is_sent_and_never_shown(pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """The password comes from the environment and goes to the registry alone."""
    monkeypatch.setenv("PITLEDGER_REGISTRY_PASSWORD", "correct-horse")
    asked: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(401, json={"error_code": 401, "message": "who are you?"})

    real = httpx.Client
    monkeypatch.setattr(httpx, "Client", lambda **given: real(**given, transport=httpx.MockTransport(refuse)))
    said = pitledger("schemas", "publish", "--registry", "https://registry.example", "--user", "publisher")
    assert 4 == said.code
    assert "who are you?" in said.stderr
    assert "correct-horse" not in said.stderr + said.stdout
    assert httpx.BasicAuth("publisher", "correct-horse")._auth_header == asked[0].headers["Authorization"]
