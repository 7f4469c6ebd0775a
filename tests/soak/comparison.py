"""What a turn of the comparison costs by the length of the journal: `python -m tests.soak.comparison --rounds 1000`.

Plays rounds, compares, plays a hundred more and takes the time of the turn that follows, first in the process that goes
on and then in one that has just started; again at each length. Beside it the comparison that projects the whole journal
again (`pitledger rebuild --check`). Nothing rests, so the times are work, of this process and of the database. Told is
also what a turn writes to the log of the database for each entry.
"""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Sequence
from datetime import timedelta
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.manifest import MANIFEST
from shared.local.postgres import PostgresServer
from shared.runtime.database import Pools, create_engine
from shared.runtime.projections import incremental_comparison
from shared.runtime.projections.drift import compare
from shared.runtime.projections.incremental_comparison import IncrementalComparison
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support import rounds as played
from tests.support.corrections import PEOPLE
from tests.support.desk import Desk, desk_of
from tests.support.properties import property_event
from tests.support.rebuilding import no_rest
from tests.support.sealing import seals_of
from tests.support.services import query, settled_database

NEW = 100
ROWS = 1000
"""Rows that each turn looks at beside the new ones, as it looks at 20,000 of up to 29 million."""
_AT_ONCE = 500


def main(words: Sequence[str] | None = None) -> int:
    """Play, compare, and say what each comparison took."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.comparison", description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=1000, help="of the shortest journal (default: %(default)s)")
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10], help="as long (default: %(default)s)")
    options = parser.parse_args(words)
    of_any_journal = patch.object(incremental_comparison, "rows_due", lambda _: ROWS)
    with of_any_journal, PostgresServer() as server:
        databases = Databases(server.url)
        url, clock = settled_database(databases, MANIFEST.name), played.DAY + timedelta(hours=1)
        with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: clock) as desk:
            desk.feed("properties", property_event())
            desk.feed("submissions", played.submission())
            length = 0
            for times in options.times:
                length = _play(desk, length, options.rounds * times)
                length = asyncio.run(_measure(desk, url, length))
    return 0


def _play(desk: Desk, length: int, until: int) -> int:
    """Play rounds up to a number."""
    record = played.record(played.WINNING)
    for first in range(length + 1, until + 1, _AT_ONCE):
        numbers = range(first, min(first + _AT_ONCE, until + 1))
        moment = (played.DAY + timedelta(minutes=30)).isoformat()
        at = {"opened_at": moment, "closed_at": moment}
        events = (played.completed("BJ-01", seq, f"r-{seq}", record, **at) | {"time": moment} for seq in numbers)
        desk.feed("table.events", *events)
    return until


async def _measure(desk: Desk, url: str, length: int) -> int:
    engine = create_engine(url, role=MANIFEST.schema)
    Pools.of_one(engine).sign_by(seals_of(MANIFEST.name))
    try:
        following = await _open(engine)
        await _timed("all that is new", following.compare(), url)
        length = await asyncio.to_thread(_play, desk, length, length + NEW)
        say = f"{length:,} rounds: "
        await _timed(f"{say}{NEW} new", following.compare(), url, NEW)
        await _timed(f"{say}nothing new", following.compare(), url)
        await following.close()
        length = await asyncio.to_thread(_play, desk, length, length + NEW)
        following = await _timed(f"{say}start", _open(engine), url)
        await _timed(f"{say}{NEW} new after a start", following.compare(), url, NEW)
        await following.close()
        await _timed(f"{say}all again", compare(engine, MANIFEST, Settings()), url)
    finally:
        await engine.dispose()
    return length


def _open(engine: AsyncEngine) -> Awaitable[IncrementalComparison]:
    return IncrementalComparison.open(engine, MANIFEST, Settings(), part=100, rest=no_rest)


async def _timed(what: str, work: Awaitable[Any], url: str, entries: int = 0) -> Any:
    """Do something, and say what it took."""
    [(before,)] = query(url, "SELECT pg_current_wal_insert_lsn()")
    began, processor = perf_counter(), process_time()
    found = await work
    seconds, processor = perf_counter() - began, process_time() - processor
    [(wal,)] = query(url, f"SELECT pg_current_wal_insert_lsn() - '{before}'::pg_lsn")
    by_entry = f", {wal / entries:,.0f} bytes an entry" if entries else ""
    sys.stdout.write(f"{what}: {seconds:.2f} s, {processor:.2f} s of it here, {wal:,.0f} bytes of WAL{by_entry}\n")
    sys.stdout.flush()
    return found


if __name__ == "__main__":
    sys.exit(main())
