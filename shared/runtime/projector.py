"""The read model of a service, projected from its journal by one function for ingest, commands and rebuild."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.fact_replay import read_recorded
from shared.journal.pipeline import Pipeline, pipeline
from shared.journal.recording import Recorded
from shared.journal.tables import JournalTables


@dataclass(slots=True)
class Transaction:
    """A database transaction.

    `state` is the loaded state, updated by the decisions so far, or None. `sent` is the pipeline in which the entries
    are written, if any.
    """

    connection: AsyncConnection
    state: Any = None
    sent: Pipeline | None = None

    @asynccontextmanager
    async def pipeline(self) -> AsyncIterator[Pipeline]:
        """Yield the pipeline in which the entries are written, to save a round trip; if there is none, a new one."""
        if self.sent is not None:
            yield self.sent
            return
        async with pipeline(self.connection) as sent:
            yield sent


class OutOfOrder(Exception):
    """The journal's entries have no consistent order; the message names the first entry that contradicts it."""

    def __init__(self, shard: int, seq: int, kind: str, what: str) -> None:
        super().__init__(f"entry {shard}/{seq} {what}")
        self.shard, self.seq, self.kind = shard, seq, kind


Project = Callable[[Transaction, Sequence[Recorded]], Awaitable[None]]
"""Apply entries with their facts to the read model, in order; facts of the runtime itself are ignored."""


async def nothing(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Project nothing, for a service without a read model."""


Read = Callable[[AsyncConnection, JournalTables, Mapping[int, int]], AsyncIterator[Sequence[Recorded]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Projector:
    """The tables that are derived from a journal, their projection, and the reading order of a rebuild.

    `read` yields the entries after a given sequence of each shard, in batches; it reads the next batch once the
    previous one is projected. `beside` are tables that are not derived from the journal but that
    projecting also changes, such as the table of keys, which facts may destroy.
    """

    tables: Sequence[Table] = ()
    project: Project = nothing
    read: Read = read_recorded
    beside: Sequence[Table] = ()

    def extended_with(self, other: "Projector") -> "Projector":
        """Return a projector for the tables of both projectors."""

        async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
            await self.project(transaction, recorded)
            await other.project(transaction, recorded)

        return Projector(
            tables=(*self.tables, *other.tables),
            project=project,
            read=self.read,
            beside=tuple(dict.fromkeys((*self.beside, *other.beside))),
        )
