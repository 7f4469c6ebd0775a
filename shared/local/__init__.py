"""The embedded stack: real PostgreSQL and Kafka brokers, started from packages on this machine."""

from shared.local.broker import Broker
from shared.local.errors import EmbeddedPackageMissingError, LocalStackError
from shared.local.kafka import KafkaServer
from shared.local.postgres import DATABASE, PostgresServer
from shared.local.stack import Stack

__all__ = [
    "DATABASE",
    "Broker",
    "EmbeddedPackageMissingError",
    "KafkaServer",
    "LocalStackError",
    "PostgresServer",
    "Stack",
]
