"""Verify a journal from its rows: hashes, links, balances, the head, and the signed checkpoints."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, field
from itertools import groupby

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.checkpoint import Checkpoint
from shared.journal.entry import Entry, genesis, is_as_hashed
from shared.journal.merkle import Frontier
from shared.journal.reading import Pacing, read_entries
from shared.journal.shard import Seals, Shard, Unsealed
from shared.journal.tables import JournalTables


@dataclass(slots=True)
class Verified:
    """The progress of verifying a shard, from which a later verification can continue."""

    name: str
    seq: int = 0
    head: bytes = b""
    postings: int = 0
    frontier: Frontier = field(default_factory=Frontier)


@dataclass(frozen=True, slots=True)
class VerificationProblem:
    """An integrity problem of a shard. `seq` is 0 if no single entry is at fault."""

    shard: str
    seq: int
    what: str


async def read_shards(connection: AsyncConnection, tables: JournalTables) -> list[Shard]:
    """Return the current state of all shards."""
    query = select(tables.shards).order_by(tables.shards.c.shard)
    return [Shard(*row) for row in await connection.execute(query)]


async def verify_shard(
    connection: AsyncConnection,
    tables: JournalTables,
    shard: Shard,
    reached: Verified,
    checkpoints: Iterable[Checkpoint] = (),
    parts: Pacing = Pacing(),  # noqa: B008 - it cannot be changed
    *,
    seals: Seals | None = None,
) -> AsyncIterator[VerificationProblem]:
    """Verify a shard from `reached` up to the end of the given state; update `reached`, and yield the problems.

    `checkpoints` are those of this shard with sizes above `reached.seq`. With `seals`, the shard's seal must match its
    state.
    """
    wanted = list(checkpoints)
    before, last = reached.seq, shard.next_seq - 1
    if before > last:
        yield VerificationProblem(shard.name, before, f"the entry was verified and is gone: the shard ends with {last}")
        return
    async for problem in verify_entries(connection, tables, shard, reached, wanted, last=last, parts=parts):
        yield problem
    if reached.seq == last and (reached.head or genesis(shard.name)) != shard.head:
        yield VerificationProblem(shard.name, reached.seq, "the head of the shard is not the hash of its last entry")
    try:
        if seals is not None:
            seals.require(shard)
    except Unsealed as error:
        yield VerificationProblem(shard.name, last, str(error))
    for checkpoint in wanted:
        if checkpoint.size > last:
            yield VerificationProblem(
                shard.name, 0, f"a signed checkpoint covers {checkpoint.size} entries; there are {last}"
            )


async def require_sealed(
    connection: AsyncConnection, tables: JournalTables, entries: Collection[Entry], seals: Seals
) -> None:
    """Check that entries match their hashes, and that the chain leads from each entry to the sealed head of its shard.

    It reads every later entry of the shard, so use it for recent entries only. Raises: Unsealed.
    """
    for number, group in groupby(sorted(entries, key=lambda one: (one.shard, one.seq)), key=lambda one: one.shard):
        of_shard = list(group)
        row = (await connection.execute(select(tables.shards).where(tables.shards.c.shard == number))).one()
        shard, first = Shard(*row), of_shard[0]
        reached = Verified(shard.name, first.seq, first.hash)
        for entry in of_shard:
            async for problem in verify_entries(connection, tables, shard, reached, last=entry.seq):
                raise _unsealed(problem)
            if reached.head != entry.hash or not is_as_hashed(entry, shard.name):
                raise _unsealed(VerificationProblem(shard.name, entry.seq, "the entry is not what was recorded"))
        async for problem in verify_shard(connection, tables, shard, reached, seals=seals):
            raise _unsealed(problem)


def _unsealed(problem: VerificationProblem) -> Unsealed:
    return Unsealed(f"shard {problem.shard}, entry {problem.seq}: {problem.what}")


async def verify_entries(
    connection: AsyncConnection,
    tables: JournalTables,
    shard: Shard,
    reached: Verified,
    checkpoints: Iterable[Checkpoint] = (),
    *,
    last: int,
    parts: Pacing = Pacing(),  # noqa: B008 - it cannot be changed
) -> AsyncIterator[VerificationProblem]:
    """Verify the entries of a shard from `reached` up to `last`; update `reached`, and yield the problems.

    Each entry must link to the previous one, match its hash, and have postings that sum to zero.
    """
    wanted: dict[int, list[Checkpoint]] = defaultdict(list)
    for checkpoint in checkpoints:
        wanted[checkpoint.size].append(checkpoint)
    head = reached.head or genesis(shard.name)
    async for entry in read_entries(connection, tables, shard.shard, first=reached.seq + 1, last=last, parts=parts):
        if entry.seq != reached.seq + 1:
            yield VerificationProblem(shard.name, reached.seq + 1, f"the entry is missing; the next is {entry.seq}")
            return
        if entry.previous != head:
            yield VerificationProblem(shard.name, entry.seq, "the entry is not linked to its predecessor")
        if not is_as_hashed(entry, shard.name):
            yield VerificationProblem(shard.name, entry.seq, "the entry or a posting of it is not what was recorded")
        if sum(posting.cents for posting in entry.draft.postings) != 0:
            yield VerificationProblem(shard.name, entry.seq, "the postings do not sum to zero")
        reached.seq, reached.head, head = entry.seq, entry.hash, entry.hash
        reached.postings += len(entry.draft.postings)
        reached.frontier = reached.frontier.append(entry.hash)
        for checkpoint in wanted.get(entry.seq, ()):
            if checkpoint.root != reached.frontier.root():
                yield VerificationProblem(
                    shard.name, entry.seq, "the entries up to here are not those of the signed checkpoint"
                )
    if reached.seq < last:
        yield VerificationProblem(shard.name, last, f"the entry is missing; the last is {reached.seq}")
