"""Write a journal: open shards, append entries with postings, and advance the shards, protected by fencing."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import AsyncCursor
from sqlalchemy import func
from sqlalchemy import select as select_from
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.contracts.legs import require_declared
from shared.journal.bulk import Row, Statement, compiled, copy_tuples, excluded, insert, keyed, replaced, select, update
from shared.journal.entry import Account, Entry, EntryDraft, genesis, seal
from shared.journal.entry_rows import ENTRY_COLUMNS, entry_values
from shared.journal.event_dedup import Taken, taken_rows
from shared.journal.pipeline import Pipeline, pipeline
from shared.journal.shard import Seals, Shard
from shared.journal.signed_rows import signed_rows
from shared.journal.tables import JournalTables


class Fenced(Exception):
    """Another process has advanced this shard, so the state that the caller read is stale."""


class StreamTaken(Fenced):
    """Another partition has recorded events of a stream, so the stream positions that the caller read are stale."""

    def __init__(self, shard: Shard) -> None:
        super().__init__(f"another partition than that of {shard.name} has taken events of the same streams")


COPY_FROM: Final = 100
"""Minimum number of entries for which COPY is used; fewer entries are sent in one round trip with other statements."""


_RECORD_HASH: Final = ENTRY_COLUMNS.index("record_hash")


def _by_hash(row: tuple[Any, ...]) -> bytes:
    return row[_RECORD_HASH] or b""


@cache
def _first_shard(tables: JournalTables, prefix: str, skip_locked: bool) -> Statement:
    s = tables.shards.c
    query = select_from(tables.shards).where(s.name.startswith(prefix))
    return compiled(query.order_by(s.shard).limit(1).with_for_update(skip_locked=skip_locked))


@cache
def _positions(tables: JournalTables, prefix: str) -> Statement:
    s = tables.shards.c
    return compiled(select_from(s.name, s.next_seq).where(s.name.startswith(prefix)))


Write = Callable[[Pipeline, list[Entry]], Awaitable[None]]
"""Sends further writes in the same pipeline as the entries."""

_Finish = Callable[[Pipeline], Awaitable[None]]
"""Advances the shard past its new entries."""


def _require(shards: Iterable[Shard], found: Iterable[Sequence[Any]], cause: Exception | None = None) -> None:
    """Raise Fenced if a shard's row differs from the state that the caller read."""
    stands = {row[0]: tuple(row[1:]) for row in found}
    for shard in shards:
        if shard.shard not in stands:
            raise Fenced(f"shard {shard.name} is gone; this consumer read entry {shard.next_seq}") from cause
        next_offset, next_seq, head = stands[shard.shard]
        if (next_offset, next_seq, head) != (shard.next_offset, shard.next_seq, shard.head):
            raise Fenced(
                f"shard {shard.name} stands at offset {next_offset}, entry {next_seq}; "
                f"this consumer read offset {shard.next_offset}, entry {shard.next_seq}"
            ) from cause


class Addition(NamedTuple):
    """Entries to append to a shard, the shard's state as the caller read it, and the next offset of its input."""

    shard: Shard
    drafts: Sequence[EntryDraft]
    next_offset: int


@dataclass(frozen=True, slots=True)
class _Added:
    """The rows of new entries, and the shards to check for changes since the caller read them."""

    shards: list[Shard]
    entries: list[tuple[Any, ...]]

    @property
    def locked(self) -> list[Row]:
        return [{"shard": shard.shard} for shard in self.shards]


class Ledger:
    """The journal of one service. Account numbers are cached; everything else is read from the database.

    With `seals`, the state of each shard is signed, and verified before anything is appended.
    """

    def __init__(self, tables: JournalTables, seals: Seals | None = None) -> None:
        self.tables = tables
        self.seals = seals
        position = ("next_offset", "next_seq", "head")
        self._lock = select(tables.shards, ("shard", *position), lock=True)
        self._advance = update(tables.shards, (*position, "seal"))
        self._add_entries = insert(tables.entries, ENTRY_COLUMNS, as_given=True)
        self._add_accounts = insert(tables.accounts, Account._fields, on_conflict="skip")
        self._find_accounts = select(tables.accounts, by=Account._fields)
        sources, new = tables.sources.c, excluded(tables.sources)
        after = {"spread": sources.spread | ((sources.shard != new.shard) & (sources.shard > 0))}
        self._save_streams = insert(
            tables.sources,
            on_conflict=replaced(tables.sources) | after,
            where=sources.version == new.version - 1,
        )
        self._save_taken = insert(tables.taken)
        self._save_gaps = insert(tables.gaps, on_conflict=replaced(tables.gaps, "last"))
        self._accounts: dict[Account, int] = {}
        self._turns: dict[str, asyncio.Lock] = {}

    def turn(self, shard_name: str) -> asyncio.Lock:
        """Return the lock that serializes appends to a shard within this process."""
        return self._turns.setdefault(shard_name, asyncio.Lock())

    async def open_shard(self, connection: AsyncConnection, name: str) -> Shard:
        """Return the shard of that name, locked, without checking its seal; a new one starts at offset 0, entry 1."""
        shards = self.tables.shards
        query = select_from(shards).where(shards.c.name == name).with_for_update()
        row = (await connection.execute(query)).one_or_none()
        if row is None:
            new = self._sealed(Shard(0, name, next_offset=0, next_seq=1, head=genesis(name)))
            values = {column: value for column, value in asdict(new).items() if column != "shard"}
            await connection.execute(upsert(shards).values(values).on_conflict_do_nothing(index_elements=["name"]))
            row = (await connection.execute(query)).one()
            [none] = signed_rows(self.seals, self.tables.relay, [{"shard": row.shard, "published_seq": 0}])
            await connection.execute(upsert(self.tables.relay).values(none).on_conflict_do_nothing())
        return Shard(*row)

    async def lock_shard(self, connection: AsyncConnection, name: str) -> Shard:
        """Return an existing shard, locked until the transaction ends. Raises: Unsealed."""
        shards = self.tables.shards
        query = select_from(shards).where(shards.c.name == name).with_for_update()
        return self.require_sealed(Shard(*(await connection.execute(query)).one()))

    async def take_shard(self, sent: Pipeline, prefix: str, *, skip_locked: bool) -> AsyncCursor[Any]:
        """Query and lock the first shard with a name prefix; the caller passes its row, if any, to `taken`."""
        return await sent.read(_first_shard(self.tables, prefix, skip_locked), [])

    async def find_positions(self, sent: Pipeline, prefix: str) -> AsyncCursor[Any]:
        """Query the names and next sequences of all shards with a name prefix, without locking them."""
        return await sent.read(_positions(self.tables, prefix), [])

    def taken(self, row: Sequence[Any]) -> Shard:
        """Convert a row that `take_shard` queried to a shard. Raises: Unsealed if its seal is invalid."""
        return self.require_sealed(Shard(*row))

    async def add_shard(self, connection: AsyncConnection, prefix: str) -> Shard:
        """Open a new shard, numbered after those with this prefix: `commands/0`, `commands/1`."""
        s = self.tables.shards.c
        count = (await connection.execute(select_from(func.count()).where(s.name.startswith(prefix)))).scalar_one()
        return await self.open_shard(connection, f"{prefix}{count}")

    def require_sealed(self, shard: Shard) -> Shard:
        """Return the shard unchanged if its seal is valid. Raises: Unsealed otherwise."""
        if self.seals is not None:
            self.seals.require(shard)
        return shard

    def _sealed(self, shard: Shard) -> Shard:
        return shard if self.seals is None else self.seals.sealed(shard)

    async def ensure_accounts(self, engine: AsyncEngine, accounts: Iterable[Account]) -> bool:
        """Ensure that the accounts exist and that their numbers are cached, in a separate transaction.

        Return whether the number of any account was not cached. Raises: LookupError for a leg that the service does not
        declare.
        """
        unknown = {account for account in accounts if account not in self._accounts}
        if not unknown:
            return False
        for account in unknown:
            require_declared(self.tables.schema.replace("_", "-"), account.leg)
        rows = [account._asdict() for account in sorted(unknown)]
        async with engine.begin() as connection:
            await self._add_accounts.write(connection, rows)
            found = await self._find_accounts.read(connection, rows)
            numbers = {Account(row.property, row.table, row.wager, row.leg): row.account for row in found}
        self._accounts.update(numbers)
        return True

    async def append(
        self,
        connection: AsyncConnection,
        shard: Shard,
        drafts: Sequence[EntryDraft],
        *,
        next_offset: int,
        recorded_at: datetime,
        write: Write | None = None,
        held: bool = False,
    ) -> tuple[list[Entry], Shard]:
        """Append drafts to one shard in the caller's transaction; see `append_all`."""
        addition = Addition(shard, drafts, next_offset)
        entries, (after,) = await self.append_all(
            connection, [addition], recorded_at=recorded_at, write=write, held=held
        )
        return entries, after

    async def append_all(
        self,
        connection: AsyncConnection,
        additions: Sequence[Addition],
        *,
        recorded_at: datetime,
        write: Write | None = None,
        held: bool = False,
    ) -> tuple[list[Entry], list[Shard]]:
        """Append to shards in the caller's transaction; `write` adds statements to the same round trip.

        If `held` is true, the transaction already holds the locks of the shards, so the shards cannot have changed.
        Return the entries, and the shards as they will be after the commit. The accounts must exist. Raises: Fenced if
        a shard is no longer in the state that the caller read.
        """
        entries: list[Entry] = []
        after: list[Shard] = []
        for shard, drafts, next_offset in additions:
            sealed = seal(
                drafts,
                shard=shard.shard,
                shard_name=shard.name,
                next_seq=shard.next_seq,
                head=shard.head,
                recorded_at=recorded_at,
            )
            head = sealed[-1].hash if sealed else shard.head
            entries += sealed
            moved = replace(shard, next_offset=next_offset, next_seq=shard.next_seq + len(sealed), head=head)
            after.append(self._sealed(moved))
        rows = [entry_values(entry, self._accounts) for entry in entries]
        if held:  # a command may reach two processes at once: one order of writing avoids a deadlock
            rows.sort(key=_by_hash)
        added = _Added([] if held else [shard for shard, _, _ in additions], rows)

        async def finish(sent: Pipeline) -> None:
            await sent.write(
                self._advance, [{name: getattr(one, name) for name in self._advance.columns} for one in after]
            )
            if write is not None:
                await write(sent, entries)

        append = self._append_together if len(entries) < COPY_FROM else self._append_copied
        await append(connection, added, finish)
        return entries, after

    async def _append_together(self, connection: AsyncConnection, added: _Added, finish: _Finish) -> None:
        """Append in one round trip."""
        found: AsyncCursor[Any] | None = None
        try:
            async with pipeline(connection) as sent:
                if added.shards:
                    found = await sent.read(self._lock, added.locked)
                rows = [{**row, "data": row["data"].decode()} for row in keyed(self._add_entries, added.entries)]
                await sent.write(self._add_entries, rows)
                await finish(sent)
        except psycopg.IntegrityError as error:  # constraints refuse entries that do not follow the shard's last entry
            if found is not None:
                _require(added.shards, await found.fetchall(), error)
            raise
        if found is not None:
            _require(added.shards, await found.fetchall())

    async def _append_copied(self, connection: AsyncConnection, added: _Added, finish: _Finish) -> None:
        """Append by COPY, which takes one more round trip."""
        if added.shards:
            found = await self._lock.read(connection, added.locked)
            _require(added.shards, found.all())
        await copy_tuples(connection, self.tables.entries, added.entries, ENTRY_COLUMNS)
        async with pipeline(connection) as sent:
            await finish(sent)

    async def save_streams(
        self, sent: Pipeline, shard: Shard, after: Mapping[str, tuple[int, int]], taken: Iterable[Taken]
    ) -> None:
        """Record the stream positions that a shard took, and the new state of the streams.

        `after` is source -> (last sequence, version); each version follows the one that the caller read. The pipeline
        raises StreamTaken if another shard has advanced a stream in the meantime.
        """
        streams = [
            {"source": source, "last_sequence": last, "shard": shard.shard, "version": version, "spread": False}
            for source, (last, version) in sorted(after.items())
        ]
        rows = [{**row, "shard": shard.shard, "version": after[row["source"]][1]} for row in taken_rows(taken)]
        await sent.write(self._save_streams, streams, otherwise=StreamTaken(shard))
        await sent.write(self._save_taken, signed_rows(self.seals, self.tables.taken, rows))

    async def save_gaps(self, connection: AsyncConnection, source: str, gaps: Sequence[tuple[int, int]]) -> None:
        """Replace the stored gaps (first, last) of a stream."""
        table = self.tables.gaps
        await connection.execute(
            table.delete().where(table.c.source == source, table.c.first.not_in([first for first, _ in gaps]))
        )
        rows = [{"source": source, "first": first, "last": last} for first, last in gaps]
        await self._save_gaps.write(connection, rows)
