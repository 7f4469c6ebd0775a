"""The faults of processes and connections: killed, stopped, cut, with clocks that jump, replaced by another release.

A fault is called while rounds are played, and returns once its cause is taken away, with what it has seen.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from threading import Lock
from typing import Final
from zipfile import ZipFile

import httpx

from loadtest.bench.processes import processes_below
from loadtest.traffic.publish import CLIENT_ID
from shared.local.server import KeptServer
from tests.attacks.pace import SETTINGS
from tests.support.answers import get
from tests.support.wire import Commit, pass_on
from tests.twin.patience import in_time
from tests.twin.play import Play
from tests.twin.stack import KAFKA, POSTGRES, Twin

SESSION_SECONDS: Final = float(SETTINGS["PITLEDGER_KAFKA_SESSION_SECONDS"])
_MORE_THAN_SESSION: Final = 2.5 * SESSION_SECONDS
_FENCED_SECONDS: Final = 2.5
_CUTS: Final = 6
_LINES: Final = 30
"""How many of the last lines of its log are told of a process that does not do what it has to."""
_SHIFTS: Final = (3600.0, -3600.0, 90_000.0, -90_000.0)
_DAY_SECONDS: Final = 86_400.0
_MOMENTS: Final = timedelta(minutes=20)
"""Longer than a clock stays wrong, shorter than it is wrong by."""
_ROOT: Final = Path(__file__).parents[2]
_TOKEN_PROBE: Final = "/accounts/loadtest-1/twin"

Fault = Callable[[Twin, Play, Random], str]


class Skipped(Exception):
    """A fault cannot be brought about on this machine; says what it needs."""


def killed_server(twin: Twin, play: Play, rng: Random, *, kafka: bool) -> str:
    """Kill the process of PostgreSQL or Kafka with SIGKILL; the twin starts it again."""
    server = twin.server(KAFKA if kafka else POSTGRES)
    pid = _pid(server)
    os.kill(pid, signal.SIGKILL)
    in_time(lambda: server.pid not in (None, pid), because=f"{server.name} is started again")
    return f"{server.name} {pid}"


def killed_service(twin: Twin, play: Play, rng: Random) -> str:
    """Kill a process of a service with SIGKILL: one of the twin's own, or of `pitledger up`."""
    name: str = rng.choice([*(one.name for one in twin.processes), *twin.up.document["services"], "fork-server"])
    own = {one.name: one for one in twin.processes}
    if name in own:
        before = own[name].pid
        os.kill(before, signal.SIGKILL)
        in_time(lambda: own[name].pid != before, because=f"{name} is started again")
        return name
    pid = twin.up.pid_of(name) if name == "fork-server" else twin.up.pid_of_service(name)
    times = twin.up.messages().count(f"{name} is started again") + 1
    os.kill(pid, signal.SIGKILL)
    in_time(partial(twin.up.has_started_again, name, times), because=f"{name} is started again")
    return name


def stopped_service(twin: Twin, play: Play, rng: Random) -> str:
    """Stop one process of round settlement for longer than its session: the other takes over, it wakes as a zombie."""
    one, other = rng.sample(twin.pair, 2)
    for process in (one, other):  # the fault before may have put one out, and that again
        in_time(process.has_partitions, because=f"{process.name} has partitions")
    since, began = other.written, time.monotonic()
    one.signal(signal.SIGSTOP)
    try:
        try:
            in_time(lambda: other.has_partitions(since), because=f"{other.name} takes the partitions over")
        except AssertionError as late:
            raise AssertionError("\n".join([str(late), *other.said(since)[-_LINES:]])) from late
        time.sleep(SESSION_SECONDS)
    finally:
        one.signal(signal.SIGCONT)
    return f"{one.name} for {time.monotonic() - began:.0f} s; {other.name} took over"


def stopped_server(twin: Twin, play: Play, rng: Random, *, kafka: bool) -> str:
    """Stop all processes of PostgreSQL or Kafka for longer than a session, and let them go on."""
    server = twin.server(KAFKA if kafka else POSTGRES)
    family = [one.pid for one in processes_below(_pid(server))]
    for pid in family:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    time.sleep(_MORE_THAN_SESSION)
    for pid in family:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    return f"{len(family)} processes of {server.name}, {_MORE_THAN_SESSION:.0f} s"


def cut_at_commit(twin: Twin, play: Play, rng: Random) -> str:
    """Cut connections at COMMIT: before PostgreSQL has it, and after it has committed and before the answer."""
    lock, cut = Lock(), {"before": 0, "after": 0}
    fates = rng.sample(["before", "after"] * (_CUTS // 2), _CUTS)

    def at_commit(commit: Commit) -> bool:
        with lock:
            fate = fates.pop() if fates and commit.writes(".entries") else None
            if fate is not None:
                cut[fate] += 1
        if fate is None:
            return pass_on(commit)
        if fate == "after":
            commit.happen()
        return False

    twin.both.wire.at_commit = at_commit
    try:
        in_time(lambda: not fates, because="all commits that were to be cut are cut")
    finally:
        twin.both.wire.at_commit = pass_on
    return f"{cut['before']} before COMMIT arrived, {cut['after']} after it was done and before its answer"


def cut_kafka(twin: Twin, play: Play, rng: Random) -> str:
    """Cut all connections to Kafka, a few times at random moments."""
    count = 0
    for _ in range(4):
        time.sleep(rng.uniform(0.2, 1.5))
        count += twin.both.line.cut()
    return f"{count} connections in 4 cuts"


def fenced_kafka(twin: Twin, play: Play, rng: Random) -> str:
    """Let Kafka name no broker to those who ask for a while, twice, as if its controller had fenced all of them."""
    line = twin.both.line
    line.spared = CLIENT_ID.encode()  # the table system's own client is not what is tried
    before = line.answers
    for _ in range(2):
        line.cut()  # whoever connects again asks
        line.fenced = True
        try:
            time.sleep(_FENCED_SECONDS)
        finally:
            line.fenced = False
        time.sleep(rng.uniform(0.2, 1.5))
    return f"{line.answers - before} answers named no broker"


def clock_jumped(twin: Twin, play: Play, rng: Random) -> str:
    """Let clocks jump, forward and backward, and come back: those of round settlement apart, and the accounts'."""
    one, other = rng.sample(twin.pair, 2)
    said = []
    for seconds in rng.sample(_SHIFTS, len(_SHIFTS)):
        # A token lives for a day: whether it is good an hour off depends on when it was given.
        statuses = {httpx.codes.UNAUTHORIZED} if abs(seconds) > _DAY_SECONDS else {200, httpx.codes.UNAUTHORIZED}
        began = datetime.now(UTC)
        for process, by in ((twin.accounts, seconds), (one, seconds), (other, -seconds)):
            process.shift(by)
        try:
            status = in_time(partial(_status, twin, statuses), because=f"a token is judged at {seconds:+.0f} s")
            _settled(twin, " OR ".join(_recorded_from(began + timedelta(seconds=by)) for by in (seconds, -seconds)))
            said.append(f"{seconds / 3600:+.0f} h {status}")
        finally:
            for process in (twin.accounts, one, other):
                process.shift(0)
        in_time(partial(_status, twin, {httpx.codes.OK}), because="a token is good again")
    return f"rounds recorded at each moment; the accounts answered {', '.join(said)}, and 200 after each"


def _recorded_from(moment: datetime) -> str:
    return f"recorded_at BETWEEN '{moment.isoformat()}' AND '{(moment + _MOMENTS).isoformat()}'"


def _settled(twin: Twin, where: str = "true") -> None:
    """Wait until there are more entries than there were."""
    statement = f"SELECT count(*) FROM round_settlement.entries WHERE {where}"
    [(before,)] = in_time(lambda: twin.rows(statement), because="entries are counted")
    in_time(lambda: twin.rows(statement)[0][0] > before, because="rounds are settled all the same")


def _status(twin: Twin, wanted: Collection[int]) -> int | None:
    headers = {"authorization": f"Bearer {twin.tokens['demo.account_cashier']}"}
    url = f"{twin.accounts.url}{_TOKEN_PROBE}"
    status = get(url, headers=headers, timeout=5).status_code
    return status if status in wanted else None


def upgraded(twin: Twin, play: Play, rng: Random, *, commit: str | None = None) -> str:
    """Replace the processes of round settlement one after the other: by an earlier release, then by this one."""
    with _release(commit) as (source, name):
        for release in (source, None):
            for process in twin.pair:
                process.replace(release)
                _settled(twin)
    return name


@contextmanager
def _release(commit: str | None) -> Iterator[tuple[Path | None, str]]:
    """Give the source of an earlier release: the first with the schema of this one; None: it is this one."""
    migrations = ["services/*/migrations", "shared/journal/tables.py", "shared/runtime/process/migrations.py"]
    found = commit or _git("log", "-1", "--format=%H", "--", *migrations)
    if not found or _git("rev-parse", "--is-shallow-repository") == "true":
        yield None, "no history: old and new are this release"
        return
    with tempfile.TemporaryDirectory() as directory:
        archive = Path(directory) / "release.zip"
        subprocess.run(["git", "archive", "--output", str(archive), found], cwd=_ROOT, check=True)
        with ZipFile(archive) as files:
            files.extractall(Path(directory) / "source")
        yield Path(directory) / "source", f"{found[:8]} and this release"


def _git(*words: str) -> str:
    try:
        ran = subprocess.run(["git", *words], cwd=_ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def _pid(server: KeptServer) -> int:
    pid = in_time(lambda: server.pid, because=f"{server.name} runs")
    assert pid is not None
    return pid
