"""The faults of disks: full ones, a primary that is gone and the standby that takes over, the lost tail of a broker."""

import os
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

import psycopg

from loadtest.traffic.topic import Stored
from shared.contracts.topics import TABLE_EVENTS
from shared.local import PostgresServer
from tests.twin.faults import Skipped
from tests.twin.patience import in_time
from tests.twin.play import Play
from tests.twin.servers import Primary, superuser
from tests.twin.stack import KAFKA, POSTGRES, SETTLEMENT, Twin
from tests.twin.verdict import messages

_FULL_SECONDS: Final = 10.0
"""So long the disk stays full once the server has met that, for the services to meet it, too."""
_FILL_AGAIN_SECONDS: Final = 0.2
_BLOCK: Final = bytes(1 << 20)
_BIG: Final = "CREATE TEMP TABLE big AS SELECT repeat('x', 1000) FROM generate_series(1, 10000)"
_MISSING_RECORDS: Final = 3


def disk_full(twin: Twin, play: Play, rng: Random, *, kafka: bool) -> str:
    """Fill the disk of PostgreSQL or Kafka until the server has met that, keep it full, and free it again."""
    server = twin.server(KAFKA if kafka else POSTGRES)
    disk = server._home.parent
    if not disk.is_mount():
        raise Skipped("needs root, and the right to mount a small file system")
    ballast, before, began = disk / "ballast", server.pid, time.monotonic()

    def met() -> bool:
        _fill(ballast)  # again and again: the server deletes files, too
        return server.pid != before or (not kafka and _has_no_space(twin.both.primary))

    try:
        in_time(met, because=f"{server.name} meets the full disk")
        until = time.monotonic() + _FULL_SECONDS
        while time.monotonic() < until:
            _fill(ballast)
            time.sleep(_FILL_AGAIN_SECONDS)
    finally:
        ballast.unlink(missing_ok=True)
    ended = "it ended, and was started again" if server.pid != before else "it went on"
    return f"full for {time.monotonic() - began:.0f} s; {ended}"


def _has_no_space(server: PostgresServer) -> bool:
    """Return whether PostgreSQL says so, or cannot answer any more."""
    try:
        with superuser(server) as connection:
            connection.execute(_BIG)
    except psycopg.OperationalError:
        return True
    return False


def _fill(ballast: Path) -> None:
    """Write until nothing fits any more."""
    descriptor = os.open(ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        for size in (1 << 20, 1 << 12):
            with suppress(OSError):
                while os.write(descriptor, _BLOCK[:size]) == size:
                    pass
    finally:
        os.close(descriptor)


def failover(twin: Twin, play: Play, rng: Random) -> str:
    """Kill the primary; a synchronous standby takes over, and services reach it at the address that they know."""
    with twin.holding(POSTGRES), twin.both.standby(synchronous=True) as standby:
        time.sleep(rng.uniform(1, 3))
        _end_primary(twin)
        began = time.monotonic()
        standby.promote()
        twin.both.lead_to(standby)
        seconds = time.monotonic() - began
    return f"the synchronous standby had taken over {seconds:.1f} s after the end of the primary"


def failover_asynchronous(twin: Twin, play: Play, rng: Random) -> str:
    """Kill the primary while a standby lags: `verify` says what the standby lost; the primary is brought back."""
    both = twin.both
    with twin.holding(POSTGRES), both.standby(synchronous=False) as standby:
        standby.stop()
        had = _by_shard(twin, "SELECT shard, next_seq - 1 FROM round_settlement.shards")
        in_time(lambda: _signed_beyond(twin, had), because="more is signed than the standby has")
        primary = _end_primary(twin)
        standby.start()
        standby.promote()
        verified = twin.command("verify", f"--service={SETTLEMENT}", DATABASE_URL=standby.owner_url)
        lost = [line.strip() for line in verified.said.splitlines() if "checkpoint" in line]
        assert verified.code == 1, f"`pitledger verify` exit {verified.code}: {verified.said[-600:]}"
        in_time(lambda: twin.start_server(POSTGRES), because="the primary is brought back")
        both.lead_to(primary)
    return f"`pitledger verify` on the standby, exit 1: {lost[0] if lost else ''}; the primary was brought back"


def _end_primary(twin: Twin) -> Primary:
    """Kill the primary; nobody reaches a PostgreSQL any more."""
    primary = twin.both.primary
    assert primary.pid is not None
    os.kill(primary.pid, signal.SIGKILL)
    twin.both.wire.lead_to(None)
    in_time(lambda: primary.pid is None, because="the primary is gone")
    return primary


def _signed_beyond(twin: Twin, had: Mapping[int, int]) -> bool:
    """Return whether a checkpoint covers more entries of some shard than there were."""
    signed = _by_shard(twin, "SELECT shard, max(size) FROM round_settlement.checkpoints GROUP BY shard")
    return any(size > had.get(shard, 0) for shard, size in signed.items())


def _by_shard(twin: Twin, query: str) -> dict[int, int]:
    return {int(shard): int(number) for shard, number in twin.rows(query)}


def lost_tail(twin: Twin, play: Play, rng: Random) -> str:
    """Cut records off the end of a partition that the broker had acknowledged; called at rest, without load.

    The services must name the partition and stop. Then, as the runbook has it: the records are sent again, the topic is
    adopted while round settlement is stopped, and the two processes start.
    """
    held: dict[int, list[Stored]] = {}
    for message in messages(twin, TABLE_EVENTS.name):
        held.setdefault(message.partition, []).append(message)
    number = rng.choice(sorted(part for part, some in held.items() if len(some) > _MISSING_RECORDS))
    since = [process.written for process in twin.pair]
    kafka = twin.both.kafka
    with twin.holding(KAFKA):
        assert kafka.pid is not None
        os.kill(kafka.pid, signal.SIGKILL)
        in_time(lambda: kafka.pid is None, because="the broker is gone")
        end = _cut(kafka._home / "data" / f"{TABLE_EVENTS.name}-{number}", held[number][-_MISSING_RECORDS].offset)
        in_time(lambda: twin.start_server(KAFKA), because="the broker is started again")
    lost = [message for message in held[number] if message.offset >= end]
    # Either the end of the partition is before the position, or the records start again before it.
    wanted = ('"partition halted"', f'"partition": {number},', f"read up to offset {lost[-1].offset + 1}")
    named = in_time(
        lambda: [one.name for one, at in zip(twin.pair, since, strict=True) if _in(one.said(at), wanted)],
        because=f"somebody says {' '.join(wanted)}",
    )
    for process in twin.pair:
        process.held = True
        process.stop()
    play.again(number, [(message.key.decode(), message.value) for message in lost])
    keys = Path(twin.up.document["verifiers_file"]).parent
    key = {"PITLEDGER_CHECKPOINT_KEY_FILE": str(keys / f"{SETTLEMENT}.pem")}
    adopted = twin.command("topics", "adopt", TABLE_EVENTS.name, **key)
    assert adopted.code == 0, adopted.said
    for process in twin.pair:
        process.start()
        process.held = False
    return f"{named[0]} stopped partition {number} after {len(lost)} records were lost; sent again, adopted"


def _in(lines: Iterable[str], wanted: Sequence[str]) -> bool:
    return any(all(word in line for word in wanted) for line in lines)


def _cut(directory: Path, offset: int) -> int:
    """Cut the last segment of a log where the batch of an offset begins; return where the log ends now."""
    [*_, segment] = sorted(directory.glob("*.log"))
    data, at = segment.read_bytes(), 0
    while at < len(data):
        first = int.from_bytes(data[at : at + 8], "big")
        length = int.from_bytes(data[at + 8 : at + 12], "big")
        if first + int.from_bytes(data[at + 23 : at + 27], "big") >= offset:
            os.truncate(segment, at)
            return first
        at += 12 + length
    raise AssertionError(f"{segment} does not hold offset {offset}")
