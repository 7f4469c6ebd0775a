"""Point 11: clients that send too much, too slowly or too often, and a service that is told to stop under them."""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx

from services.cli.demo.pit import ACCOUNTS
from tests.attacks.floor import Floor
from tests.attacks.outcome import NO_READYZ, NO_VERIFY, Attempt, Sign
from tests.attacks.pace import AT_ONCE, Stated, looked_seconds
from tests.attacks.stack import Attacked
from tests.attacks.watching import Metric, Named, No, watching
from tests.support import eventually
from tests.support.processes import alive

_MUCH: Final = 100_000_000
_CHUNK: Final = 1_000_000
_TIMES: Final = 90
_MEMORY_MIB_MAX: Final = 20.0
"""What the tests allow one body to cost."""
_GRACE_SECONDS: Final = 20.0
_HEAD: Final = b"POST /accounts HTTP/1.1\r\nHost: x\r\n"
_ADDRESS: Final = "127.0.0.2"
"""From where the clients come: not from where Prometheus does, which is not to be shut out with them."""
_TOO_FEW: Final = No("no alert: a few are not one in five seconds")
_CUT_OFF: Final = "pitledger_http_cut_off_total"


def much_and_slow(floor: Floor) -> Iterator[Attempt]:
    """Attack the wagering accounts, without a token, in every one of these ways."""
    attacked = floor.attacked
    yield _attacked(attacked, "large_body", "a body of 100 MB, announced", AT_ONCE, _announced, _TIMES)
    yield _attacked(attacked, "", "a body of 100 MB in chunks", AT_ONCE, _in_chunks, 5, named=_unknown(5))
    yield _attacked(attacked, "large_head", "headers without end", AT_ONCE, _headers, 5)
    yield _attacked(
        attacked,
        "slow_head",
        "100 heads that trickle in",
        ("10 s", 10.0),
        None,
        100,
        slow=b"GET / HTTP/1.1\r\nHost: x\r\n",
    )
    body = _HEAD + b"Content-Length: 1000\r\n\r\n{"
    named = _unknown(100, alert="PitledgerCallersRefused")
    yield _attacked(attacked, "", "100 bodies that trickle in", AT_ONCE, None, 100, slow=body, named=named)
    yield _connections(attacked)
    yield _log(attacked)
    yield _grace(floor)


def _connect(attacked: Attacked) -> socket.socket:
    place = urlsplit(attacked.urls[ACCOUNTS])
    return socket.create_connection((str(place.hostname), place.port or 0), timeout=60, source_address=(_ADDRESS, 0))


def _status(connection: socket.socket) -> int:
    """Return the status that is answered, 0 where the connection just ends."""
    with suppress(OSError):
        head = connection.recv(64)
        if head.startswith(b"HTTP/1.1 "):
            return int(head[9:12])
    return 0


def _announced(connection: socket.socket) -> None:
    connection.sendall(_HEAD + b"Content-Length: %d\r\n\r\n" % _MUCH)
    with suppress(OSError):
        connection.sendall(b"x" * _CHUNK)


def _in_chunks(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.sendall(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(_MUCH // _CHUNK):
            connection.sendall(b"%x\r\n" % _CHUNK + b"x" * _CHUNK + b"\r\n")


def _headers(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        for number in range(100_000):
            connection.sendall(b"X-%d: %s\r\n" % (number, b"x" * 100))


def _memory(attacked: Attacked) -> float:
    """Return the resident memory of the service in MiB, as it says itself."""
    return attacked.metric(ACCOUNTS, "process_resident_memory_bytes") / 2**20


def _named(why: str, times: int, stated: Stated) -> Named:
    # `rate` over five minutes must pass one in five seconds: so many, or the alert rightly says nothing.
    enough = times > 60
    return Named(
        service=ACCOUNTS,
        stated=stated,
        metric=Metric(_CUT_OFF, {"why": why}, by=times),
        readyz=No(NO_READYZ),
        alert="PitledgerClientsCutOff" if enough else No(f"no alert: {times} clients are not one in five seconds"),
        log=f'"why": "{why}"',
        verify=No(NO_VERIFY),
    )


def _unknown(times: int, alert: str | No = _TOO_FEW) -> Named:
    """Return how requests are named that are answered 401 before their body has come."""
    metric = Metric("pitledger_callers_refused_total", {"why": "none"}, by=times)
    return replace(_named("", times, AT_ONCE), metric=metric, alert=alert, log="authentication failed")


def _attacked(
    attacked: Attacked,
    why: str,
    what: str,
    stated: Stated,
    send: Callable[[socket.socket], None] | None,
    times: int,
    slow: bytes = b"",
    named: Named | None = None,
) -> Attempt:
    """Send something on so many connections: one after the other, or all at once a byte at a time."""
    before = most = _memory(attacked)
    statuses: list[int] = []
    with watching(attacked, named or _named(why, times, stated)) as watch:
        if send is not None:
            for _ in range(times):
                with _connect(attacked) as connection:
                    send(connection)
                    statuses.append(_status(connection))
                time.sleep(0.03)
            most = max(most, _memory(attacked))
        else:
            statuses = _trickled(attacked, slow, times, stated[1] + looked_seconds())
            most = max(most, _memory(attacked))
        if send is not None:
            watch.strike()
        cost = most - before
        watch.require(cost < _MEMORY_MIB_MAX, f"it cost {cost:.1f} MiB")
        watch.require(not {200, 201} & set(statuses), f"answered {set(statuses)}")
    answered = "/".join(str(status or "cut off") for status in sorted(set(statuses)))
    many = f", {times} times" if send is not None else ""
    return watch.attempt(11, f"{what}{many}", "refused", f"{answered}; {cost:.1f} MiB of {before:.0f}")


def _trickled(attacked: Attacked, head: bytes, times: int, seconds: float) -> list[int]:
    """Hold connections on which a byte comes every second; return what is answered when they end."""
    with ExitStack() as held:
        connections = [held.enter_context(_connect(attacked)) for _ in range(times)]
        for connection in connections:
            connection.sendall(head)
        open_ = set(connections)
        statuses = []
        deadline = time.monotonic() + seconds
        while open_ and time.monotonic() < deadline:
            for connection in list(open_):
                connection.settimeout(0.001)
                try:
                    answer = connection.recv(64)
                except TimeoutError:
                    with suppress(OSError):
                        connection.sendall(b"x")
                    continue
                except OSError:
                    answer = b""
                statuses.append(int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0)
                open_.discard(connection)
            time.sleep(0.5)
        return statuses + [200] * len(open_)  # those that are still held are not refused


def _connections(attacked: Attacked) -> Attempt:
    before = _memory(attacked)
    with watching(attacked, _named("connections", 80, AT_ONCE)) as watch, ExitStack() as held:
        connections = [held.enter_context(_connect(attacked)) for _ in range(400)]
        for connection in connections[-20:]:
            status = _status(connection)
            watch.require(status in (0, 503), f"connection 381 to 400 of one address: {status}")
        cost = _memory_of(attacked) - before
        watch.require(cost < _MEMORY_MIB_MAX, f"it cost {cost:.1f} MiB")
    return watch.attempt(11, "400 connections of one address held open", "refused", f"503 above 256; {cost:.1f} MiB")


def _memory_of(attacked: Attacked) -> float:
    """Return the resident memory in MiB as the system says it: the service takes no more connections of ours."""
    pid = attacked.up.pid_of_service(ACCOUNTS)
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _log(attacked: Attacked) -> Attempt:
    log = attacked.log(ACCOUNTS)
    asked, began = 1_000, log.stat().st_size
    named = Named(
        service=ACCOUNTS,
        stated=AT_ONCE,
        metric=Metric("pitledger_log_lines_left_out_total", by=asked // 2),
        readyz=No(NO_READYZ),
        alert="PitledgerLogLinesLeftOut",
        log=No("sixty lines of this kind a minute, which earlier attacks of the same minute may have had"),
        verify=No(NO_VERIFY),
    )
    url, started = f"{attacked.urls[ACCOUNTS]}/accounts", time.monotonic()
    with watching(attacked, named) as watch, httpx.Client() as client:
        for number in range(asked):
            status = client.get(url, params={"property": "x"}).status_code
            watch.require(status in (401, 404, 405), f"answered {status}")
            if number % 10 == 0:
                time.sleep(0.05)
        watch.strike()
    written = log.read_bytes()[began:].count(b"authentication failed")
    watch.require(written <= 60 * (2 + (time.monotonic() - started) // 60), f"{written} lines were written")
    return watch.attempt(11, f"{asked} requests without a token", "refused", f"{written} lines of the log, 60 a minute")


def _grace(floor: Floor) -> Attempt:
    attacked = floor.attacked
    pid = attacked.up.pid_of_service(ACCOUNTS)
    restarted = attacked.up.messages().count(f"{ACCOUNTS} is started again") + 1
    with ExitStack() as held, ThreadPoolExecutor(1) as pool:
        for _ in range(20):
            held.enter_context(_connect(attacked)).sendall(_HEAD + b"Content-Length: 1000\r\n\r\n{")
        began = time.monotonic()
        os.kill(pid, signal.SIGTERM)
        eventually(lambda: not alive(pid), because="the service stops", seconds=60)
        seconds = time.monotonic() - began
        del pool
    stopped = '"event": "stopped"' in attacked.log(ACCOUNTS).read_text()[-4_000:]
    eventually(lambda: attacked.up.has_started_again(ACCOUNTS, restarted), because="it is started again")
    ready = attacked.wait_until_ready(ACCOUNTS)
    signs = {
        "metric": Sign("process_start_time_seconds: another one"),
        "readyz": Sign("ready again", seconds + ready),
        "alert": Sign("none: it was back before anybody is called"),
        "verify": Sign(NO_VERIFY),
        "log": Sign("stopped", seconds, missing=not stopped),
    }
    wrong = [f"it stopped after {seconds:.1f} s"] if seconds > _GRACE_SECONDS else []
    if not stopped:
        wrong.append("the log does not say that it stopped")
    return Attempt(
        11,
        "SIGTERM under 20 clients that hold on",
        "survived",
        "stopped in good order",
        "20 s",
        _GRACE_SECONDS,
        signs,
        wrong,
    )
