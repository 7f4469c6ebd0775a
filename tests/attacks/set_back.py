"""Point 13: a database set back to an earlier moment, whole or one service alone, and two journals exchanged."""

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import httpx
from sqlalchemy import make_url

from loadtest.bench.processes import processes_below
from services.cli.demo.pit import ACCOUNTS
from services.cli.services import NAMES
from tests.attacks.floor import PROPERTY, Desks, Floor
from tests.attacks.naming import not_verified
from tests.attacks.outcome import Attempt, say
from tests.attacks.pace import AT_ONCE
from tests.attacks.stack import Attacked
from tests.attacks.watching import Metric, Named, No, Says, watching
from tests.support import eventually
from tests.support.processes import alive
from tests.support.setting_back import Rows

_PAID: Final = 40
_CENTS: Final = 100
_SECONDS: Final = 90.0
_TRY_AGAIN: Final = "urn:pitledger:problem:try-again"
_DOUBT: Final = "urn:pitledger:problem:journal-in-doubt"
_VIGORISH: Final = "vigorish"
_METERS: Final = "progressive-meters"
_JOURNAL: Final = ("entries", "accounts", "shards", "relay", "checkpoints", "verified", "sources", "gaps", "taken")


def databases(floor: Floor) -> Iterator[Attempt]:
    """Set PostgreSQL back under running services and before one starts; one service alone; exchange two journals."""
    seed = random.SystemRandom().randrange(2**32)
    say(f"    cash-outs are kept at moments of seed {seed}")
    rng = random.Random(seed)
    attacked = floor.attacked
    for how, at_start in (("beneath running services", False), ("while the service is down, which starts again", True)):
        yield _whole(floor, rng, f"PostgreSQL set back {how}", at_start=at_start)
    yield _one_alone(floor, rng)
    yield _exchanged(attacked)


class _Till:
    """An account from which is paid out, each time under a key of its own."""

    def __init__(self, floor: Floor, account: str) -> None:
        self._attacked = floor.attacked
        self._account = account
        floor.fund(account, _PAID * _CENTS)

    def pay(self, keep: Callable[[], None], at: int) -> None:
        """Pay all, and have the database kept on the way."""
        with Desks(self._attacked) as people:
            for number in range(_PAID):
                answer = self._send(people, number)
                assert answer.status_code == httpx.codes.OK, answer.text
                if number == at:
                    keep()

    def again(self) -> list[httpx.Response]:
        """Send all of them again under their keys; whoever is told to try again does."""
        found: list[httpx.Response] = []

        def answered(people: Desks, number: int) -> bool:
            answer = self._send(people, number)
            found.append(answer)
            return _TRY_AGAIN not in answer.text

        with Desks(self._attacked) as people:
            for number in range(_PAID):
                sent = partial(answered, people, number)
                eventually(sent, because="it is answered", seconds=_SECONDS, retry_on=httpx.HTTPError)
        return [one for one in found if _TRY_AGAIN not in one.text]

    def _send(self, people: Desks, number: int) -> httpx.Response:
        desk = people.at(ACCOUNTS, "demo.account_cashier")
        headers = {"idempotency-key": f"attack.13.{self._account}.{number}"}
        path = f"/accounts/{PROPERTY}/{self._account}/cash-outs"
        return desk.post(path, json={"instrument": "cash", "cents": _CENTS}, headers=headers)


class _Disk:
    """The data directory of PostgreSQL: copied as the snapshot of a disk, and exchanged for such a copy."""

    def __init__(self, attacked: Attacked) -> None:
        self._attacked = attacked
        self._data = attacked.directory / "postgres" / "data"

    def copy(self, name: str) -> None:
        """Copy it while all processes of the server stand still: it recovers from that as after a power failure."""
        with _standing_still(*self._family()):
            subprocess.run(["cp", "-a", self._data, self._aside(name)], check=True)

    def exchange(self, keep: str, take: str, *also: int) -> None:
        """Kill the server and put a copy in the place of the data, which are kept; these processes are killed, too."""
        family = self._family()
        with _standing_still(self._attacked.up.process.pid):  # or it would start the server before that is done
            os.kill(family[0], signal.SIGQUIT)
            eventually(lambda: not any(map(alive, family)), because="the server has ended")
            self._data.rename(self._aside(keep))
            self._aside(take).rename(self._data)
            (self._data / "postmaster.pid").unlink(missing_ok=True)
            for pid in also:
                os.kill(pid, signal.SIGKILL)

    def forget(self, name: str) -> None:
        """Delete a copy."""
        shutil.rmtree(self._aside(name))

    def _aside(self, name: str) -> Path:
        return self._data.with_name(name)

    def _family(self) -> list[int]:
        """Return the processes of the server; the first is the one that the others come from."""
        first = self._attacked.up.pid_of("PostgreSQL")
        return [first, *(each.pid for each in processes_below(first) if each.pid != first)]


@contextmanager
def _standing_still(*pids: int) -> Iterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            if alive(pid):
                os.kill(pid, signal.SIGCONT)


def _in_doubt(service: str, verify: Says | No) -> Named:
    return Named(
        service=service,
        stated=AT_ONCE,
        metric=Metric("pitledger_commands_refused_total", {"reason": "journal-in-doubt"}, by=1),
        readyz="503 verification:",
        alert="PitledgerVerificationFailed",
        log="database behind high-water mark",
        verify=verify,
    )


def _whole(floor: Floor, rng: random.Random, what: str, *, at_start: bool) -> Attempt:
    attacked, disk = floor.attacked, _Disk(floor.attacked)
    till = _Till(floor, f"GA-back-{int(at_start)}")
    at = rng.randrange(_PAID - 1)
    till.pay(partial(disk.copy, "before"), at)
    floor.settled()
    named = _in_doubt(ACCOUNTS, Says(("verify", "--service", ACCOUNTS), 1, "a signed checkpoint covers"))
    with watching(attacked, named) as watch:
        disk.exchange("latest", "before", *([attacked.up.pid_of_service(ACCOUNTS)] if at_start else []))
        watch.strike()
        _none_is_paid(watch.require, till.again())
    attempt = watch.attempt(13, f"{what}, {_PAID - at - 1} of {_PAID} cash-outs lost and sent again", "refused", _DOUBT)
    disk.exchange("before", "latest", *map(attacked.up.pid_of_service, NAMES))
    disk.forget("before")
    attacked.wait_until_ready()
    return attempt


def _none_is_paid(require: Callable[[bool, str], None], answers: list[httpx.Response]) -> None:
    paid = sum(answer.is_success for answer in answers)
    require(not paid, f"{paid} of {_PAID} cash-outs were answered as if they were paid")
    require(all(_DOUBT in answer.text for answer in answers), f"answered: {answers[0].text}")


def _one_alone(floor: Floor, rng: random.Random) -> Attempt:
    """Put the rows of one service back, without a break of any connection."""
    attacked = floor.attacked
    till = _Till(floor, "GA-alone")
    url, schema = make_url(attacked.superuser_url), ACCOUNTS.replace("-", "_")
    kept: list[Rows] = []
    at = rng.randrange(_PAID - 1)
    till.pay(lambda: kept.append(Rows(url, schema, "before")), at)
    floor.settled()
    latest = Rows(url, schema, "latest")
    named = _in_doubt(ACCOUNTS, Says(("verify", "--service", ACCOUNTS), 1, "a signed checkpoint covers"))
    with watching(attacked, named) as watch:
        kept[0].put_back()
        watch.strike()
        _none_is_paid(watch.require, till.again())
    what = f"the rows of one service alone set back, {_PAID - at - 1} of {_PAID} cash-outs sent again"
    attempt = watch.attempt(13, what, "refused", _DOUBT)
    latest.put_back()
    attacked.kill(ACCOUNTS)
    return attempt


def _exchanged(attacked: Attacked) -> Attempt:
    """Give each of two services the journal of the other."""
    url = make_url(attacked.superuser_url)
    kept = {service: Rows(url, service.replace("-", "_"), "kept") for service in (_VIGORISH, _METERS)}
    named = not_verified(_VIGORISH, Says(("verify", "--service", _VIGORISH), 1, "problem"))
    with watching(attacked, named) as watch:
        for service, other in ((_VIGORISH, _METERS), (_METERS, _VIGORISH)):
            kept[service].put_back(*_JOURNAL, of=kept[other])
    attempt = watch.attempt(13, "the journals of two services exchanged", "found", "seal, chain and head of each shard")
    for service, rows in kept.items():
        rows.put_back()
        attacked.kill(service)
    return attempt
