"""The read model of a service: what follows from its journal, by one function for live work, commands and rebuild."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.entry import Entry
from shared.journal.reading import read_recorded
from shared.journal.recording import Recorded
from shared.journal.tables import JournalTables


@dataclass(slots=True)
class Transaction:
    """A database transaction. `state` is what was loaded in it for deciding, as deciding left it; None: nothing was."""

    connection: AsyncConnection
    state: Any = None


Project = Callable[[Transaction, Sequence[Recorded]], Awaitable[None]]
"""Brings the read model up to date with entries and their facts, in their order; passes over facts of the runtime."""


async def nothing(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Project nothing: the journal is all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Projector:
    """The tables that follow from a journal alone, how they follow, and in which order a rebuild reads the journal."""

    tables: Sequence[Table] = ()
    project: Project = nothing
    read: Callable[[AsyncConnection, JournalTables], AsyncIterator[Entry]] = read_recorded

    def with_more(self, other: "Projector") -> "Projector":
        """Return a projector of the tables of both, each as it is projected alone."""

        async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
            await self.project(transaction, recorded)
            await other.project(transaction, recorded)

        return Projector(tables=(*self.tables, *other.tables), project=project, read=self.read)
