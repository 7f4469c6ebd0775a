"""A real Apache Kafka of one node on loopback ports, from jars that Maven fetches; it can be stopped and killed."""

import base64
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from shared.local.ports import LOOPBACK, free_port
from shared.local.process import LeashedProcess, ProcessConfig
from tests.support.polling import eventually
from tests.support.turns import turn

_ROOT = Path(__file__).parents[2]
_POM = _ROOT / "infra" / "kafka" / "pom.xml"
_LIBRARIES = _ROOT / ".cache" / "kafka" / "libs"
_MAVEN_SECONDS_MAX = 600
_JVM = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]


class KafkaUnavailableError(Exception):
    """No Apache Kafka can be had on this machine; the message says what is missing."""


def give_up(error: KafkaUnavailableError, environment: Mapping[str, str]) -> NoReturn:
    """Skip the test that needs Apache Kafka, with what was looked for; where `CI` is set it is required, so fail."""
    given = environment.get("KAFKA_BOOTSTRAP_SERVERS")
    reason = (
        "needs an Apache Kafka that it may restart; looked for: "
        f"KAFKA_BOOTSTRAP_SERVERS ({f'{given} is given, but not ours to restart' if given else 'not set'}), "
        f"Java and Maven ({error})"
    )
    if environment.get("CI"):
        pytest.fail(f"{reason}; with CI set it is required, not skipped")
    pytest.skip(reason)


class ApacheKafka:
    """A KRaft broker and controller in one JVM; what it holds survives `stop`, `kill` and `start`, until `close`."""

    def __init__(self) -> None:
        self._java, self._libraries = _java(), libraries()
        self._directory = Path(tempfile.mkdtemp(prefix="pitledger-kafka-"))
        self._process: LeashedProcess | None = None
        port, controller_port = free_port(), free_port()
        self.bootstrap_servers = f"{LOOPBACK}:{port}"
        self._properties = self._directory / "server.properties"
        self._properties.write_text(_server_properties(self._directory / "data", port, controller_port))
        try:
            self._format()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Start the broker on its log directory and address and wait until it answers; nothing when it runs."""
        if self._process is not None and self._process.running:
            return
        self._process = self._run("broker", "kafka.Kafka", self._properties)
        process = self._process
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers, "log_level": 0})

        def answers() -> bool:
            assert process.running, f"Kafka ended with exit code {process.exit_code}:\n{process.log_tail()}"
            return bool(admin.list_topics(timeout=1).brokers)

        eventually(answers, seconds=60, because="Apache Kafka answers", retry_on=KafkaException)

    def stop(self) -> None:
        """Stop in good order."""
        if self._process is not None:
            self._process.stop()

    def kill(self) -> None:
        """Stop at once, as in a crash."""
        if self._process is not None:
            self._process.kill()

    def restart(self) -> None:
        """Stop in good order and start again."""
        self.stop()
        self.start()

    def close(self) -> None:
        """Stop and delete all that it holds."""
        self.kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _format(self) -> None:
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")  # may begin with a dash
        options = ["--standalone", f"--cluster-id={cluster_id}", f"--config={self._properties}"]
        tool = self._run("format", "kafka.tools.StorageTool", "format", *options)
        code = tool.wait(60)
        assert code == 0, f"formatting the log directory ended with exit code {code}:\n{tool.log_tail()}"

    def _run(self, name: str, *arguments: str | Path) -> LeashedProcess:
        return LeashedProcess(
            ProcessConfig(
                command=[self._java, *_JVM, "-cp", f"{self._libraries}/*", *arguments],
                directory=self._directory,
                log=self._directory / f"{name}.log",
                grace_seconds=20.0,
                remove_when_orphaned=self._directory,
            )
        )


def _server_properties(data: Path, port: int, controller_port: int) -> str:
    """One node that is broker and controller, with as few internal partitions and as little waiting as possible."""
    properties = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.bootstrap.servers": f"{LOOPBACK}:{controller_port}",
        "listeners": f"PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{port}",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": data,
        "auto.create.topics.enable": "false",
        "offsets.topic.num.partitions": 2,
        "offsets.topic.replication.factor": 1,
        "transaction.state.log.num.partitions": 2,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
        "group.min.session.timeout.ms": 1000,
        "log.segment.delete.delay.ms": 1000,
        # A killed broker may come back only when the controller believes it gone.
        "broker.session.timeout.ms": 2000,
        "broker.heartbeat.interval.ms": 500,
    }
    return "".join(f"{name}={value}\n" for name, value in properties.items())


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if java is None:
        raise KafkaUnavailableError("no `java` on PATH or in JAVA_HOME (Java 17 or later)")
    return java


def libraries() -> Path:
    """The directory with Kafka's jars, fetched when the pom is newer than they are: by one process, others wait."""
    _LIBRARIES.parent.mkdir(parents=True, exist_ok=True)
    with turn(_LIBRARIES.parent / "fetching.lock"):
        if not (_LIBRARIES.is_dir() and _LIBRARIES.stat().st_mtime >= _POM.stat().st_mtime):
            _fetch()
    return _LIBRARIES


def _fetch() -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise KafkaUnavailableError(f"no jars in {_LIBRARIES.relative_to(_ROOT)} and no `mvn` on PATH to fetch them")
    fetched = Path(tempfile.mkdtemp(prefix="fetching-", dir=_LIBRARIES.parent))
    try:
        run = subprocess.run(
            [maven, "-q", "-B", "-f", str(_POM), "dependency:copy-dependencies", f"-DoutputDirectory={fetched}"],
            capture_output=True,
            text=True,
            timeout=_MAVEN_SECONDS_MAX,
            check=False,
        )
        if run.returncode != 0:
            last_lines = "\n".join((run.stdout + run.stderr).strip().splitlines()[-5:])
            raise KafkaUnavailableError(f"Maven could not fetch the jars:\n{last_lines}")
        shutil.rmtree(_LIBRARIES, ignore_errors=True)
        fetched.touch()
        fetched.rename(_LIBRARIES)
    finally:
        shutil.rmtree(fetched, ignore_errors=True)
