"""Compare the Kafka topics of a cluster with the wanted topics, and create or change them.

Works with Apache Kafka 4 and with the embedded broker. The embedded broker cannot add partitions (`CreatePartitions` is
not in its protocol), reports every configuration value as a default, and stores the values without applying them.
"""

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import IncompatibleBrokerVersion, KafkaError, KafkaTimeoutError, TopicAlreadyExistsError

from infra.wanted_topics import Topic, wanted
from shared.runtime.retrying import wait_while

# kafka-python carries no types.
_AdminClient: Any = KafkaAdminClient
_Resource: Any = ConfigResource

_CONNECT_SECONDS_MAX = 3.0
_END_OF_PARTITION = -1
_RESTLESS_SECONDS_MAX = 5.0
_PAUSE_SECONDS = 0.25


class TopicsError(Exception):
    """The topics could not be created or changed on the cluster."""


class AddressError(ValueError):
    """A broker address is malformed (expected `host:port`)."""


class BrokerUnreachableError(TopicsError):
    """No broker answers at the given addresses."""


class TopicRefusedError(TopicsError):
    """An existing topic cannot be changed as wanted: messages would be read out of order, or the broker refuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingTopic:
    """A topic that exists on a cluster. `used` is true if it has ever held a message, even a deleted one."""

    name: str
    partitions: int
    replication_factor: int
    used: bool
    config: Mapping[str, str]


class Outcome(StrEnum):
    """The effect of a change on a topic."""

    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A planned or completed change of one topic.

    `partitions` is the new number of partitions, and `config` the new values; both are empty if unchanged. `remarks`
    describes differences that remain, because the broker or this program cannot change them.
    """

    topic: Topic
    outcome: Outcome
    partitions: int | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        said = [f"{self.topic.name}: {self.outcome}"]
        if self.partitions is not None:
            said.append(f"{self.partitions} partition{'' if self.partitions == 1 else 's'}")
        if self.outcome is Outcome.CHANGED:
            said.extend(f"{name}={value}" for name, value in sorted(self.config.items()))
        said.extend(self.remarks)
        return ", ".join(said)


def plan(existing: Mapping[str, ExistingTopic], topics: Sequence[Topic]) -> list[Change]:
    """Return the changes from the existing topics to the wanted `topics`: one per topic, in the order of `topics`.

    A topic with more partitions than wanted keeps them, with a remark. Raises: TopicRefusedError if partitions would
    have to be added to a topic that holds messages.
    """
    return [_change(existing.get(topic.name), topic) for topic in topics]


def apply(
    bootstrap_servers: str,
    *,
    partitions: Mapping[str, int] | None = None,
    replication_factor: int = 1,
    dry_run: bool = False,
    timeout_seconds: float = 15.0,
    client: Mapping[str, Any] | None = None,
) -> list[Change]:
    """Create or change the topics on a cluster, and return the changes. Running it again changes nothing.

    Parameters
    ----------
    bootstrap_servers : `host:port`, several separated by commas.
    partitions : numbers of partitions that override those of `topics.yaml`, by topic.
    replication_factor : number of brokers that store each message, for topics that are created.
    dry_run : only return what would change.
    timeout_seconds : how long to wait for a broker's first answer.
    client : kafka-python's other connection settings: TLS and a login.

    Raises the same errors as `wanted` and `plan`, before anything is changed; `BrokerUnreachableError`;
    `TopicRefusedError` if the broker cannot add partitions; `TopicsError` if it refuses anything else.
    """
    topics = wanted(partitions=partitions, replication_factor=replication_factor)
    with connected(bootstrap_servers, timeout_seconds, client or {}) as admin:
        changes: Sequence[Change] = ()
        done: dict[str, Change] = {}

        def is_restless() -> bool:
            nonlocal changes
            try:
                changes = plan(_existing(admin, topics), topics)
                for change in () if dry_run else changes:
                    _carry_out(admin, change)
                    if change.outcome is not Outcome.UNCHANGED:
                        done[change.topic.name] = change
            except KafkaError as error:
                if not (error.retriable or isinstance(error, TopicAlreadyExistsError)):
                    raise
                # The brokers do not all know a topic yet, because another client has just created it or its leader is
                # changing.
                return True
            return False

        if wait_while(is_restless, seconds_max=_RESTLESS_SECONDS_MAX, pause_seconds=_PAUSE_SECONDS):
            raise TopicsError(f"Kafka at {bootstrap_servers}: the topics do not come to rest; apply them once more")
    return [done.get(change.topic.name, change) for change in changes]


def _change(existing: ExistingTopic | None, topic: Topic) -> Change:
    if existing is None:
        return Change(topic=topic, outcome=Outcome.CREATED, partitions=topic.partitions, config=topic.config)
    grows = existing.partitions < topic.partitions
    if grows and existing.used:
        raise TopicRefusedError(
            f"{topic.name}: has {existing.partitions} partitions and messages in them, {topic.partitions} partitions "
            f"are wanted: the key of a message decides its partition, so one key's later messages would go to another "
            f"partition than its earlier ones and be read out of order; ask for {existing.partitions}, or "
            "produce everything again into a topic of a new cluster"
        )
    drift = {name: value for name, value in topic.config.items() if existing.config.get(name) != value}
    remarks = []
    if existing.partitions > topic.partitions:
        remarks.append(
            f"keeps its {existing.partitions} partitions, of which all are read; {topic.partitions} would do: Kafka "
            "takes none away"
        )
    if existing.replication_factor != topic.replication_factor:
        remarks.append(
            f"replication factor is {existing.replication_factor}, not {topic.replication_factor}: "
            "move replicas with kafka-reassign-partitions"
        )
        if int(drift.get("min.insync.replicas", 0)) > existing.replication_factor:
            # More in-sync replicas than there are replicas: every write would be refused.
            del drift["min.insync.replicas"]
    return Change(
        topic=topic,
        outcome=Outcome.CHANGED if grows or drift else Outcome.UNCHANGED,
        partitions=topic.partitions if grows else None,
        config=drift,
        remarks=tuple(remarks),
    )


@contextmanager
def connected(bootstrap_servers: str, timeout_seconds: float, client: Mapping[str, Any]) -> Iterator[Any]:
    """Yield a connected administration client whose errors are converted to ours."""
    addresses = [address.strip() for address in bootstrap_servers.split(",")]
    unreachable = BrokerUnreachableError(
        f"Kafka at {bootstrap_servers}: no broker answers; check KAFKA_BOOTSTRAP_SERVERS and that the broker runs"
    )
    # kafka-python leaks a thread and a socket if no broker listens, so listening is checked first.
    if wait_while(lambda: not any(map(_listens, addresses)), seconds_max=timeout_seconds, pause_seconds=_PAUSE_SECONDS):
        raise unreachable
    try:
        patience = int(timeout_seconds * 1000)
        admin = _AdminClient(**{**client, "bootstrap_servers": addresses, "bootstrap_timeout_ms": patience})
    except KafkaTimeoutError as error:
        raise unreachable from error
    try:
        yield admin
    except KafkaError as error:
        raise TopicsError(f"Kafka at {bootstrap_servers}: {error}") from error
    finally:
        admin.close()


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise AddressError(f"Kafka address {address!r}: write host:port, several separated by commas")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS_MAX).close()
    except OSError:
        return False
    return True


def _existing(admin: Any, topics: Sequence[Topic]) -> dict[str, ExistingTopic]:
    """Return the wanted topics that exist on the cluster, by name."""
    # All topics are described, because the embedded broker creates a topic when it is described by name.
    names = {topic.name for topic in topics}
    found = [description for description in admin.describe_topics() if description["name"] in names]
    if not found:
        return {}
    ends = admin.list_partition_offsets(
        {
            TopicPartition(description["name"], partition["partition_index"]): _END_OF_PARTITION
            for description in found
            for partition in description["partitions"]
        }
    )
    # All values are read, not only the modified ones, because the embedded broker reports every value as a default.
    resources = [_Resource(ConfigResourceType.TOPIC, description["name"]) for description in found]
    configs = admin.describe_configs(resources, config_filter="all")["topic"]
    return {
        name: ExistingTopic(
            name=name,
            partitions=len(description["partitions"]),
            replication_factor=min(len(partition["replica_nodes"]) for partition in description["partitions"]),
            used=any(end.offset > 0 for partition, end in ends.items() if partition.topic == name),
            config={key: value["value"] for key, value in configs[name].items()},
        )
        for description in found
        for name in [description["name"]]
    }


def _carry_out(admin: Any, change: Change) -> None:
    topic = change.topic
    if change.outcome is Outcome.CREATED:
        admin.create_topics(
            {
                topic.name: {
                    "num_partitions": topic.partitions,
                    "replication_factor": topic.replication_factor,
                    "configs": dict(topic.config),
                }
            },
            wait_for_metadata=True,
        )
        return
    if change.partitions is not None:
        _add_partitions(admin, topic)
    if change.config:
        _alter_config(admin, topic, change.config)


def _add_partitions(admin: Any, topic: Topic) -> None:
    try:
        admin.create_partitions({topic.name: topic.partitions})
    except IncompatibleBrokerVersion as error:
        raise TopicRefusedError(
            f"{topic.name}: exists without messages and with fewer than {topic.partitions} partitions, and this broker "
            "cannot add any: delete the topic, or start a new broker and apply the topics before anything else connects"
        ) from error


def _alter_config(admin: Any, topic: Topic, config: Mapping[str, str]) -> None:
    # `raise_on_unknown` would refuse settings that the embedded broker does not list: all that were never set.
    resource = _Resource(ConfigResourceType.TOPIC, topic.name, dict(config))
    answer = admin.alter_configs([resource], raise_on_unknown=False)["topic"][topic.name]
    if answer != "OK":
        raise TopicsError(f"{topic.name}: the broker refuses {dict(config)}: {answer}")
