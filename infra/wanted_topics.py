"""The Kafka topics that a cluster should have: the contracts' topics with the settings in `topics.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.contracts.topics import NOTES, TOPICS
from shared.rules.packaged import packaged

PARTITIONS_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic with the number of partitions, the replication factor and the configuration that it should have."""

    name: str
    partitions: int
    replication_factor: int
    config: Mapping[str, str]


def wanted(*, partitions: Mapping[str, int] | None = None, replication_factor: int = 1) -> list[Topic]:
    """Return the topics of the contracts with their settings in `topics.yaml`.

    `partitions` overrides the numbers of partitions, by topic. Raises `ValueError` for an unknown topic, or for a
    number out of range.
    """
    if not 1 <= replication_factor <= 9:
        raise ValueError(f"replication factor {replication_factor}: choose 1 (one broker) up to 9, usually 3")
    document = packaged("infra", "topics.yaml")
    topics = (*TOPICS, *NOTES)
    names = [topic.name for topic in topics]
    overrides = dict(partitions or {})
    for name, count in overrides.items():
        if name not in names:
            raise ValueError(f"partitions of {name!r}: no such topic, choose among {', '.join(names)}")
        if not 1 <= count <= PARTITIONS_MAX:
            raise ValueError(f"partitions of {name!r}: {count} is not between 1 and {PARTITIONS_MAX}")
    counts: Mapping[str, int] = document["partitions"] | overrides
    replicated = {"min.insync.replicas": str(max(1, replication_factor - 1))}
    from_outside: Mapping[str, str] = document["from_outside"]
    return [
        Topic(
            name=topic.name,
            partitions=counts[topic.name],
            replication_factor=replication_factor,
            config={
                **document["config"],
                **({} if topic.publisher else from_outside),
                **replicated,
                "cleanup.policy": topic.cleanup_policy,
            },
        )
        for topic in topics
    ]
