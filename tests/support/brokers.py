"""What a test may do with a broker, whichever it is, and how one is made fresh."""

from functools import partial
from typing import Protocol

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from tests.support.polling import eventually


class AnyBroker(Protocol):
    """A broker that a test talks to, embedded or Apache Kafka."""

    @property
    def bootstrap_servers(self) -> str:
        """`host:port` as Kafka clients take it."""

    def start(self) -> None:
        """Start it again after `stop` or `kill`, on the same address."""

    def stop(self) -> None:
        """Stop it in good order."""

    def kill(self) -> None:
        """Stop it at once, as in a crash."""


class GivenBroker:
    """The cluster that `KAFKA_BOOTSTRAP_SERVERS` names: somebody else's, which no test starts or stops."""

    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers

    def start(self) -> None:
        """Refused: see `stop`."""
        raise self._refusal()

    def stop(self) -> None:
        """Refused: the cluster is not ours to stop."""
        raise self._refusal()

    def kill(self) -> None:
        """Refused: see `stop`."""
        raise self._refusal()

    def _refusal(self) -> RuntimeError:
        return RuntimeError(
            f"broker {self.bootstrap_servers} was given by KAFKA_BOOTSTRAP_SERVERS and is not started or stopped by "
            "tests: unset the variable to run the tests that restart a broker"
        )


def topics_of(bootstrap_servers: str) -> set[str]:
    """The names of the topics of a cluster, without its internal ones."""
    metadata = _admin(bootstrap_servers).list_topics(timeout=20)
    return {name for name in metadata.topics if not name.startswith("__")}


def empty(bootstrap_servers: str) -> None:
    """Delete all topics and consumer groups of a test cluster and wait until they are gone."""
    admin = _admin(bootstrap_servers)
    topics = topics_of(bootstrap_servers)
    if topics:
        for deletion in admin.delete_topics(sorted(topics)).values():
            deletion.result(timeout=20)
        eventually(lambda: not topics_of(bootstrap_servers), because=f"topics {sorted(topics)} deleted")
    groups = sorted(group.group_id for group in admin.list_consumer_groups(request_timeout=20).result().valid)
    for group in groups:
        eventually(partial(_delete_group, admin, group), because=f"consumer group {group!r} deleted")


def _admin(bootstrap_servers: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 4})


def _delete_group(admin: AdminClient, group: str) -> bool:
    """False while the group still has members that have not timed out."""
    try:
        admin.delete_consumer_groups([group], request_timeout=20)[group].result()
    except KafkaException as error:
        code = error.args[0].code()
        if code == KafkaError.NON_EMPTY_GROUP:
            return False
        if code != KafkaError.GROUP_ID_NOT_FOUND:
            raise
    return True
