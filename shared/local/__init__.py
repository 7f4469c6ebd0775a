"""The embedded stack: real PostgreSQL and a Kafka-protocol broker, started from wheels on this machine."""

from shared.local.broker import Broker
from shared.local.errors import EmbeddedWheelMissingError, LocalStackError
from shared.local.postgres import DATABASE, PostgresServer
from shared.local.stack import Stack

__all__ = ["DATABASE", "Broker", "EmbeddedWheelMissingError", "LocalStackError", "PostgresServer", "Stack"]
