"""Points 18 and 19: what was last, deleted everywhere that an attacker reaches; the end of a log cut off on disk."""

import os
import shutil
import signal
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import httpx

from services.cli.demo.pit import ACCOUNTS, REPORTING
from shared.contracts.topics import SETTLEMENTS
from tests.attacks.altered import SETTLEMENT
from tests.attacks.floor import PROPERTY, Desks, Floor
from tests.attacks.naming import stopped
from tests.attacks.outcome import Attempt, Sign
from tests.attacks.pace import AT_ONCE, looked_seconds
from tests.attacks.stack import Attacked
from tests.attacks.watching import No, watching
from tests.support import eventually
from tests.support.processes import alive

_ACCOUNT: Final = "GA-gone"
_CENTS: Final = 100
_DOUBT: Final = "urn:pitledger:problem:journal-in-doubt"
_COVERS: Final = "a signed checkpoint covers"
_DATABASE, _KAFKA, _CHECKPOINTS = Path("postgres/data"), Path("kafka"), Path("run/checkpoints")
_SECONDS: Final = 90.0


def newest_hour(floor: Floor) -> Iterator[Attempt]:
    """Put back database and Kafka to the same earlier moment, then the checkpoints, too: all while nothing runs.

    Nothing goes on with the stack after it.
    """
    attacked = floor.attacked
    floor.fund(_ACCOUNT, 10 * _CENTS)
    floor.settled()
    attacked.stop()
    for part in (_DATABASE, _KAFKA, _CHECKPOINTS):
        _copy(attacked, part, "before")
    attacked.start()
    paid = _cash_out(attacked, "first")
    assert paid.is_success, paid.text
    floor.play(5)
    floor.settled()
    outside = attacked.directory / "outside"
    shutil.copytree(attacked.directory / _CHECKPOINTS, outside)  # as an auditor fetches them
    attacked.stop()
    for part in (_DATABASE, _KAFKA):
        _exchange(attacked, part)
    attacked.begin()
    yield _with_checkpoints(attacked)
    attacked.stop()
    _exchange(attacked, _CHECKPOINTS)
    attacked.start()
    yield _with_nothing(attacked, outside)
    floor.spent = True


def _with_checkpoints(attacked: Attacked) -> Attempt:
    """Ask a stack whose database and Kafka lack what the checkpoints cover."""
    wrong: list[str] = []
    answer = _cash_out(attacked, "first")
    if _DOUBT not in answer.text:
        wrong.append(f"the cash-out was answered {answer.status_code}: {answer.text[:200]}")
    eventually(lambda: "verification" in attacked.not_ready(ACCOUNTS), because="readiness says it", seconds=_SECONDS)
    ready = attacked.not_ready(ACCOUNTS).partition("503 verification:")[2].strip()[:160]
    refused = attacked.metric(ACCOUNTS, "pitledger_commands_refused_total", {"reason": "journal-in-doubt"})
    said = attacked.log(ACCOUNTS).read_text()
    signs = {
        "metric": Sign(f"pitledger_commands_refused_total journal-in-doubt {refused:g}", missing=not refused),
        "readyz": Sign(f"503 verification: {ready}"),
        "alert": Sign("PitledgerVerificationFailed, a minute later"),
        "log": Sign("database behind high-water mark", missing="database behind high-water mark" not in said),
        "verify": _verify(attacked, 1, _COVERS),
    }
    what = "the last minutes deleted from database and Kafka alike; a cash-out of them sent again"
    return _attempt(18, what, "refused", "the checkpoints: 503 journal-in-doubt", signs, wrong)


def _with_nothing(attacked: Attacked, outside: Path) -> Attempt:
    """Ask a stack that has nothing any more that knows of it; and `verify` with what an auditor fetched before."""
    answer = _cash_out(attacked, "first")
    no = "NOTHING HERE KNOWS OF IT: whoever has database, Kafka and checkpoints has all that knows"
    own = attacked.command("verify")
    signs = {name: Sign(no) for name in ("metric", "readyz", "alert")}
    paid = "was paid again" if answer.is_success else f"was answered {answer.status_code}"
    signs["log"] = Sign(f"nothing; the cash-out {paid}, and `verify` with its own checkpoints exits {own.code}")
    signs["verify"] = _verify(attacked, 1, _COVERS, PITLEDGER_CHECKPOINT_DIRECTORY=str(outside))
    what = "the same, and the checkpoints too, while nothing runs"
    return _attempt(18, what, "found", "checkpoints that somebody else fetched", signs, [])


def _verify(attacked: Attacked, code: int, words: str, **environment: str) -> Sign:
    ended = attacked.command("verify", **environment)
    line = next((line.strip()[:160] for line in ended.said.splitlines() if words in line), None)
    missing = line is None or ended.code != code
    said = f"`pitledger verify` exit {ended.code}: {line or ended.said[-200:]}"
    return Sign(said, ended.seconds, missing=missing)


def _attempt(point: int, what: str, outcome: str, by: str, signs: dict[str, Sign], wrong: list[str]) -> Attempt:
    wrong += [f"{channel}: {sign.said}" for channel, sign in signs.items() if sign.missing]
    assert outcome in ("refused", "found")
    stated, within = AT_ONCE
    return Attempt(point, what, outcome, by, stated, within + looked_seconds(), signs, wrong)  # type: ignore[arg-type]


def _cash_out(attacked: Attacked, name: str) -> httpx.Response:
    """Pay out under the same key each time; whoever is told to try again does."""
    found: list[httpx.Response] = []

    def answered() -> bool:
        with Desks(attacked) as people:
            desk = people.at(ACCOUNTS, "demo.account_cashier")
            headers = {"idempotency-key": f"attack.18.{name}"}
            path = f"/accounts/{PROPERTY}/{_ACCOUNT}/cash-outs"
            found.append(desk.post(path, json={"instrument": "cash", "cents": _CENTS}, headers=headers))
        return "urn:pitledger:problem:try-again" not in found[-1].text

    eventually(answered, because="it is answered", seconds=_SECONDS, retry_on=httpx.HTTPError)
    return found[-1]


def _copy(attacked: Attacked, part: Path, name: str) -> None:
    source = attacked.directory / part
    subprocess.run(["cp", "-a", source, source.with_name(f"{name}-{source.name}")], check=True)


def _exchange(attacked: Attacked, part: Path) -> None:
    """Put what was copied in the place of a part."""
    found = attacked.directory / part
    found.rename(found.with_name(f"latest-{found.name}"))
    found.with_name(f"before-{found.name}").rename(found)
    (found / "postmaster.pid").unlink(missing_ok=True)


# --- the end of a log ---


def cut_logs(floor: Floor) -> Iterator[Attempt]:
    """Cut the last records off a partition of `settlements` on Kafka's disk, which all readers have read.

    Nothing goes on with the stack after it.
    """
    attacked = floor.attacked
    for _ in range(3):
        floor.play(1)
    floor.settled()
    named = stopped(REPORTING, SETTLEMENTS.name, No("the journals are as they were: the database is whole"))
    with watching(attacked, named) as watch:
        _beneath(attacked, lambda: _cut(attacked))
        watch.strike()
    watch.require(floor.all_posted(), "round settlement has not what it had")
    verified = attacked.command("verify", "--service", SETTLEMENT)
    watch.require(verified.code == 0, f"verify: {verified.said[-200:]}")
    why = attacked.not_ready(REPORTING).partition("not read on: ")[2]
    yield watch.attempt(19, "the end of a log cut off on Kafka's disk, the database ahead of it", "found", why[:100])


def _beneath(attacked: Attacked, change: Callable[[], None]) -> None:
    """Kill Kafka, change its disk, and let it be started again."""
    kafka, stack = attacked.up.pid_of("Apache Kafka"), attacked.up.process.pid
    os.kill(stack, signal.SIGSTOP)  # or it would start Kafka before that is done
    try:
        os.kill(kafka, signal.SIGKILL)
        eventually(lambda: not alive(kafka), because="Kafka has ended")
        change()
    finally:
        os.kill(stack, signal.SIGCONT)


def _cut(attacked: Attacked) -> None:
    """Cut the last batch off the partition of `settlements` that has most, with what Kafka noted of its end."""
    logs = (attacked.directory / _KAFKA).rglob(f"{SETTLEMENTS.name}-[0-9]*/*.log")
    ends = {log: list(_batches(log.read_bytes())) for log in logs}
    log = max(ends, key=lambda one: len(ends[one]))
    os.truncate(log, ends[log][-2])
    for note in log.parent.glob("*.snapshot"):
        note.unlink()
    for index in (*log.parent.glob("*.index"), *log.parent.glob("*.timeindex")):
        index.unlink()


def _batches(log: bytes) -> Iterator[int]:
    """Give where each batch of a log ends: its offset (8 bytes), its length (4 bytes), and so many bytes."""
    yield 0
    at = 0
    while at + 12 <= len(log):
        _, length = struct.unpack_from(">qi", log, at)
        if not length:
            return
        at += 12 + length
        yield at
