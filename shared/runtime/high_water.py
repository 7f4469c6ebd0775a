"""High-water marks: the known length of a journal, by evidence outside its database.

While the database is behind these marks, nothing is recorded.

The stored answers of commands are in the same database, so a database restored to an earlier state forgets payments.
Before anything is recorded or published, the database is compared with evidence that is not restored with it: the
entries that this process wrote and read, signed checkpoints, and the service's own topics. No clock is involved.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from time import monotonic
from typing import Any, Final, NamedTuple, Protocol

import structlog
from sqlalchemy import event, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.rejection import Reason, Rejected
from shared.journal.shard import Shard
from shared.journal.tables import JournalTables
from shared.journal.verification import VerificationProblem, read_shards
from shared.runtime.database import Pools

log = structlog.get_logger()

_THIS_PROCESS: Final = "this process"
_CHECKPOINTS: Final = "a signed checkpoint"

_SERVER: Final = (
    "SELECT pg_postmaster_start_time()::text, oid::bigint FROM pg_database WHERE datname = current_database()"
)
"""Query for the server's start time and the database's id; if either changes, the journal may be an older one."""


class HighWaterMark(NamedTuple):
    """An entry that a shard must contain: its sequence, its hash, and `by`, the source that reported the entry."""

    seq: int
    hash: bytes
    by: str = _THIS_PROCESS


class HighWaterSource(Protocol):
    """Tells, from sources outside the database, how many entries each shard has. Methods raise ConnectionError."""

    def signed(self) -> Mapping[str, int]:
        """Return the number of entries covered by signed checkpoints, by shard name."""

    def published(self, sent: Mapping[int, int]) -> Mapping[int, HighWaterMark]:
        """Return the last published entry of each shard, by shard number.

        `sent` is the sequence up to which each shard is published according to the database; older entries are not
        read.
        """


class HighWater:
    """The high-water marks of all shards, and the problems found in the journal.

    Once any problem is found, nothing is recorded until the process ends.
    """

    def __init__(self, pools: Pools, tables: JournalTables, witness: HighWaterSource | None = None) -> None:
        self.problems: list[VerificationProblem] = []
        self.set_back: str | None = None
        """Why the database is behind its high-water marks, or None."""
        self._engine = pools.background
        self._tables = tables
        self._witness = witness
        self._known: dict[str, HighWaterMark] = {}
        self._signed: dict[str, int] = {}
        self._server: tuple[Any, ...] | None = None
        self._servers = 0
        """Number of times that a new connection found another server start or database than the previous connection."""
        self._compared: int | None = None
        """The value of `_servers` when the last finished comparison began."""
        self._turn = asyncio.Lock()
        self._asking_since: float | None = None
        for engine in {pools.commands, pools.background}:  # readers' connections record nothing
            event.listen(engine.sync_engine, "connect", self._met)

    def _met(self, connection: Any, record: object) -> None:
        """Identify the server of a new connection. If the server has changed, the database must be compared again."""
        del record
        cursor = connection.cursor()
        cursor.execute(_SERVER)
        server = tuple(cursor.fetchone())
        cursor.close()
        connection.commit()
        if server != self._server:
            self._server = server
            self._servers += 1

    # --- marks and problems ---

    def reached(self, shards: Iterable[Shard]) -> None:
        """Raise the marks of shards that this process has committed or locked."""
        for shard in shards:
            known = self._known.get(shard.name)
            if known is None or known.seq < shard.next_seq:
                self._known[shard.name] = HighWaterMark(shard.next_seq - 1, shard.head)

    def signed(self, sizes: Mapping[str, int]) -> None:
        """Raise the number of entries that signed checkpoints cover, by shard name; smaller numbers change nothing."""
        for name, size in sizes.items():
            self._signed[name] = max(size, self._signed.get(name, 0))

    def found(self, problem: VerificationProblem) -> bool:
        """Record a problem found in the journal; return whether it is new."""
        if problem in self.problems:
            return False
        self.problems.append(problem)
        return True

    # --- checks ---

    @property
    def waiting_seconds(self) -> float:
        """Return for how many seconds a comparison has waited for sources outside the database; 0 if none waits."""
        return 0.0 if self._asking_since is None else monotonic() - self._asking_since

    def require_whole(self) -> None:
        """Raise Rejected if a problem was found in the journal."""
        if not self.problems:
            return
        first = self.problems[0]
        place = f"{first.shard} entry {first.seq}" if first.seq else first.shard
        raise Rejected(
            Reason.JOURNAL_IN_DOUBT,
            f"{place}: {first.what}; the service records nothing until those who run it have settled that",
        )

    def require(self, shard: Shard) -> None:
        """Check a shard that the caller has locked. Raises: Rejected if the journal has a problem in any shard."""
        self.found_set_back(shard)
        self.require_whole()

    def known(self, prefix: str) -> Mapping[str, HighWaterMark]:
        """Return the high-water marks of the shards with this name prefix. Call it before reading those shards."""
        return {name: mark for name, mark in self._known.items() if name.startswith(prefix)}

    def require_all(self, known: Mapping[str, HighWaterMark], next_seqs: Mapping[str, int]) -> None:
        """Check unlocked shards against high-water marks that were read before the shards. Raises: Rejected.

        All shards are checked, because a command whose shard was rolled back could be recorded again in another shard.
        """
        for name, mark in known.items():
            last = next_seqs.get(name, 1) - 1
            if last < mark.seq:
                self._is_set_back(VerificationProblem(name, mark.seq, _gone(last, mark.by, mark.seq)))
        self.require_whole()

    def found_set_back(self, shard: Shard) -> str | None:
        """Check a shard that the caller has locked; return how the database is behind its high-water marks, or None."""
        self._look_at(shard, self._known.get(shard.name), self._signed.get(shard.name, 0))
        if self.set_back is None:
            self.reached([shard])
        return self.set_back

    def _look_at(self, shard: Shard, known: HighWaterMark | None, signed: int, stands: bytes | None = None) -> None:
        """Report a shard that is behind its mark or checkpoint. `stands` is the hash stored for the mark's sequence."""
        last = shard.next_seq - 1
        if known is not None and last < known.seq:
            self._is_set_back(VerificationProblem(shard.name, known.seq, _gone(last, known.by, known.seq)))
        elif known is not None and (shard.head if last == known.seq else stands) not in (None, known.hash):
            self._is_set_back(
                VerificationProblem(shard.name, known.seq, f"the entry is not the one that {known.by} knows")
            )
        if last < signed:
            self._is_set_back(VerificationProblem(shard.name, signed, _gone(last, _CHECKPOINTS, signed)))

    def _is_set_back(self, problem: VerificationProblem) -> None:
        if self.found(problem):
            log.error("database behind high-water mark", shard=problem.shard, entry=problem.seq, what=problem.what)
        self.set_back = self.set_back or f"{problem.shard} entry {problem.seq}: {problem.what}"

    async def compared(self) -> None:
        """Compare the database with the positions that were published and signed outside of it.

        Skipped if that was done since the last change of server or database. Raises: ConnectionError if those positions
        cannot be read.
        """
        if self._compared == self._servers:
            return
        async with self._turn:
            while self._compared != self._servers:
                self._asking_since = self._asking_since or monotonic()
                await self._compare()
            self._asking_since = None

    async def _compare(self) -> None:
        relay = self._tables.relay
        async with self._engine.connect() as connection:
            servers = self._servers
            sent = {row.shard: row.published_seq for row in await connection.execute(select(relay))}
        published: Mapping[int, HighWaterMark] = {}
        if self._witness is not None:
            self.signed(await asyncio.to_thread(self._witness.signed))
            published = await asyncio.to_thread(self._witness.published, sent)
        known, signed = dict(self._known), dict(self._signed)
        async with self._engine.connect() as connection:  # read last, so that it must contain everything known by then
            shards = await read_shards(connection, self._tables)
            by_name, by_number = {one.name: one for one in shards}, {one.shard: one for one in shards}
            marks = [(by_name.get(name), name, mark) for name, mark in known.items() if mark.seq]
            marks += [(by_number.get(number), f"shard {number}", mark) for number, mark in published.items()]
            stands = await self._hashes(connection, [(one.shard, mark.seq) for one, _, mark in marks if one])
        for shard, name, mark in marks:
            if shard is None:
                self._is_set_back(
                    VerificationProblem(name, mark.seq, f"the shard is gone; {mark.by} has {mark.seq} entries of it")
                )
            else:
                self._look_at(shard, mark, 0, stands.get((shard.shard, mark.seq)))
        for name, size in signed.items():
            if (one := by_name.get(name)) is None:
                self._is_set_back(
                    VerificationProblem(name, size, f"the shard is gone; {size} entries of it are signed")
                )
            else:
                self._look_at(one, None, size)
        if self.set_back is None:
            self.reached(shards)
        self._compared = servers

    async def _hashes(
        self, connection: AsyncConnection, places: Sequence[tuple[int, int]]
    ) -> Mapping[tuple[int, int], bytes]:
        """Return the hashes of the entries that exist at the given (shard, seq), by (shard, seq)."""
        e = self._tables.entries.c
        query = select(e.shard, e.seq, e.hash).where(tuple_(e.shard, e.seq).in_(places))
        return {(row.shard, row.seq): bytes(row.hash) for row in await connection.execute(query)}


def _gone(last: int, by: str, seq: int) -> str:
    return f"the shard ends with entry {last}, and {by} has entry {seq}: the database was set back"
