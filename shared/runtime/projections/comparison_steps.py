"""The steps of a comparison: one that cannot be carried out is named, and the next ones go on all the same."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import KafkaException
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.runtime.differences import UncomparedTable
from shared.runtime.errors import ErrorKind, FatalServiceError, kind_of

_OF_SERVER: Final = (ErrorKind.TRANSIENT, ErrorKind.AMBIGUOUS, ErrorKind.FENCED)
"""What says nothing of a step: all of them are to be tried again."""


@dataclass(slots=True)
class ComparisonSteps:
    """Carries out steps in one transaction, each under a savepoint. `uncompared` is what came of those that failed."""

    connection: AsyncConnection
    uncompared: list[UncomparedTable] = field(default_factory=list)

    @asynccontextmanager
    async def step(self, what: str) -> AsyncIterator[None]:
        """Carry out a step; name what is not compared where it fails, by an altered database or a topic that is away.

        Raises: whatever the server says of itself, such as a connection that is lost.
        """
        try:
            async with self.connection.begin_nested():
                yield
        except (FatalServiceError, KafkaException) as error:
            self.uncompared.append(UncomparedTable(what, str(error), altered=False))
        except Exception as error:
            if kind_of(error) in _OF_SERVER:
                raise
            self.uncompared.append(UncomparedTable(what, _why(error), altered=True))


def _why(error: Exception) -> str:
    """Return what is wrong in one line: that of the database without the statement."""
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    return next(iter(said.splitlines()), "") or repr(error)
