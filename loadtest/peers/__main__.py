"""Compare storing the same settled rounds in other systems and in Pitledger; print one table.

    python -m loadtest.peers --rounds 2000
    python -m loadtest.peers --sql ulid-to-uuid.sql --sql uuid-to-ulid.sql --sql pgledger.sql
    python -m loadtest.peers --tigerbeetle ./tigerbeetle
    python -m loadtest.peers --database postgresql+psycopg://... --formance ./ledger

Each peer has one client, and either its own server or its own database on a PostgreSQL server with the same settings
for all peers. The rounds are settled before timing starts. Measured are the rate with one round per commit, the rate
with 200 rounds per commit, and the latency of each round at 25 rounds per second. Then the stored rounds are compared
with the given rounds. Pitledger's measurement includes more work: Pitledger also reads the event from a broker,
settles, signs, hashes, publishes and reports it.
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

from loadtest.bench.load import run
from loadtest.bench.outcome import Outcome, Source, ages
from loadtest.bench.processes import Family, load
from loadtest.bench.profiles import PROFILES
from loadtest.peers import RESULTS
from loadtest.peers.database import empty_database, server_process
from loadtest.peers.event_store import EventStore
from loadtest.peers.formance import Formance
from loadtest.peers.peer import Peer, SettledRound, accounts_of, settled
from loadtest.peers.rows import Rows
from loadtest.peers.sql_ledger import SqlLedger
from loadtest.peers.table import Kept, lines
from loadtest.peers.tigerbeetle import TigerBeetle
from loadtest.traffic.arrivals import Stage, due, scaled
from loadtest.traffic.corpus import DIRECTORY, Head, corpus

_TOGETHER: Final = 200
_RATE: Final = 25.0


def measured(peer: Peer, url: str, rounds: Sequence[SettledRound], paced: int) -> Kept:
    """Measure a peer with one round per commit, with batches, and with `paced` rounds at a constant rate."""
    family = Family(os.getpid(), *server_process(url))
    peer.open(url, accounts_of(rounds))
    try:
        free = len(rounds) - paced
        single, together, last = rounds[: free // 2], rounds[free // 2 : free], rounds[free:]
        size = peer.size()
        one = _timed(family, peer, single, 1)
        many = _timed(family, peer, together, _TOGETHER)
        waits = _paced(peer, last)
        grown = (peer.size() - size) / len(rounds)
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
    """Return percentiles of the milliseconds from a round's due time until it was stored."""
    since: dict[int, float] = {}
    until: dict[int, float] = {}
    began = time.monotonic()
    for number, (one, seconds) in enumerate(zip(rounds, due([Stage(len(rounds), _RATE)], seed=1), strict=True)):
        since[number] = began + seconds
        time.sleep(max(0.0, since[number] - time.monotonic()))
        peer.write([one])
        until[number] = time.monotonic()
    return ages(since, until)


def peers_of(
    sql: Sequence[Path], formance: Path | None, tigerbeetle: Path | None, say: Callable[[str], object]
) -> list[Peer]:
    """Return the peers to measure: those that need only libraries, and those whose files the options name."""
    peers: list[Peer] = [EventStore(), Rows()]
    if sql:
        peers.append(SqlLedger(sql))
    else:
        say("no ledger of SQL functions: name its files with --sql")
    if formance is not None:
        peers += [Formance(formance), Formance(formance, fewest=True)]
    else:
        say("no Formance: name its program with --formance")
    if tigerbeetle is not None:
        peers.append(TigerBeetle(tigerbeetle))
    else:
        say("no TigerBeetle: name its program with --tigerbeetle")
    return peers


def ours(scale: float, directory: Path, say: Callable[[str], object]) -> Kept:
    """Return Pitledger's results: the rate of unpaced rounds, and the latency at 25 rounds per second."""

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
    """Measure, print and store the results; return 1 if a peer did not store exactly the given rounds, else 0."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.peers", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--rounds", type=int, default=4000, help="number of rounds for each peer (default: %(default)s)"
    )
    parser.add_argument(
        "--paced",
        type=int,
        default=250,
        help="number of these rounds sent at a fixed 25 per second (default: %(default)s)",
    )
    parser.add_argument(
        "--sql",
        type=Path,
        action="append",
        default=[],
        help="SQL file that creates a peer ledger; may be repeated, executed in order",
    )
    parser.add_argument("--database", help="SQLAlchemy URL of a local PostgreSQL server for the peer ledgers")
    parser.add_argument("--formance", type=Path, help="path to the Formance ledger executable")
    parser.add_argument("--tigerbeetle", type=Path, help="path to the TigerBeetle executable")
    parser.add_argument(
        "--ours",
        type=float,
        default=0.2,
        help="factor for the number of rounds in Pitledger's own profiles; 0: skip them",
    )
    parser.add_argument("--corpora", type=Path, default=DIRECTORY, help="directory of the generated input records")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to which the results are appended")
    options = parser.parse_args(words)
    if options.paced >= options.rounds:
        parser.error("--paced must be fewer than --rounds")
    named = {"sql": options.sql, "formance": [options.formance], "tigerbeetle": [options.tigerbeetle]}
    for option, files in named.items():
        if missing := [str(file) for file in files if file is not None and not file.is_file()]:
            parser.error(f"--{option}: there is no file {', '.join(missing)}")
    head = Head(rounds=options.rounds, tables=48)
    rounds = settled(head, corpus(head, options.corpora))
    found, load_before = [], load()
    for peer in peers_of(options.sql, options.formance, options.tigerbeetle, _say):
        _say(peer.name)
        with empty_database(options.database) as url:
            found.append(measured(peer, url, rounds, options.paced))
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
