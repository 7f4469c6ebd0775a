"""Check that the Kafka broker on a port is the one that this process started."""

from collections.abc import Mapping

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from shared.local.errors import LocalStackError
from shared.local.ports import LOOPBACK

_ANSWER_SECONDS_MAX = 1.0


def trouble(port: int, cluster_id: str, client: Mapping[str, str] | None = None) -> Exception | None:
    """Return why this Kafka cluster does not answer on a loopback port, or None if it does.

    `client` is the configuration that a librdkafka client needs to log in.
    """
    kafka = AdminClient({"bootstrap.servers": f"{LOOPBACK}:{port}", "log_level": 0, **(client or {})})
    try:
        answering = kafka.list_topics(timeout=_ANSWER_SECONDS_MAX).cluster_id
    except KafkaException as error:
        return error
    if answering != cluster_id:
        return LocalStackError(f"on port {port} cluster {answering} answers, this one is {cluster_id}")
    return None
