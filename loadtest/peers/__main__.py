"""The same settled rounds kept by others, and by Pitledger from the event on: one table, one run.

    python -m loadtest.peers --rounds 2000
    python -m loadtest.peers --sql ulid-to-uuid.sql --sql uuid-to-ulid.sql --sql pgledger.sql

Each peer has a database of its own on a PostgreSQL with the settings of every other, one client, and the rounds settled
before a clock starts. Measured are rounds one a commit, rounds 200 a commit, and the wait for each of 25 a second.
Then what it holds is compared with what it was given. Pitledger is measured from the event on: it reads it from a
broker, settles it, signs, hashes, publishes and reports it besides.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg

from loadtest.arrivals import Stage, due, scaled
from loadtest.corpus import DIRECTORY, Head, corpus
from loadtest.load import run
from loadtest.outcome import Outcome, Source, ages
from loadtest.peers import RESULTS
from loadtest.peers.event_store import EventStore
from loadtest.peers.peer import Peer, SettledRound, accounts_of, settled
from loadtest.peers.rows import Rows
from loadtest.peers.sql_ledger import SqlLedger
from loadtest.peers.table import Kept, lines
from loadtest.processes import Family, load
from loadtest.profiles import PROFILES
from shared.local import PostgresServer

_TOGETHER: Final = 200
_RATE: Final = 25.0


def measured(peer: Peer, url: str, rounds: Sequence[SettledRound], paced: int) -> Kept:
    """Give rounds to a peer: half of those that are not paced one a commit, the others together, then those paced."""
    family = Family(os.getpid())
    peer.open(url, accounts_of(rounds))
    try:
        free = len(rounds) - paced
        single, together, last = rounds[: free // 2], rounds[free // 2 : free], rounds[free:]
        size = _database_bytes(url)
        one = _timed(family, peer, single, 1)
        many = _timed(family, peer, together, _TOGETHER)
        waits = _paced(peer, last)
        grown = (_database_bytes(url) - size) / len(rounds)
        return Kept(peer.name, peer.keeps, *one, *many, waits, grown, peer.wrong(rounds))
    finally:
        peer.close()


def _timed(family: Family, peer: Peer, rounds: Sequence[SettledRound], at_once: int) -> tuple[float, float]:
    used, began = family.used(), time.perf_counter()
    for first in range(0, len(rounds), at_once):
        peer.write(rounds[first : first + at_once])
    seconds = time.perf_counter() - began
    return len(rounds) / seconds, 1e6 * family.used().since(used).counted / len(rounds)


def _paced(peer: Peer, rounds: Sequence[SettledRound]) -> dict[str, float]:
    """Return the percentiles of milliseconds from the moment a round was due until it was kept."""
    since: dict[int, float] = {}
    until: dict[int, float] = {}
    began = time.monotonic()
    for number, (one, seconds) in enumerate(zip(rounds, due([Stage(len(rounds), _RATE)], seed=1), strict=True)):
        since[number] = began + seconds
        time.sleep(max(0.0, since[number] - time.monotonic()))
        peer.write([one])
        until[number] = time.monotonic()
    return ages(since, until)


def _database_bytes(url: str) -> int:
    with psycopg.connect(url.replace("postgresql+psycopg://", "postgresql://", 1)) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    assert row is not None
    return int(row[0])


def ours(scale: float, directory: Path, say: Callable[[str], object]) -> Kept:
    """Return the same of Pitledger: as fast as it goes, and 25 rounds/s, each with its verdict."""

    def played(name: str) -> Outcome:
        profile = replace(PROFILES[name], stages=scaled(PROFILES[name].stages, scale))
        return run(name, profile, seed=1, broker="embedded", directory=directory, say=say)

    fast, paced = played("spine"), played("casino")
    wrong = [each for one in (fast, paced) for each in one.verdict["differences"]]
    per_second, us = fast.rounds_per_second, sum(fast.processor_us.values())
    return Kept(
        name="Pitledger, from the event on",
        keeps="event, outcome, postings, proofs, reports",
        single_per_second=0.0,
        single_us=0.0,
        together_per_second=per_second,
        together_us=us,
        wait_ms=paced.age_ms["committed"],
        bytes_a_round=fast.disk_bytes["round_settlement"],
        wrong="; ".join(wrong) or None,
    )


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print and keep the table; return the exit code: 1 where one does not hold what it was given."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.peers", description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=4000, help="rounds for each (default: %(default)s)")
    parser.add_argument("--paced", type=int, default=250, help="of these at 25 a second (default: %(default)s)")
    parser.add_argument("--sql", type=Path, action="append", default=[], help="a file of a SQL ledger, in order")
    parser.add_argument("--ours", type=float, default=0.2, help="scale of our profiles; 0 leaves them out")
    parser.add_argument("--corpora", type=Path, default=DIRECTORY, help="where corpora are kept")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the figures are kept")
    options = parser.parse_args(words)
    if options.paced >= options.rounds:
        parser.error("--paced must be fewer than --rounds")
    if missing := [str(file) for file in options.sql if not file.is_file()]:
        parser.error(f"--sql: there is no file {', '.join(missing)}")
    head = Head(rounds=options.rounds, tables=48)
    rounds = settled(head, corpus(head, options.corpora))
    peers: list[Peer] = [EventStore(), Rows()]
    if options.sql:
        peers.append(SqlLedger(options.sql))
    else:
        _say("no ledger of SQL functions: name its files with --sql")
    found, load_before = [], load()
    for peer in peers:
        _say(peer.name)
        with PostgresServer() as server:
            found.append(measured(peer, server.url, rounds, options.paced))
    if options.ours:
        found.append(ours(options.ours, options.corpora, _say))
    document: dict[str, Any] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": asdict(Source.here()),
        "load": [load_before, load()],
        "rounds": options.rounds,
        "peers": [asdict(one) for one in found],
    }
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with options.results.open("a") as file:
        file.write(json.dumps(document) + "\n")
    sys.stdout.writelines(f"{line}\n" for line in lines(document["peers"]))
    return 1 if any(one.wrong for one in found) else 0


def _say(what: str) -> None:
    sys.stderr.write(f"peers: {what}\n")


if __name__ == "__main__":
    sys.exit(main())
