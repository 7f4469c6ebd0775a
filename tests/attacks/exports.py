"""Point 17: reporting, or the console, killed while somebody takes a report out: whoever has it whole knows it."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

import httpx

from loadtest.bench.processes import processes_below
from services.cli.demo.pit import REPORTING
from services.cli.services import CONSOLE
from services.cli.stack.supervision import DELAY_SECONDS_MAX
from tests.attacks.floor import PROPERTY, Floor
from tests.attacks.outcome import NO_VERIFY, Attempt, Sign
from tests.attacks.pace import looked_seconds
from tests.attacks.stack import Attacked
from tests.support import eventually
from tests.support.answers import get
from tests.support.processes import alive

_PERSON: Final = "demo.auditor"
_REPORT: Final = "statistics"
_SECONDS_MAX: Final = 60.0
_AGAIN_SECONDS_MAX: Final = 20.0 + DELAY_SECONDS_MAX
"""What is killed again within a minute is started after a delay that grows."""
_STATED: Final = f"under 20 s; {DELAY_SECONDS_MAX:g} s later where it ends again and again"
_RECEIVED_BYTES: Final = 1 << 12
"""What the client's socket holds: the rest is on its way when whoever sends it is killed."""

Kill = Callable[[], None]


def killed(floor: Floor) -> Iterator[Attempt]:
    """Kill who makes a report, who sends it and who passes it on; ask as a person, a system and a command."""
    attacked = floor.attacked
    known_at = datetime.now(UTC).isoformat()
    asked = {"property": PROPERTY, "period": "day", "gaming_day": floor.gaming_day.isoformat(), "known_at": known_at}
    direct = f"{attacked.urls[REPORTING]}/reports/{_REPORT}"
    passed_on = f"{attacked.up.document['console']}/api/{REPORTING}/reports/{_REPORT}"
    whole = _took(attacked, direct, asked)
    assert isinstance(whole, bytes), whole
    for where, url, victim in (
        ("reporting killed while it sends a report", direct, REPORTING),
        ("reporting killed while the console passes a report on", passed_on, REPORTING),
        ("the console killed while it passes a report on", passed_on, CONSOLE),
    ):
        for how, took in (("its first bytes have come", _took), ("none has come", _waited)):
            came = took(attacked, url, asked, partial(_kill, attacked, victim))
            wrong = (
                [] if came == whole or isinstance(came, str) else [f"{len(came)} of {len(whole)} bytes pass for all"]
            )
            by = f"whole: {len(whole):,} bytes" if came == whole else f"an error: {came!s:.60}"
            yield _attempt(attacked, victim, f"{where}, {how}", by, wrong)
    yield _by_command(attacked, floor)


def _pid(attacked: Attacked, victim: str) -> int:
    return attacked.up.pid_of_service(victim)


def _kill(attacked: Attacked, victim: str) -> None:
    os.kill(_pid(attacked, victim), signal.SIGKILL)


def _client(attacked: Attacked) -> httpx.Client:
    small = (socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVED_BYTES)
    headers = {"authorization": f"Bearer {attacked.tokens[_PERSON]}", "accept-encoding": "identity"}
    transport = httpx.HTTPTransport(socket_options=[small])
    return httpx.Client(headers=headers, timeout=_SECONDS_MAX, transport=transport)


def _took(attacked: Attacked, url: str, asked: dict[str, str], strike: Kill = lambda: None) -> bytes | str:
    """Return what comes of a report when somebody is killed after its first bytes: all of it, or an error."""
    came = b""
    try:
        with _client(attacked) as client, client.stream("GET", url, params={**asked, "as": "json"}) as answer:
            for number, part in enumerate(answer.iter_raw()):
                came += part
                if number == 0:
                    strike()
            return came if answer.is_success else f"{answer.status_code} {came[:60]!r}"
    except httpx.HTTPError as error:
        return repr(error)


def _waited(attacked: Attacked, url: str, asked: dict[str, str], strike: Kill) -> bytes | str:
    """Return what comes when reporting stands still until somebody is killed: all of it, or an error."""
    stopped = _pid(attacked, REPORTING)
    os.kill(stopped, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(1) as pool:
            came = pool.submit(_took, attacked, url, asked)
            asker = os.getpid() if url.startswith(attacked.urls[REPORTING]) else _pid(attacked, CONSOLE)
            eventually(lambda: _asks(asker, attacked), because="reporting is asked", seconds=_SECONDS_MAX)
            strike()
            _go_on(stopped)
            return came.result()
    finally:
        _go_on(stopped)


def _go_on(pid: int) -> None:
    if alive(pid):
        os.kill(pid, signal.SIGCONT)


def _asks(pid: int, attacked: Attacked) -> bool:
    """Whether a process of this machine has a connection to reporting, which stands still."""
    port = urlsplit(attacked.urls[REPORTING]).port or 0
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    connected = {f"socket:[{one[9]}]" for one in lines if int(one[2].partition(":")[2], 16) == port}
    return not connected.isdisjoint(_open_files(pid))


def _open_files(pid: int) -> Iterator[str]:
    """Give what a process has open, as Linux names it."""
    with suppress(OSError):  # it has ended
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                yield str(file.readlink())


def _commands() -> Iterator[int]:
    """Give the processes of `pitledger report`."""
    return (each.pid for each in processes_below(os.getpid()) if "report" in each.words and _REPORT in each.words)


def _attempt(attacked: Attacked, victim: str, what: str, by: str, wrong: list[str]) -> Attempt:
    began = monotonic()
    attacked.wait_until_ready(REPORTING)
    if victim == CONSOLE:
        url = attacked.up.document["console"]
        eventually(lambda: _answers(url), because="the console is there again", seconds=_SECONDS_MAX)
    ready = monotonic() - began
    no = "nothing is lost: whoever asked asks again"
    signs = {"metric": Sign(no), "alert": Sign(no), "verify": Sign(NO_VERIFY)}
    ended = [line for line in attacked.up.messages() if line.startswith(victim) and "ended by itself" in line]
    signs["readyz"] = Sign("ready again", ready)
    signs["log"] = Sign(f"pitledger up: {ended[-1] if ended else ''}", missing=not ended)
    wrong += [] if ended else ["nothing says that it was killed"]
    within = _AGAIN_SECONDS_MAX + looked_seconds()
    wrong += [] if ready <= within else [f"ready after {ready:.1f} s"]
    return Attempt(17, what, "survived", by, _STATED, within, signs, wrong)


def _answers(url: str) -> bool:
    try:
        return get(f"{url}/readyz").is_success
    except httpx.HTTPError:
        return False


def _by_command(attacked: Attacked, floor: Floor) -> Attempt:
    """Ask by `pitledger report -o FILE`, and kill reporting: there is no file, and the exit code says so."""
    file = attacked.directory / "taken-out.csv"
    words = ("report", _REPORT, "--property", PROPERTY, "--day", floor.gaming_day.isoformat(), "--as", "csv")
    stopped = _pid(attacked, REPORTING)
    os.kill(stopped, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(1) as pool:
            ended = pool.submit(attacked.command_as, _PERSON, *words, "-o", str(file))
            eventually(
                lambda: any(_asks(pid, attacked) for pid in _commands()),
                because="reporting is asked",
                seconds=_SECONDS_MAX,
            )
            os.kill(stopped, signal.SIGKILL)
            done = ended.result()
    finally:
        _go_on(stopped)
    wrong = ["a file was written"] if file.exists() else []
    wrong += [] if done.code else ["the command ended with 0"]
    what = "reporting killed under `pitledger report --as csv -o FILE`"
    by = f"no file; exit {done.code}: {done.said.strip()[-60:]}"
    return _attempt(attacked, REPORTING, what, by, wrong)
