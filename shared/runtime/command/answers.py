"""A command is done once: its answer is kept for ever under its key, and given when it is sent again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic_core import to_json
from sqlalchemy import insert, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.rejection import Reason, Rejected
from shared.journal.tables import JournalTables

Place = tuple[str, str]
"""(person, Idempotency-Key): what an answer is kept under."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command is answered with.

    Accepted (`reason` is None): the body is the JSON of what came of it, and `location` where that is found. Rejected:
    the body is `{"detail": ..., "cites": ...}`, what is wrong and what to do, and the paragraph that says so.
    """

    reason: Reason | None
    body: str
    location: str | None = None

    @classmethod
    def of_rejection(cls, rejected: Rejected) -> "Answer":
        """Return the answer to a command that is rejected."""
        return cls(rejected.reason, to_json({"detail": rejected.detail, "cites": rejected.cites}).decode())


@dataclass(frozen=True, slots=True)
class Given:
    """An answer, with what it answers: the SHA-256 of the command (32 bytes), its name, and when it was given."""

    answer: Answer
    content: bytes
    command: str
    answered_at: datetime


class Answers:
    """The answers that a service has given: one for each (person, key), never changed."""

    def __init__(self, tables: JournalTables) -> None:
        self._table = tables.idempotency

    async def find(self, connection: AsyncConnection, places: Collection[Place]) -> dict[Place, Given]:
        """Return the answers that are kept under these places."""
        t = self._table
        rows = await connection.execute(select(t).where(tuple_(t.c.person, t.c.key).in_(places)))
        return {
            (row.person, row.key): Given(
                Answer(None if row.reason is None else Reason(row.reason), row.body, row.location),
                row.content,
                row.command,
                row.answered_at,
            )
            for row in rows
        }

    async def keep(self, connection: AsyncConnection, given: Sequence[tuple[Place, Given]]) -> None:
        """Keep new answers."""
        if given:
            await connection.execute(
                insert(self._table),
                [
                    {
                        "person": person,
                        "key": key,
                        "command": one.command,
                        "content": one.content,
                        "reason": one.answer.reason,
                        "location": one.answer.location,
                        "body": one.answer.body,
                        "answered_at": one.answered_at,
                    }
                    for (person, key), one in given
                ],
            )
