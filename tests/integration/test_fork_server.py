"""Services that are forked from one process, or run in it: ended in good order, never left behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.cli.exits import CommandFailed, ExitCode, StackEnded
from services.cli.services import CONSOLE, load, roles_of_services
from services.cli.stack.fork_server import ForkServer
from shared.local.ports import free_port
from tests.support import Databases, eventually
from tests.support.nightly import AT_NIGHT, sampled
from tests.support.processes import alive, left_over
from tests.support.services import settled_database

pytestmark = sampled(3, of="fork server")

SERVICE = "paytable-registry"
# A parent that forks a service, says which processes there are, and waits to be killed.
PARENT = """
import json, os, pathlib, sys, time
from services.cli.stack.fork_server import ForkServer
home = pathlib.Path(sys.argv[1])
server = ForkServer([sys.argv[2]], together=sys.argv[3] == "together", environment=os.environ, logs=home,
                    grace_seconds=10, remove_when_orphaned=home)
server.wait()
server.fork({sys.argv[2]: os.environ})
print(json.dumps([server._process.pid, *server.pids.values()]), flush=True)
time.sleep(600)
"""


@pytest.fixture
def environment(databases: Databases) -> Iterator[Mapping[str, str]]:
    """The environment of the service: a database of its own, and a broker that never answers."""
    url = settled_database(databases, SERVICE)
    nobody = {"KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{free_port()}", "PITLEDGER_HTTP_PORT": str(free_port())}
    yield {**os.environ, "DATABASE_URL": url, **nobody}
    databases.drop(url)


@contextmanager
def forked(directory: Path, environment: Mapping[str, str], grace_seconds: float = 20.0) -> Iterator[ForkServer]:
    """A server that has forked the service, which has started."""
    with ForkServer([SERVICE], environment=os.environ, logs=directory, grace_seconds=grace_seconds) as server:
        server.wait()
        server.fork({SERVICE: environment})
        eventually(lambda: events(directory)[-1:] == ["started"], because="the service has started", seconds=30)
        yield server


def events(directory: Path, service: str = SERVICE) -> list[str]:
    """What a service has logged."""
    log = directory / f"{service}.log"
    return [json.loads(line)["event"] for line in log.read_text().splitlines()] if log.exists() else []


def test_a_service_is_a_process_of_its_own_and_ends_in_good_order(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    """It has a session and a log of its own; stopped, it says so last. The server knows its manifest, and ends, too."""
    with forked(tmp_path, environment) as server:
        manifest = load(SERVICE)
        assert {SERVICE: manifest.port} == server.ports
        assert sorted(roles_of_services([manifest])) == server.roles
        pid = server.pids[SERVICE]
        assert len({os.getsid(0), os.getsid(server._process.pid), os.getsid(pid)}) == 3
        server.check()
    assert "stopped" == events(tmp_path)[-1]
    assert [] == left_over([pid, server._process.pid], [])


def test_what_does_not_stop_is_killed(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """A service that does not heed the request, here because it stands still, is killed when its grace is over."""
    with forked(tmp_path, environment, grace_seconds=0.2) as server:
        os.kill(server.pids[SERVICE], signal.SIGSTOP)
    assert [] == left_over(server.pids.values(), [])
    assert "stopped" not in events(tmp_path)


@AT_NIGHT
def test_a_service_that_was_killed_is_named_and_can_be_forked_again(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    """The error names the service and the signal, and has the end of its log. Forked again it runs, and ends, too."""
    with forked(tmp_path, environment) as server:
        os.kill(server.pids[SERVICE], signal.SIGKILL)
        eventually(lambda: raises(server), because="the server has told")
        with pytest.raises(StackEnded, match=f"^{SERVICE} ended by itself, killed by signal 9") as ended:
            server.check()
        assert '"started"' in ended.value.details
        killed = server.pids[SERVICE]
        server.fork({SERVICE: environment})
        server.check()
        eventually(lambda: events(tmp_path).count("started") == 2, because="it has started again", seconds=30)
        assert killed != server.pids[SERVICE]
    assert "stopped" == events(tmp_path)[-1]


def raises(server: ForkServer) -> bool:
    """Whether something has ended by itself."""
    try:
        server.check()
    except StackEnded:
        return True
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="the parent death signal is Linux's own")
def test_killing_the_server_kills_its_services(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """Even when the server itself is killed, no service outlives it, and the parent hears of it."""
    with forked(tmp_path, environment) as server:
        os.kill(server._process.pid, signal.SIGKILL)
        eventually(lambda: not left_over(server.pids.values(), []), because="the service is gone")
        eventually(lambda: raises(server), because="the server is gone")
        with pytest.raises(StackEnded, match=r"^fork-server ended by itself, killed by signal 9"):
            server.check()


@contextmanager
def together(directory: Path, environment: Mapping[str, str]) -> Iterator[ForkServer]:
    """A server that runs the service, which has started, and the console, which lets nobody in and ends by itself."""
    names, console = (SERVICE, CONSOLE), {**environment, "PITLEDGER_HTTP_PORT": str(free_port())}
    with ForkServer(names, together=True, environment=os.environ, logs=directory, grace_seconds=20) as server:
        server.wait()
        server.fork({SERVICE: environment, CONSOLE: console})
        eventually(lambda: events(directory)[-1:] == ["started"], because="the service has started", seconds=30)
        yield server


def test_services_in_one_process_have_logs_of_their_own_and_one_that_ends_starts_again(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    """Both are in the server's process. One ends again and again, with its reason in its log; the other goes on."""
    with together(tmp_path, environment) as server:
        assert {SERVICE: server._process.pid, CONSOLE: server._process.pid} == server.pids
        ended = "exited because it cannot continue"
        eventually(lambda: events(tmp_path, CONSOLE).count(ended) > 2, because="it is started again", seconds=30)
        server.check()
    assert {ended} == set(events(tmp_path, CONSOLE))
    assert "PITLEDGER_OIDC_ISSUER is not set" in (tmp_path / f"{CONSOLE}.log").read_text()
    ran = [event for event in events(tmp_path) if event in ("started", "stopped")]
    assert ["started", "stopped"] == ran
    assert [] == left_over([server._process.pid], [])


def test_services_in_one_process_end_together_and_are_named_so(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """Where their process is killed, the parent hears of all of them at once."""
    with together(tmp_path, environment) as server:
        os.kill(server._process.pid, signal.SIGKILL)
        eventually(lambda: raises(server), because="the process is gone")
        with pytest.raises(StackEnded, match=r"^services ended by itself, killed by signal 9"):
            server.check()


@pytest.mark.parametrize("how", ["each alone", "together"])
def test_a_command_that_fails_is_told_as_if_it_had_run_here(
    tmp_path: Path, environment: Mapping[str, str], how: str
) -> None:
    """Its exit code, and its message without the name of the program; one that succeeds says so in its own log."""
    with ForkServer(
        [SERVICE], together=how == "together", environment=os.environ, logs=tmp_path, grace_seconds=1
    ) as server:
        server.wait()
        server.run({"schemas": ["db", "upgrade", f"--service={SERVICE}"]}, environment)
        with pytest.raises(CommandFailed, match=r"^--partitions: partitions of 'lost.chips': no such topic") as failed:
            server.run({"topics": ["topics", "apply", "--partitions=lost.chips=3"]}, environment)
    assert ExitCode.USAGE == failed.value.exit_code
    assert f"{SERVICE}: schema paytable_registry is up to date\n" == (tmp_path / "schemas.log").read_text()


def test_a_service_that_cannot_be_imported_is_named_before_anything_starts(tmp_path: Path) -> None:
    """The server ends with the reason in its log, which the error shows."""
    with ForkServer(["lost-chips"], environment=os.environ, logs=tmp_path, grace_seconds=1) as server:
        with pytest.raises(StackEnded) as ended:
            server.wait()
        assert "No module named 'services.lost_chips'" in ended.value.details


@AT_NIGHT
@pytest.mark.parametrize("how", ["each alone", "together"])
def test_nothing_is_left_when_the_parent_is_killed(tmp_path: Path, environment: Mapping[str, str], how: str) -> None:
    """A parent that dies without a word takes its services along, and the directory with their logs goes, too."""
    home = tmp_path / "home"
    home.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, home, SERVICE, how], env=environment, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pids = json.loads(parent.stdout.readline())
        assert all(map(alive, pids))
        parent.kill()
    eventually(lambda: not left_over(pids, [home]), because="nothing is left", seconds=30)
