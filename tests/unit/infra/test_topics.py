"""What it takes to make a cluster have the topics: planned without one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from infra import topics
from infra.topics import ExistingTopic, Outcome, TopicRefusedError, apply, plan
from infra.wanted_topics import Topic, wanted
from shared.contracts.topics import NOTES, TOPICS

TABLE_EVENTS = next(topic for topic in wanted() if topic.name == "table.events")


def existing(topic: Topic = TABLE_EVENTS, **differences: Any) -> Mapping[str, ExistingTopic]:
    """The topic as a cluster has it that was made to order, but for the differences."""
    as_ordered: dict[str, Any] = {
        "name": topic.name,
        "partitions": topic.partitions,
        "replication_factor": topic.replication_factor,
        "used": False,
        "config": topic.config,
    }
    return {topic.name: ExistingTopic(**(as_ordered | differences))}


def test_the_contracts_and_the_cluster_have_the_same_topics() -> None:
    """Each topic of the contracts has its partitions in topics.yaml, no other has; the registry's are compacted."""
    document = yaml.safe_load((Path(topics.__file__).parent / "topics.yaml").read_text())
    assert {topic.name for topic in (*TOPICS, *NOTES)} == set(document["partitions"])
    assert [topic.name for topic in (*TOPICS, *NOTES)] == [topic.name for topic in wanted()]
    assert ["submissions", "properties", "checkpoints"] == [
        topic.name for topic in wanted() if topic.config["cleanup.policy"] == "compact"
    ]


def test_nothing_is_ever_forgotten() -> None:
    """No topic loses messages by age or size, so that everything can be derived again."""
    assert {("-1", "-1")} == {(topic.config["retention.ms"], topic.config["retention.bytes"]) for topic in wanted()}


def test_partitions_are_overridden_by_topic() -> None:
    """Other numbers of partitions than those of the file are given by topic."""
    usual = {topic.name: topic.partitions for topic in wanted()}
    overridden = {topic.name: topic.partitions for topic in wanted(partitions={"table.events": 3})}
    assert usual | {"table.events": 3} == overridden
    assert (12, 1, 12) == tuple(usual[name] for name in ("table.events", "submissions", "settlements"))


@pytest.mark.parametrize(
    ("partitions", "message"),
    [
        ({"table.event": 3}, "'table.event': no such topic, choose among table.events, pit.events, rating.events"),
        ({"table.events": 0}, "'table.events': 0 is not between 1 and 10000"),
    ],
)
def test_an_override_that_means_nothing_is_refused(partitions: dict[str, int], message: str) -> None:
    """An override for a topic that there is not, or with an impossible number, names it and the choices."""
    with pytest.raises(ValueError, match=message):
        wanted(partitions=partitions)


@pytest.mark.parametrize(("replication_factor", "in_sync"), [(1, "1"), (2, "1"), (3, "2")])
def test_one_broker_may_be_down(replication_factor: int, in_sync: str) -> None:
    """Acknowledged messages stand on all replicas but one, and on one where there is but one."""
    assert {in_sync} == {topic.config["min.insync.replicas"] for topic in wanted(replication_factor=replication_factor)}


def test_a_replication_factor_that_no_cluster_has_is_refused() -> None:
    """A replication factor of nothing is refused with the usual ones."""
    with pytest.raises(ValueError, match="replication factor 0: choose 1"):
        wanted(replication_factor=0)


def test_a_missing_topic_is_created_in_full() -> None:
    """A topic that does not exist is created with its partitions and its whole configuration."""
    (change,) = plan({}, [TABLE_EVENTS])
    assert (Outcome.CREATED, 12, TABLE_EVENTS.config) == (change.outcome, change.partitions, change.config)


def test_a_topic_as_ordered_stays() -> None:
    """A topic that is as it should be is left alone."""
    (change,) = plan(existing(used=True), [TABLE_EVENTS])
    assert "table.events: unchanged" == str(change)


def test_drifted_configuration_is_set_back_and_the_rest_left() -> None:
    """Only the values that differ are altered; values that the file does not name are left alone."""
    drifted = {**TABLE_EVENTS.config, "retention.ms": "604800000", "segment.bytes": "1000000"}
    (change,) = plan(existing(config=drifted, used=True), [TABLE_EVENTS])
    assert "table.events: changed, retention.ms=-1" == str(change)


def test_an_unused_topic_may_grow() -> None:
    """Partitions are added to a topic that never held a message."""
    (change,) = plan(existing(partitions=4), [TABLE_EVENTS])
    assert "table.events: changed, 12 partitions" == str(change)


def test_a_used_topic_may_not_grow() -> None:
    """A topic with messages keeps its partitions, because a table's events would be split over two of them."""
    with pytest.raises(TopicRefusedError, match=r"the key of a message decides .*another partition .*ask for 4"):
        plan(existing(partitions=4, used=True), [TABLE_EVENTS])


@pytest.mark.parametrize("used", [False, True])
def test_partitions_that_were_added_stay(used: bool) -> None:
    """Who added partitions by hand applies topics as before: they stay, and it is said."""
    (change,) = plan(existing(partitions=24, used=used), [TABLE_EVENTS])
    assert "table.events: unchanged, keeps its 24 partitions" in str(change)
    assert (Outcome.UNCHANGED, None) == (change.outcome, change.partitions)


def test_another_replication_factor_is_reported_and_does_not_stop_writing() -> None:
    """Too few replicas are reported, and not made unwritable by asking more of them to be in sync than there are."""
    three_wanted = next(topic for topic in wanted(replication_factor=3) if topic.name == "table.events")
    (change,) = plan(existing(), [three_wanted])
    assert (Outcome.UNCHANGED, {}) == (change.outcome, change.config)
    assert "replication factor is 1, not 3" in str(change)


@pytest.mark.parametrize("address", ["", "kafka", "kafka:", ":9092", "kafka:nine"])
def test_an_address_without_host_or_port_is_refused(address: str) -> None:
    """An address that is none is refused at once, with the form that one has."""
    with pytest.raises(ValueError, match="write host:port"):
        apply(address)
