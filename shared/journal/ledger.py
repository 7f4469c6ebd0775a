"""Writes a journal: opens shards, appends entries with their postings, advances the shard; all under its fence."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

import psycopg
from sqlalchemy import func, select, tuple_
from sqlalchemy import insert as insert_into
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.journal.entry import Account, Draft, Entry, genesis, seal
from shared.journal.statements import Pipeline, arguments, copy_rows, copy_text, insert, pipeline
from shared.journal.tables import JournalTables


class Fenced(Exception):
    """Another consumer has advanced this shard: what was read of it is stale."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard as it stands: the input offset to read next, the next entry, and the head of the chain (32 bytes)."""

    shard: int
    name: str
    next_offset: int
    next_seq: int
    head: bytes


_ENTRY = {
    "shard": "int",
    "seq": "bigint",
    "kind": "text",
    "source": "text",
    "sequence": "bigint",
    "event_id": "text",
    "offset": "bigint",
    "gaming_day": "date",
    "occurred_at": "timestamptz",
    "recorded_at": "timestamptz",
    "data": "json",
    "previous": "bytea",
    "hash": "bytea",
}
_POSTING = {"shard": "int", "seq": "bigint", "line": "smallint", "account": "int", "cents": "bigint"}
_STREAM = {"source": "text", "last_sequence": "bigint"}

COPY_FROM: Final = 100
"""So many entries are copied, which costs less for each; fewer go out in one wait with what is written beside them."""


def _entry_row(entry: Entry) -> tuple[Any, ...]:
    draft = entry.draft
    return (
        entry.shard,
        entry.seq,
        draft.kind,
        draft.source,
        draft.sequence,
        draft.event_id,
        draft.offset,
        draft.gaming_day,
        draft.occurred_at,
        entry.recorded_at,
        draft.data.decode(),
        entry.previous,
        entry.hash,
    )


_NULL: Final = "\\N"


def _entry_text(entry: Entry) -> str:
    """The same row in COPY text format."""
    draft = entry.draft
    return (
        f"{entry.shard}\t{entry.seq}\t{draft.kind}\t{copy_text(draft.source)}\t{draft.sequence}\t"
        f"{copy_text(draft.event_id)}\t{_NULL if draft.offset is None else draft.offset}\t"
        f"{_NULL if draft.gaming_day is None else draft.gaming_day.isoformat()}\t"
        f"{draft.occurred_at.isoformat()}\t{entry.recorded_at.isoformat()}\t"
        f"{copy_text(draft.data.decode())}\t\\\\x{entry.previous.hex()}\t\\\\x{entry.hash.hex()}\n"
    )


Beside = Callable[[Pipeline, list[Entry]], Awaitable[None]]
"""Sends what is written together with entries."""


@dataclass(frozen=True, slots=True)
class _Addition:
    """What is written at once: a shard before and after its new entries, their postings (as rows), what is beside."""

    before: Shard
    after: Shard
    entries: list[Entry]
    postings: Sequence[tuple[int, ...]]
    beside: Beside | None


def _require(shard: Shard, found: Any, cause: Exception | None = None) -> None:
    """Raises: Fenced where the shard that was found is not as the caller read it."""
    next_offset, next_seq, head = found
    if (next_offset, next_seq, head) != (shard.next_offset, shard.next_seq, shard.head):
        raise Fenced(
            f"shard {shard.name} stands at offset {next_offset}, entry {next_seq}; "
            f"this consumer read offset {shard.next_offset}, entry {shard.next_seq}"
        ) from cause


class Ledger:
    """The journal of one service. Account numbers are cached; everything else is read from the database."""

    def __init__(self, tables: JournalTables) -> None:
        self.tables = tables
        schema = tables.schema
        self._lock = f"SELECT next_offset, next_seq, head FROM {schema}.shards WHERE shard = %(shard)s FOR UPDATE"  # noqa: S608 - our schema
        self._add_entries = insert(f"{schema}.entries", _ENTRY)
        self._add_postings = insert(f"{schema}.postings", _POSTING)
        self._advance = (
            f"UPDATE {schema}.shards SET next_offset = %(next_offset)s, next_seq = %(next_seq)s, head = %(head)s "  # noqa: S608 - our schema
            "WHERE shard = %(shard)s"
        )
        add_streams = insert(f"{schema}.sources", _STREAM)
        self._save_streams = f"{add_streams} ON CONFLICT (source) DO UPDATE SET last_sequence = excluded.last_sequence"
        self._accounts: dict[Account, int] = {}
        self._turns: dict[str, asyncio.Lock] = {}

    def turn(self, shard_name: str) -> asyncio.Lock:
        """The turn of those in this process who append to one shard: one after the other, nobody is fenced off."""
        return self._turns.setdefault(shard_name, asyncio.Lock())

    async def open_shard(self, connection: AsyncConnection, name: str) -> Shard:
        """The shard of that name; a new one starts at offset 0 with entry 1."""
        shards = self.tables.shards
        query = select(shards.c.shard, shards.c.name, shards.c.next_offset, shards.c.next_seq, shards.c.head).where(
            shards.c.name == name
        )
        row = (await connection.execute(query)).one_or_none()
        if row is None:
            await connection.execute(
                upsert(shards)
                .values(name=name, next_offset=0, next_seq=1, head=genesis(name))
                .on_conflict_do_nothing(index_elements=["name"])
            )
            row = (await connection.execute(query)).one()
            await connection.execute(
                upsert(self.tables.relay).values(shard=row.shard, published_seq=0).on_conflict_do_nothing()
            )
        return Shard(*row)

    async def lock_shard(self, connection: AsyncConnection, name: str) -> Shard:
        """Return the shard of that name, which is there, locked until the transaction ends."""
        s = self.tables.shards.c
        query = select(s.shard, s.name, s.next_offset, s.next_seq, s.head).where(s.name == name).with_for_update()
        return Shard(*(await connection.execute(query)).one())

    async def take_shard(self, connection: AsyncConnection, prefix: str, *, skip_locked: bool) -> Shard | None:
        """Return a shard whose name begins so, locked until the transaction ends; None where there is none (free)."""
        s = self.tables.shards.c
        query = (
            select(s.shard, s.name, s.next_offset, s.next_seq, s.head)
            .where(s.name.startswith(prefix))
            .order_by(s.shard)
            .limit(1)
            .with_for_update(skip_locked=skip_locked)
        )
        row = (await connection.execute(query)).one_or_none()
        return None if row is None else Shard(*row)

    async def add_shard(self, connection: AsyncConnection, prefix: str) -> Shard:
        """Open the next shard whose name begins so: `commands/0`, `commands/1`."""
        s = self.tables.shards.c
        count = (await connection.execute(select(func.count()).where(s.name.startswith(prefix)))).scalar_one()
        return await self.open_shard(connection, f"{prefix}{count}")

    async def know_accounts(self, engine: AsyncEngine, accounts: Iterable[Account]) -> bool:
        """Make sure that the accounts exist and their numbers are known, in a transaction of its own.

        Return whether some were not known.
        """
        unknown = {account for account in accounts if account not in self._accounts}
        if not unknown:
            return False
        table = self.tables.accounts
        async with engine.begin() as connection:
            await connection.execute(
                upsert(table).on_conflict_do_nothing(), [account._asdict() for account in sorted(unknown)]
            )
            key = tuple_(table.c.property, table.c.table, table.c.wager, table.c.leg)
            found = await connection.execute(select(table).where(key.in_([tuple(account) for account in unknown])))
            numbers = {Account(row.property, row.table, row.wager, row.leg): row.account for row in found}
        self._accounts.update(numbers)
        return True

    async def append(
        self,
        connection: AsyncConnection,
        shard: Shard,
        drafts: Sequence[Draft],
        *,
        next_offset: int,
        recorded_at: datetime,
        beside: Beside | None = None,
    ) -> tuple[list[Entry], Shard]:
        """Appends the drafts to the shard inside the caller's transaction, and what is to be written beside them.

        Returns the entries and the shard as it will stand after the commit. The accounts must be known.
        Raises: Fenced when the shard is not as the caller read it.
        """
        entries = seal(
            drafts,
            shard=shard.shard,
            shard_name=shard.name,
            next_seq=shard.next_seq,
            head=shard.head,
            recorded_at=recorded_at,
        )
        after = Shard(
            shard.shard,
            shard.name,
            next_offset,
            shard.next_seq + len(entries),
            entries[-1].hash if entries else shard.head,
        )
        postings = [
            (entry.shard, entry.seq, line, self._accounts[account], cents)
            for entry in entries
            for line, (account, cents) in enumerate(entry.draft.postings)
        ]
        addition = _Addition(shard, after, entries, postings, beside)
        if len(entries) < COPY_FROM:
            await self._append_together(connection, addition)
        else:
            await self._append_copied(connection, addition)
        return entries, after

    async def _append_together(self, connection: AsyncConnection, new: _Addition) -> None:
        """Appends in one wait."""
        try:
            async with pipeline(connection) as sent:
                found = await sent.execute(self._lock, {"shard": new.before.shard})
                if new.entries:
                    await sent.execute(self._add_entries, arguments(_ENTRY, map(_entry_row, new.entries)))
                if new.postings:
                    await sent.execute(self._add_postings, arguments(_POSTING, new.postings))
                await self._finish(sent, new)
        except psycopg.IntegrityError as error:  # entries that do not follow are refused
            _require(new.before, await found.fetchone(), error)
            raise
        _require(new.before, await found.fetchone())

    async def _append_copied(self, connection: AsyncConnection, new: _Addition) -> None:
        """Appends by COPY, in a wait for each table."""
        found = await connection.exec_driver_sql(self._lock, {"shard": new.before.shard})
        _require(new.before, found.one())
        schema = self.tables.schema
        await copy_rows(connection, f"{schema}.entries", tuple(_ENTRY), "".join(map(_entry_text, new.entries)))
        if new.postings:
            lines = "".join(map("{}\t{}\t{}\t{}\t{}\n".format, *zip(*new.postings, strict=True)))
            await copy_rows(connection, f"{schema}.postings", tuple(_POSTING), lines)
        async with pipeline(connection) as sent:
            await self._finish(sent, new)

    async def _finish(self, sent: Pipeline, new: _Addition) -> None:
        await sent.execute(self._advance, asdict(new.after))
        if new.beside is not None:
            await new.beside(sent, new.entries)

    async def save_streams(self, sent: Pipeline, lasts: Mapping[str, int]) -> None:
        """Records the highest sequence of each stream."""
        if lasts:
            await sent.execute(self._save_streams, arguments(_STREAM, sorted(lasts.items())))

    async def save_gaps(
        self, connection: AsyncConnection, source: str, gaps: Sequence[tuple[int, int]], moment: datetime
    ) -> None:
        """Replaces the gaps of a stream; a gap that only shrank at its end keeps the moment when it opened."""
        table = self.tables.gaps
        await connection.execute(
            table.delete().where(table.c.source == source, table.c.first.not_in([first for first, _ in gaps]))
        )
        if gaps:
            statement = upsert(table)
            await connection.execute(
                statement.on_conflict_do_update(
                    index_elements=["source", "first"], set_={"last": statement.excluded.last}
                ),
                [{"source": source, "first": first, "last": last, "opened_at": moment} for first, last in gaps],
            )

    async def quarantine(self, connection: AsyncConnection, rows: Sequence[dict[str, Any]]) -> None:
        """Keeps refused records with their bytes."""
        if rows:
            await connection.execute(insert_into(self.tables.quarantine), list(rows))
