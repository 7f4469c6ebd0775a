"""Points 4 and 5: processes killed under load, and what other users of the machine see of them."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import psycopg
from sqlalchemy import make_url

from loadtest.bench.processes import processes_below
from loadtest.traffic.publish import Publisher
from services.cli.services import NAMES
from services.cli.stack.supervision import DELAY_SECONDS_MAX
from shared.runtime.database_names import role_of
from tests.attacks.altered import SETTLEMENT
from tests.attacks.floor import Floor
from tests.attacks.outcome import NO_READYZ, Attempt, Sign
from tests.attacks.pace import AT_ONCE, looked_seconds
from tests.attacks.stack import CANARY, Attacked
from tests.support import eventually
from tests.support.processes import arguments, left_over
from tests.support.up import PARTS

_AGAIN: Final = " again"
"""What is killed again within a minute is started after a delay that grows."""

_NO_SECRET: Final = "nothing was let in: the test is that nothing is there"
_AGAIN_SECONDS_MAX: Final = 180.0
"""How long is waited for what was killed, so that what comes late is known from what never comes."""

_FORBIDDEN: Final = (
    "UPDATE round_settlement.entries SET kind = 'other'",
    "DELETE FROM round_settlement.entries",
    "ALTER TABLE round_settlement.entries DISABLE TRIGGER USER",
    "SET session_replication_role = replica",
    "SELECT count(*) FROM paytable_registry.entries",
    "SET ROLE paytable_registry",
    "SET ROLE pitledger",
    "CREATE TABLE round_settlement.entries_of_my_own (seq BIGINT)",
)
_SESSIONS: Final = """
    SELECT DISTINCT usename::text FROM pg_stat_activity JOIN pg_roles ON rolname = usename
    WHERE application_name LIKE 'pitledger %' AND NOT rolsuper AND NOT rolcreaterole"""


def secrets(floor: Floor) -> Iterator[Attempt]:
    """Look for secrets in lists of processes, come in without a password, and do with a login what it may not."""
    attacked = floor.attacked
    shown = list(arguments())
    found = [each for each in shown if any(secret in each for secret in _secrets(attacked))]
    signs = _nothing(f"{len(shown)} processes, {len(_secrets(attacked))} secrets")
    wrong = [f"{len(found)} processes show a secret"] if found else []
    yield Attempt(
        5,
        "passwords, tokens and keys looked for in the arguments of all processes",
        "refused",
        "none is there",
        *AT_ONCE,
        signs,
        wrong,
    )
    yield _without_password(attacked)
    yield _as_a_service(attacked)


def _nothing(log: str) -> dict[str, Sign]:
    channels = {"metric": "no metric", "readyz": NO_READYZ, "alert": "no alert", "verify": "no verify"}
    return {name: Sign(f"{said}: {_NO_SECRET}") for name, said in channels.items()} | {"log": Sign(log)}


def _secrets(attacked: Attacked) -> list[str]:
    """Return what nobody else may see: passwords, tokens, private keys, and what the environment was given."""
    passwords = [make_url(url).password for url in (attacked.superuser_url, attacked.up.environment["DATABASE_URL"])]
    keys = [file.read_text().splitlines()[1] for file in (attacked.directory / "run" / "keys").glob("*.pem")]
    return [CANARY, *(str(one) for one in passwords), *attacked.tokens.values(), *keys]


def _without_password(attacked: Attacked) -> Attempt:
    url = make_url(attacked.up.environment["DATABASE_URL"])
    log = attacked.directory / "postgres" / "postgres.log"
    began, skipped, came_in = time.monotonic(), log.stat().st_size, []
    logins = ["postgres", "pitledger", *map(role_of, NAMES)]
    for login in logins:
        for password in (None, "", "postgres", login):
            try:
                psycopg.connect(host=url.host, port=url.port, dbname="pitledger", user=login, password=password).close()
            except psycopg.OperationalError:
                continue  # as the server's log says, too
            came_in.append(f"{login} came in with password {password!r}")
    lines = [line for line in log.read_text()[skipped:].splitlines() if "password authentication failed" in line]
    signs = _nothing(f"{len(lines)} lines in PostgreSQL's log, the last: {lines[-1] if lines else ''}"[:200])
    signs["log"] = Sign(signs["log"].said, time.monotonic() - began, missing=not lines)
    return Attempt(
        5,
        f"{len(logins)} logins tried without a password, with an empty and a usual one",
        "refused",
        "PostgreSQL (SCRAM)",
        *AT_ONCE,
        signs,
        came_in,
    )


def _as_a_service(attacked: Attacked) -> Attempt:
    wrong, sessions = [], {login for (login,) in _superuser_rows(attacked, _SESSIONS)}
    if missing := {role_of(name) for name in NAMES} - sessions:
        wrong.append(f"no session of its own, or one with more rights: {', '.join(sorted(missing))}")
    began = time.monotonic()
    with psycopg.connect(attacked.superuser_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SET SESSION AUTHORIZATION round_settlement")
        for statement in _FORBIDDEN:
            try:
                connection.execute(statement.encode())
            except psycopg.errors.InsufficientPrivilege:
                continue
            wrong.append(f"round_settlement may {statement}")
    signs = _nothing("PostgreSQL's log: permission denied")
    signs["log"] = Sign(signs["log"].said, time.monotonic() - began)
    return Attempt(
        5,
        f"{len(_FORBIDDEN)} things done with the login of a service that it may not",
        "refused",
        "its grants; each service has its own role",
        *AT_ONCE,
        signs,
        wrong,
    )


def _superuser_rows(attacked: Attacked, statement: str) -> list[tuple[Any, ...]]:
    with attacked.superuser() as connection:
        return connection.execute(statement.encode()).fetchall()


class Load:
    """Rounds that come as long as a process is killed: those that the broker acknowledged must be settled."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._ending = threading.Event()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Send a round every tenth of a second while there are any; at the end, wait until all are acknowledged."""
        self._ending.clear()
        with Publisher(self._floor.attacked.servers, devices=self._floor.devices) as publisher:
            sender = threading.Thread(target=self._send, args=(publisher,))
            sender.start()
            try:
                yield
            finally:
                self._ending.set()
                sender.join()

    def _send(self, publisher: Publisher) -> None:
        while not self._ending.wait(0.1):
            for message in self._floor.coming(1):
                publisher.send(message)
                self._floor.sent += 1


def processes(floor: Floor) -> Iterator[Attempt]:
    """Kill each process with rounds on the way, then all of them, and end the stack by Ctrl-C."""
    attacked = floor.attacked
    load = Load(floor)
    killed: list[tuple[str, str, Callable[[], int]]] = [
        (service, f"the service {service}", partial(attacked.up.pid_of_service, service)) for service in NAMES
    ]
    killed += [(part, part, partial(attacked.up.pid_of, part)) for part in PARTS]
    killed += [(SETTLEMENT, f"round-settlement{_AGAIN}", partial(attacked.up.pid_of_service, SETTLEMENT))] * 2
    killed += [
        (part, f"the leash of {part}", lambda part=part: _parent(attacked, part))  # type: ignore[misc]
        for part in ("PostgreSQL", "Apache Kafka")
    ]
    for part, what, pid in killed:
        yield _killed(floor, load, part, what, pid())
    yield _all_killed(floor, load)
    yield _ended(floor, load)


def _parent(attacked: Attacked, part: str) -> int:
    child = attacked.up.pid_of(part)
    return next(each.parent for each in processes_below(attacked.up.process.pid) if each.pid == child)


def _killed(floor: Floor, load: Load, part: str, what: str, pid: int) -> Attempt:
    attacked = floor.attacked
    again = Counter(attacked.up.messages())[f"{part} is started again"] + 1
    service = part if part in NAMES else SETTLEMENT
    with load.running():
        began = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        eventually(
            partial(attacked.up.has_started_again, part, again),
            because=f"{part} is started again",
            seconds=_AGAIN_SECONDS_MAX,
        )
        attacked.wait_until_ready(seconds=_AGAIN_SECONDS_MAX)
        ready = time.monotonic() - began
    signs = _settled(floor)
    ended = [line for line in attacked.up.messages() if line.startswith(part) and "ended by itself" in line]
    signs |= {
        "readyz": Sign("all services ready again", ready),
        "log": Sign(f"pitledger up: {ended[-1] if ended else ''}", ready, missing=not ended),
        "alert": _restarting(attacked, service, part),
    }
    delay = DELAY_SECONDS_MAX if what.endswith(_AGAIN) else 0
    stated = "under 20 s, nothing lost" + (f"; {delay:g} s later where it ends again and again" if delay else "")
    within = 20 + delay + looked_seconds()
    return Attempt(
        4,
        f"kill -9 under load: {what}",
        "survived",
        "started again",
        stated,
        within,
        signs,
        _wrong(signs, ready, within),
    )


def _restarting(attacked: Attacked, service: str, part: str) -> Sign:
    """Return what Prometheus says: a service that was started three times in a quarter of an hour."""
    if attacked.prometheus is None:
        return Sign("not looked at: there is no Prometheus here")
    state = attacked.prometheus.state("PitledgerServiceRestarting", service)
    if state:
        return Sign(f"PitledgerServiceRestarting {state}")
    return Sign(f"none: {part} was back before anybody is called; PitledgerServiceRestarting after the third time")


def _settled(floor: Floor) -> dict[str, Sign]:
    """Wait until all that was acknowledged is settled once; say so."""
    eventually(floor.all_posted, because="what was acknowledged is settled", seconds=_AGAIN_SECONDS_MAX)
    count, different = floor.posted()
    attacked = floor.attacked
    said = f"{floor.sent} acknowledged = {count} settled, {different} different"
    right = (count, different) == (floor.sent, floor.sent)
    ready = attacked.metric(SETTLEMENT, "pitledger_ready")
    figures = f"{said}; pitledger_ready {ready:g}"
    verified = attacked.command("verify")
    lines = [line for line in verified.said.splitlines() if " all " in line or "problem" in line]
    return {
        "metric": Sign(figures, missing=not right),
        "verify": Sign(
            f"exit {verified.code}: {' '.join(lines[-1].split()) if lines else verified.said[-200:]}",
            verified.seconds,
            missing=verified.code != 0,
        ),
    }


def _wrong(signs: dict[str, Sign], seconds: float, within: float) -> list[str]:
    wrong = [f"{channel}: {sign.said}" for channel, sign in signs.items() if sign.missing]
    return wrong + ([f"ready after {seconds:.1f} s, not {within:g} s"] if seconds > within else [])


def _all_killed(floor: Floor, load: Load) -> Attempt:
    attacked = floor.attacked
    with load.running():
        time.sleep(1)
    attacked.up.process.kill()  # and all with it: what was acknowledged is with the broker alone, some of it
    attacked.stop()
    ready = attacked.start()
    signs = _settled(floor) | {
        "readyz": Sign("all services ready", ready),
        "log": Sign("pitledger up: it is killed, and says nothing"),
        "alert": Sign("PitledgerServiceDown, a minute later: it is started by whoever runs it"),
    }
    return Attempt(
        4,
        "kill -9 under load: pitledger up itself, and all with it",
        "survived",
        "its next start",
        "ready in under 20 s, nothing lost",
        20 + looked_seconds(),
        signs,
        _wrong(signs, ready, 20 + looked_seconds()),
    )


def _ended(floor: Floor, load: Load) -> Attempt:
    attacked = floor.attacked
    family = [each.pid for each in processes_below(attacked.up.process.pid)]
    with load.running():
        time.sleep(1)
    began = time.monotonic()
    attacked.up.process.send_signal(signal.SIGINT)
    code = attacked.up.process.wait(90)
    seconds = time.monotonic() - began
    said = attacked.up.messages()[-3:]
    left = left_over(family, [])
    attacked.stop()
    ready = attacked.start()
    posted = floor.posted()
    signs = _settled(floor) | {
        "readyz": Sign("all services ready after the next start", ready),
        "log": Sign(
            f"pitledger up: {'; '.join(said)}", seconds, missing=said[-1:] != ["stopped; nothing is left running"]
        ),
        "alert": Sign("none: it was meant"),
    }
    wrong = _wrong(signs, seconds, 50.0)
    if code or left:
        wrong.append(f"exit code {code}, left: {left}")
    if posted != (floor.sent, floor.sent):
        wrong.append(f"{posted} of {floor.sent} were settled before the end")
    return Attempt(
        4, "Ctrl-C under load", "survived", "draining", "20 s to take in what waits, 30 s to end", 50.0, signs, wrong
    )
