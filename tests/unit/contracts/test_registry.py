"""The registry of facts and events: every kind once, and whoever reads of money reads all of it."""

import json
from typing import Any

import pytest

from services.cli.services import load_all
from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import Contract
from shared.contracts.facts import KINDS, Fact, envelope_of, event, fact
from shared.contracts.topic_reader import Reader, Skipped, View, view_of, views
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS, TOPICS, Topic
from shared.rules.errors import Refused
from shared.runtime.ingest.handler import Handler
from tests.unit.contracts.examples import EXAMPLES

FACTS = sorted(kind.name for kind in KINDS if kind.is_fact)


READERS = [
    pytest.param(handler, id=f"{manifest.name}-{handler.__name__}")
    for manifest in load_all()
    for handler in manifest.readers
]


def test_every_kind_has_an_example_and_a_description() -> None:
    """Nothing is declared that nobody can look at."""
    assert EXAMPLES.keys() == {kind.name for kind in KINDS}
    assert [] == [kind.name for kind in KINDS if not kind.description]


def test_a_kind_is_declared_once() -> None:
    """A second declaration of a name says who has it."""
    with pytest.raises(ValueError, match=r"kind 'gap.opened' is declared by .*GapOpened.* choose another name"):
        fact("gap.opened")(type("Other", (Fact,), {"__doc__": "Another."}))
    with pytest.raises(ValueError, match=r"kind 'round\.voided' is declared by"):
        event("round.voided", TABLE_EVENTS)(type("Another", (Contract,), {"__doc__": "Another."}))


@pytest.mark.parametrize("kind", FACTS)
def test_a_fact_is_encoded_as_it_is_read(kind: str) -> None:
    """What is stored and published says the same when it is decoded; members without a value are left out."""
    data = json.dumps(EXAMPLES[kind]["data"]).encode()
    decoded = decode_fact(kind, data)
    assert decoded == decode_fact(kind, decoded.encode())
    assert b":null" not in decoded.encode().replace(b'"note":null', b"")


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_an_example_is_an_event_of_its_kind(kind: str) -> None:
    """Envelope and data are what the contract says."""
    found: Any = envelope_of(KINDS[kind]).model_validate_json(json.dumps(EXAMPLES[kind]))
    assert kind == found.type


@pytest.mark.parametrize(("view", "kind"), [pytest.param(*one, id=f"{one[0].__qualname__}") for one in views().items()])
def test_a_view_reads_the_example_of_its_kind(view: type[View], kind: str) -> None:
    """A consumer takes from a message what it says it takes."""
    view.model_validate_json(json.dumps(EXAMPLES[kind]["data"]))


@pytest.mark.parametrize("handler", READERS)
def test_who_reads_of_money_reads_all_of_it(handler: type[Handler[Any]]) -> None:
    """A reader that names one kind by which money moves on a journal's topic names every such kind."""
    reader = handler.reader
    money = {kind.name for kind in KINDS.on(reader.topic) if kind.moves_money}
    assert not reader.kinds & money or money <= reader.kinds
    assert reader.kinds <= {kind.name for kind in KINDS.on(reader.topic)}


@pytest.mark.parametrize("handler", READERS)
def test_a_handler_reads_the_examples_of_its_topic(handler: type[Handler[Any]]) -> None:
    """Those that it names are decoded, all others are passed over as known."""
    reader = handler.reader
    for kind in KINDS.on(reader.topic):
        example = dict(EXAMPLES[kind.name])
        if reader.topic.publisher is not None:
            example["source"] = f"/{reader.topic.publisher}/shards/1"
        read = reader.decode(json.dumps(example).encode())
        assert (kind.name in reader.kinds) == (not isinstance(read.data, Skipped)), kind.name
        assert not isinstance(read.data, Skipped) or read.data.known


def test_what_every_journal_may_hold_is_on_every_journal_s_topic() -> None:
    """Gaps, quarantine and rejections stand beside the facts of the service."""
    common = {kind.name for kind in KINDS if kind.topic is None}
    assert {"gap.opened", "record.quarantined", "command.refused", "quarantine.dismissed"} <= common
    for topic in TOPICS:
        on = {kind.name for kind in KINDS.on(topic)}
        assert (common <= on) == (topic.publisher is not None)
        assert on - common


def test_a_view_has_no_field_of_its_own() -> None:
    """A view of something that is not there would never be read."""
    with pytest.raises(TypeError, match=r"Odd views \['colour'\], which GapOpened does not have"):
        view_of(KINDS["gap.opened"].model)(type("Odd", (View,), {"__annotations__": {"colour": str}}))
    with pytest.raises(TypeError, match="is not declared"):
        Reader(SETTLEMENTS, Topic)


def test_a_message_of_another_journal_is_refused() -> None:
    """Whoever may write to a topic cannot speak for its service."""
    reader = Reader(SETTLEMENTS, KINDS["settlement.voided"].model)
    forged = EXAMPLES["settlement.voided"] | {"source": "/elsewhere/shards/1"}
    with pytest.raises(Refused, match="on settlements it is '/round-settlement/shards/"):
        reader.decode(json.dumps(forged).encode())
