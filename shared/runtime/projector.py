"""The read model of a service: what follows from its journal, by one function for live work, commands and rebuild."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
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

    `state` is what was loaded in it for deciding, as deciding left it; None: nothing was. `sent` is the pipeline in
    which the entries are on their way, if any.
    """

    connection: AsyncConnection
    state: Any = None
    sent: Pipeline | None = None

    @asynccontextmanager
    async def pipeline(self) -> AsyncIterator[Pipeline]:
        """Give a pipeline to write in: that of the entries, which saves a wait, or one of its own."""
        if self.sent is not None:
            yield self.sent
            return
        async with pipeline(self.connection) as sent:
            yield sent


class OutOfOrder(Exception):
    """The entries of a journal cannot have been recorded in any order; it names the first that does not fit."""

    def __init__(self, shard: int, seq: int, kind: str, what: str) -> None:
        super().__init__(f"entry {shard}/{seq} {what}")
        self.shard, self.seq, self.kind = shard, seq, kind


Project = Callable[[Transaction, Sequence[Recorded]], Awaitable[None]]
"""Bring the read model up to date with entries and their facts, in their order; pass over facts of the runtime."""


async def nothing(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Project nothing: the journal is all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Projector:
    """The tables that follow from a journal alone, how they follow, and in which order a rebuild reads the journal.

    `read` gives entries some at a time, and the next ones when these have been projected.
    """

    tables: Sequence[Table] = ()
    project: Project = nothing
    read: Callable[[AsyncConnection, JournalTables], AsyncIterator[Sequence[Recorded]]] = read_recorded

    def extended_with(self, other: "Projector") -> "Projector":
        """Return a projector of the tables of both, each as it is projected alone."""

        async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
            await self.project(transaction, recorded)
            await other.project(transaction, recorded)

        return Projector(tables=(*self.tables, *other.tables), project=project, read=self.read)
