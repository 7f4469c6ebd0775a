"""Measure the archiving of entries from PostgreSQL to files that are read back and proven.

  python -m loadtest.bench.archive --entries 200000 --days 4

The benchmark fills the journal of round settlement with settled rounds of a simulated casino, on an embedded
PostgreSQL, and signs it. Then `pitledger archive run` archives one gaming day after the other. As a baseline, PyIceberg
writes the same rows after each day, from Arrow in memory into an Iceberg table with the same properties. Printed are
the entries per second of CPU time (archiving counts the command with its start, and PostgreSQL), the ratio of archiving
to the baseline, and the bytes per entry in files and in PostgreSQL's heap. Finally the archive is verified; the exit
code is 1 if that fails. Slowness never fails a run.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import psycopg
import pyarrow as pa
from pyarrow import parquet
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import MetaData
from sqlalchemy.ext.asyncio import AsyncEngine

from loadtest.bench.processes import Family, load
from loadtest.floor.games import pit
from loadtest.traffic.casino import casino
from loadtest.traffic.synthetic_month import month
from loadtest.traffic.target import conninfo_of
from shared.journal.archive.columns import ENTRIES, PARTITION
from shared.journal.archive.manifest import DayManifest
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, sign
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.entry import Account, EntryDraft, Posting
from shared.journal.ledger import Ledger
from shared.journal.merkle import Frontier
from shared.journal.proof_builder import list_checkpoint
from shared.journal.shard import Seals, Shard
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import Signer
from shared.journal.tables import JournalTables, journal_tables
from shared.local.postgres import PostgresServer
from shared.runtime.database import create_engine
from shared.runtime.database_names import role_of

_PROPERTY: Final = "bedrock"
_FIRST_DAY: Final = date(2026, 3, 2)
_SETTLEMENT: Final = "round-settlement"
_INVENTORY: Final = "table-inventory"
_TABLES: Final = 24
_SHARDS: Final = 4
_AT_ONCE: Final = 2_000
_LEGS: Final = ("handle", "payout")
_WAGERS: Final = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Turn:
    """One archived day and its baseline: number of entries, and CPU seconds of command, PostgreSQL and baseline."""

    entries: int
    command: float
    postgres: float
    writing: float

    @property
    def rate(self) -> float:
        """Return the entries archived per CPU second, from PostgreSQL to verified files."""
        return self.entries / (self.command + self.postgres)

    @property
    def writing_rate(self) -> float:
        """Return the entries per CPU second of the baseline, which only writes the rows."""
        return self.entries / self.writing


class Installation:
    """A database with one property's journals, the services' keys, and an archive."""

    def __init__(self, server: PostgresServer, home: Path) -> None:
        self._home, self._server = home, server
        self.store = home / "archive"
        self._environment = {
            **os.environ,
            "DATABASE_URL": server.url,
            "PITLEDGER_ARCHIVE_STORE": str(self.store),
            "PITLEDGER_ARCHIVE_KEY_FILE": str(home / "keys" / "archive.pem"),
            "PITLEDGER_CHECKPOINT_VERIFIERS_FILE": str(home / "keys" / "verifiers.txt"),
            "PYTHONDONTWRITEBYTECODE": "",  # an installation is compiled once, and not at every start
            "PYTHONPYCACHEPREFIX": str(home / "compiled"),
        }
        self.command("keys", str(home / "keys"))
        self.command("db", "upgrade")

    def command(self, *words: str) -> float:
        """Run a `pitledger` command; return the CPU seconds that it used. Raises: CalledProcessError."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-m", "services.cli.main", *words],
            env=self._environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def fill(self, service: str, drafts: Iterator[EntryDraft], shards: int) -> int:
        """Record entries in several shards in turn, and sign each shard's checkpoint; return the number of entries."""
        signer = Signer.from_pem(self._home / "keys" / f"{service}.pem", signer_name(service))
        return asyncio.run(self._fill(service, drafts, shards, signer))

    async def _fill(self, service: str, drafts: Iterator[EntryDraft], shards: int, signer: Signer) -> int:
        tables = journal_tables(MetaData(), role_of(service))
        ledger = Ledger(tables, Seals(signer.name, [signer.verifier], signer))
        engine = create_engine(self._server.url, role=role_of(service))
        total, number = 0, 0
        try:
            while part := list(islice(drafts, _AT_ONCE)):
                await _append(engine, ledger, f"table.events/{number % shards}@bench", part)
                total, number = total + len(part), number + 1
            await _sign(engine, tables, service, signer, DirectoryStore(self._home / "checkpoints"))
        finally:
            await engine.dispose()
        return total


async def _append(engine: AsyncEngine, ledger: Ledger, shard_name: str, part: Sequence[EntryDraft]) -> None:
    await ledger.ensure_accounts(engine, {posting.account for draft in part for posting in draft.postings})
    async with engine.begin() as connection:
        shard = await ledger.open_shard(connection, shard_name)
        after = shard.next_offset + len(part)
        await ledger.append(connection, shard, part, next_offset=after, recorded_at=datetime.now(UTC))


async def _sign(
    engine: AsyncEngine, tables: JournalTables, service: str, signer: Signer, store: DirectoryStore
) -> None:
    e = tables.entries.c
    async with engine.begin() as connection:
        for row in (await connection.execute(tables.shards.select())).all():
            shard = Shard(*row)
            query = tables.entries.select().with_only_columns(e.hash).where(e.shard == shard.shard).order_by(e.seq)
            log = Frontier().extend((await connection.scalars(query)).all())
            note = sign(Checkpoint(checkpoint_origin(service, shard.name), log.size, log.root()), signer)
            store.save(note)
            await list_checkpoint(connection, tables, shard.shard, log.size, note, datetime.now(UTC))


def rounds(days: Sequence[date], entries: int) -> Iterator[EntryDraft]:
    """Yield settled rounds of a simulated casino, the same number for each day, with seven postings each."""
    where = casino(_PROPERTY, pit(_TABLES), _FIRST_DAY)
    each = max(1, entries // len(days) // _TABLES)
    sequences: dict[str, int] = {}
    for _, value in month(where, gaming_days=days, rounds_per_table_day=each, seed=1):
        fact = json.loads(value)["data"]
        table = fact["table"]
        sequence = sequences[table] = sequences.get(table, 0) + 1
        yield EntryDraft(
            kind="settlement.posted",
            source=f"/properties/{_PROPERTY}/tables/{table}",
            sequence=sequence,
            event_id=fact["round_id"],
            offset=sequence,
            record_hash=os.urandom(32),
            gaming_day=date.fromisoformat(fact["gaming_day"]),
            occurred_at=datetime.fromisoformat(fact["closed_at"]),
            data=json.dumps(fact, separators=(",", ":")).encode(),
            postings=_postings(table, sequence),
        )


def _postings(table: str, sequence: int) -> tuple[Posting, ...]:
    cents = [(500 + 100 * (sequence % 37)) * (1 if leg == "payout" else -1) for _ in _WAGERS for leg in _LEGS]
    cents[1] += 100 * (sequence % 11)
    accounts = [Account(_PROPERTY, table, wager, leg) for wager in _WAGERS for leg in _LEGS]
    lines = [*zip(accounts, cents, strict=True), (Account(_PROPERTY, table, "", "chips"), -sum(cents))]
    return tuple(Posting(account, amount) for account, amount in lines)


def seals(days: Sequence[date]) -> Iterator[EntryDraft]:
    """Yield the drafts of the entries that seal the gaming days."""
    for number, day in enumerate(days, 1):
        yield EntryDraft(
            kind="day.final",
            source=f"/properties/{_PROPERTY}/desk",
            sequence=number,
            event_id=f"seal-{number}",
            offset=None,
            gaming_day=day,
            occurred_at=datetime.now(UTC),
            data=f'{{"property":"{_PROPERTY}","gaming_day":"{day}"}}'.encode(),
        )


def write_alone(store: Path, manifest: DayManifest, home: Path) -> float:
    """Write a day's entries from Arrow into a new Iceberg table (the baseline); return the CPU seconds used."""
    paths = [store / one.path for one in manifest.files if one.table == "entries" and one.service == _SETTLEMENT]
    rows = pa.concat_tables([parquet.read_table(path).cast(ENTRIES) for path in paths])
    folder = home / f"alone-{manifest.number}"
    folder.mkdir()
    catalog = SqlCatalog("alone", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    catalog.create_namespace("alone")
    properties = {"write.parquet.compression-level": "3", "write.parquet.row-group-limit": "65536"}
    table = catalog.create_table("alone.entries", ENTRIES, properties=properties)
    with table.update_spec() as spec:
        for column in PARTITION:
            spec.add_identity(column.name)
    before = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there is nothing to overwrite
        table.overwrite(rows, overwrite_filter=f"gaming_day = '{manifest.gaming_day}'")
    used = time.process_time() - before
    catalog.engine.dispose()
    return used


def measure(options: argparse.Namespace, home: Path) -> bool:
    """Fill the journal, archive its days, print the figures, and verify the archive; return True.

    Raises: CalledProcessError if a command fails, such as the verification.
    """
    days = [_FIRST_DAY + timedelta(days=number) for number in range(options.days)]
    with PostgresServer(settings={"fsync": "off", "full_page_writes": "off"}) as server:
        found = Installation(server, home)
        filled = found.fill(_SETTLEMENT, rounds(days, options.entries), _SHARDS)
        found.fill(_INVENTORY, seals(days), 1)
        with psycopg.connect(conninfo_of(server.url), autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE round_settlement.entries")
            heap = _bytes(connection)
            postgres = Family(int(connection.execute(_POSTMASTER).fetchone()[0]))  # type: ignore[index]
            say(
                f"{filled:,} entries on {len(days)} days, {heap / filled:.0f} bytes each in the heap; load {load():.1f}"
            )
            started = found.command("archive", "run", "--property", "-")  # scans what is new, and nothing is due
            say(f"scanned, with the start of the command: {started:.1f} s of CPU time")
            start = found.command("archive", "run", "--property", "-")
            turns = [_turn(found, postgres, day, number, home) for number, day in enumerate(days, 1)]
        for turn in turns:
            of_which = f"command {turn.command:.1f} s, of which start {start:.1f} s, PostgreSQL {turn.postgres:.1f} s"
            say(
                f"{turn.entries:,} entries: {turn.rate:,.0f} a CPU second ({of_which}); "
                f"writing alone {turn.writing_rate:,.0f}; share {turn.rate / turn.writing_rate:.2f}"
            )
        total = sum(turn.entries for turn in turns)
        working = sum(turn.command + turn.postgres - start for turn in turns)
        written = sum(path.stat().st_size for path in (found.store / "tables").rglob("*.parquet"))
        say(
            f"all: {total / working:,.0f} a CPU second without the starts, {written / total:.0f} bytes an entry, "
            f"{written / heap:.2f} of the heap; load {load():.1f}"
        )
        used = found.command("archive", "verify")
        say(f"verified in {used:.1f} s of CPU time: {total / used:,.0f} a CPU second")
    return True


_POSTMASTER: Final = "SELECT (string_to_array(pg_read_file('postmaster.pid'), E'\\n'))[1]"


def _turn(found: Installation, postgres: Family, day: date, number: int, home: Path) -> Turn:
    before = postgres.used()
    command = found.command("archive", "run", "--property", _PROPERTY, "--gaming-day", day.isoformat())
    of_postgres = sum(postgres.used().since(before).processes.values())
    manifest = DayManifest.read((found.store / f"manifests/{number:010d}.json").read_bytes())
    return Turn(manifest.rows(), command, of_postgres, write_alone(found.store, manifest, home))


def _bytes(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute(
        "SELECT pg_relation_size('round_settlement.entries') + pg_relation_size(reltoastrelid) "
        "FROM pg_class WHERE oid = 'round_settlement.entries'::regclass"
    ).fetchone()
    assert row is not None
    return int(row[0])


def say(text: str) -> None:
    """Print a line, and flush."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code: 1 if a command fails, such as the verification."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=200_000, help="total number of entries (default: 200,000)")
    parser.add_argument(
        "--days", type=int, default=4, help="number of gaming days, each archived separately (default: 4)"
    )
    parser.add_argument(
        "--keep", type=Path, help="keep archive and keys in this new directory, for `pitledger spark` and `sql`"
    )
    options = parser.parse_args(words)
    if options.keep is not None:
        options.keep.mkdir(parents=True)
    home_of = TemporaryDirectory(prefix="pitledger-archive-") if options.keep is None else nullcontext(options.keep)
    with home_of as home:
        try:
            return 0 if measure(options, Path(home)) else 1
        except subprocess.CalledProcessError as error:
            say(f"failed: {error}")
            return 1


if __name__ == "__main__":
    sys.exit(main())
