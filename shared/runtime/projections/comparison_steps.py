"""The steps of a comparison: a step that fails is reported, and the following steps still run."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import KafkaException
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.runtime.differences import UncomparedTable
from shared.runtime.errors import ErrorKind, FatalServiceError, kind_of

_OF_SERVER: Final = (ErrorKind.TRANSIENT, ErrorKind.AMBIGUOUS, ErrorKind.FENCED)
"""Kinds of error for which the whole comparison is retried, because the server caused them, not the step."""


@dataclass(slots=True)
class ComparisonSteps:
    """Runs the steps of a comparison in one transaction. `uncompared` lists the steps that failed."""

    connection: AsyncConnection
    uncompared: list[UncomparedTable] = field(default_factory=list)

    @asynccontextmanager
    async def step(self, what: str) -> AsyncIterator[None]:
        """Run a step under a savepoint. If it fails, roll back to the savepoint, and report it like `attempt`."""
        with self.attempt(what):
            async with self.connection.begin_nested():
                yield

    @contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        """Run a step. If it fails because the database is altered or a topic is unavailable, report it as not compared.

        Raises: errors of the database server itself, such as a lost connection.
        """
        try:
            yield
        except (FatalServiceError, KafkaException) as error:
            self.uncompared.append(UncomparedTable(what, str(error), altered=False))
        except Exception as error:
            if kind_of(error) in _OF_SERVER:
                raise
            self.uncompared.append(UncomparedTable(what, _why(error), altered=True))


def _why(error: Exception) -> str:
    """Return the first line of an error. For a database error it is the server's message, without the statement."""
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    return next(iter(said.splitlines()), "") or repr(error)
