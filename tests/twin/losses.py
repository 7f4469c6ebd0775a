"""The faults of disks: full ones, a primary that is gone and the standby that takes over, the lost tail of a broker."""

import os
import signal
import time
from pathlib import Path
from random import Random
from typing import Final

from loadtest.topic import Stored, stored
from shared.contracts.topics import TABLE_EVENTS
from shared.local.process import log_tail
from shared.local.server import KeptServer
from tests.support import eventually
from tests.twin.faults import Skipped
from tests.twin.play import Play
from tests.twin.stack import Twin

_FULL_SECONDS: Final = 90.0
_MISSING_RECORDS: Final = 3


def disk_full(twin: Twin, play: Play, rng: Random, *, kafka: bool) -> str:
    """Fill the disk of PostgreSQL or Kafka until the server has met it, and free it again."""
    server: KeptServer = twin.both.kafka if kafka else twin.both.primary
    disk = server._home.parent
    if not disk.is_mount():
        raise Skipped("needs root, and the right to mount a small file system")
    log = server._home / ("broker.log" if kafka else "postgres.log")
    ballast, since = disk / "ballast", log.stat().st_size
    pid = server.pid
    began = time.monotonic()
    try:
        _fill(ballast)
        words = "No space left on device"

        def met() -> bool:
            with log.open("rb") as file:
                file.seek(since)
                return words.encode() in file.read() or server.pid != pid

        eventually(met, because=f"{server.name} meets the full disk", seconds=_FULL_SECONDS)
        time.sleep(3)
    finally:
        ballast.unlink(missing_ok=True)
    ended = "it ended, and was started again" if server.pid != pid else "it went on"
    return f"full for {time.monotonic() - began:.0f} s; {ended}"


def _fill(ballast: Path) -> None:
    """Write until nothing fits any more."""
    block = b"\0" * (1 << 20)
    descriptor = os.open(ballast, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        for size in (1 << 20, 1 << 12):
            while True:
                try:
                    if os.write(descriptor, block[:size]) < size:
                        break
                except OSError:
                    break
    finally:
        os.close(descriptor)


def failover(twin: Twin, play: Play, rng: Random) -> str:
    """Kill the primary; a synchronous standby takes over, and services reach it at the address that they know."""
    twin.held.add("PostgreSQL")
    try:
        with twin.both.standby(synchronous=True) as standby:
            before = twin.both.primary
            count = len(play.sent)
            time.sleep(rng.uniform(1, 3))
            assert before.pid is not None
            os.kill(before.pid, signal.SIGKILL)
            began = time.monotonic()
            twin.both.wire.lead_to(None)
            eventually(lambda: before.pid is None, because="the primary is gone")
            standby.promote()
            twin.both.lead_to(standby)
            seconds = time.monotonic() - began
        del count
    finally:
        twin.held.discard("PostgreSQL")
    return f"the synchronous standby had taken over {seconds:.1f} s after the end of the primary"


def failover_asynchronous(twin: Twin, play: Play, rng: Random) -> str:
    """Kill the primary while a standby lags: `verify` says what the standby lost; the primary is brought back."""
    twin.held.add("PostgreSQL")
    both = twin.both
    try:
        with both.standby(synchronous=False) as standby:
            standby.stop()
            signed = _signed(twin)
            eventually(lambda: _signed(twin) > signed, because="more is signed than the standby has", seconds=60)
            both.wire.lead_to(None)
            primary = both.primary
            assert primary.pid is not None
            os.kill(primary.pid, signal.SIGKILL)
            eventually(lambda: primary.pid is None, because="the primary is gone")
            standby.start()
            standby.promote()
            verified = twin.command("verify", "--service=round-settlement", DATABASE_URL=standby.owner_url)
            lost = [line.strip() for line in verified.said.splitlines() if "checkpoint" in line]
            assert verified.code == 1, f"`pitledger verify` exit {verified.code}: {verified.said[-600:]}"
            primary.start()
            both.lead_to(primary)
    finally:
        twin.held.discard("PostgreSQL")
    return f"`pitledger verify` on the standby, exit 1: {lost[0] if lost else ''}; the primary was brought back"


def _signed(twin: Twin) -> int:
    [(size,)] = twin.rows("SELECT coalesce(max(size), 0) FROM round_settlement.checkpoints")
    return int(size)


def lost_tail(twin: Twin, play: Play, rng: Random) -> str:
    """Cut records off the end of a partition that the broker had acknowledged; called at rest, without load.

    The services must name the partition and stop. Then, as the runbook has it: the records are sent again, the topic is
    adopted while round settlement is stopped, and the two processes start.
    """
    held: dict[int, list[Stored]] = {}
    for message in stored(twin.servers, TABLE_EVENTS.name):
        held.setdefault(message.partition, []).append(message)
    number = rng.choice(sorted(part for part, messages in held.items() if len(messages) > _MISSING_RECORDS))
    lost = held[number][-_MISSING_RECORDS:]
    twin.held.add("Apache Kafka")
    kafka = twin.both.kafka
    try:
        assert kafka.pid is not None
        os.kill(kafka.pid, signal.SIGKILL)
        eventually(lambda: kafka.pid is None, because="the broker is gone")
        kafka.kill()  # closes what was its leash
        _truncate(kafka._home / "data" / f"{TABLE_EVENTS.name}-{number}", lost[0].offset)
        kafka.start()
    finally:
        twin.held.discard("Apache Kafka")
    position = lost[-1].offset + 1
    wanted = f"{TABLE_EVENTS.name}/{number} was read up to offset {position} and ends at {lost[0].offset}"
    named = eventually(
        lambda: [one.name for one in twin.pair if any(wanted in line for line in one.said())],
        because=f"somebody says {wanted}",
        seconds=60,
    )
    for process in twin.pair:
        process.held = True
        process.stop()
    play.again(number, [(message.key.decode(), message.value) for message in lost])
    keys = Path(twin.up.document["verifiers_file"]).parent
    key = {"PITLEDGER_CHECKPOINT_KEY_FILE": str(keys / "round-settlement.pem")}
    adopted = twin.command("topics", "adopt", TABLE_EVENTS.name, **key)
    assert adopted.code == 0, adopted.said
    for process in twin.pair:
        process.start()
        process.held = False
    return f"{named[0]} stopped: {wanted}; sent again, adopted"


def _truncate(directory: Path, offset: int) -> None:
    """Cut the last segment of a log where the batch of an offset begins."""
    [*_, segment] = sorted(directory.glob("*.log"))
    data, at = segment.read_bytes(), 0
    while at < len(data):
        first = int.from_bytes(data[at : at + 8], "big")
        length = int.from_bytes(data[at + 8 : at + 12], "big")
        last = first + int.from_bytes(data[at + 23 : at + 27], "big")
        if last >= offset:
            assert first == offset, "each record is a batch of its own, or the batch begins there"
            os.truncate(segment, at)
            return
        at += 12 + length
    raise AssertionError(f"{segment} does not hold offset {offset}: {log_tail(segment)}")
