"""A person's command is done once: its answer is kept for ever under its key, and given when it comes again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Header, Response
from sqlalchemy import Table, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Identifier, canonical
from shared.journal.entry import Draft, Entry
from shared.runtime.command.commands import Save, record_command
from shared.runtime.service.run import Parts
from shared.runtime.web.app import PROBLEM, Conflict, problem

IdempotencyKey = Annotated[
    Identifier,
    Header(
        alias="Idempotency-Key",
        description="names this command of yours: sent again, it is not done again, and its answer is the same",
    ),
]
"""The key of a command, as a parameter of its route."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command is answered with: HTTP status, JSON body, and where what it made is found."""

    status: int
    body: str
    location: str | None = None


def refusal(status: int, detail: str) -> Answer:
    """The answer to a command that is refused: a problem."""
    return Answer(status, bytes(problem(status, detail).body).decode())


def response(answer: Answer) -> Response:
    """An answer as HTTP has it."""
    headers = {} if answer.location is None else {"Location": answer.location}
    return Response(answer.body, answer.status, headers, PROBLEM if answer.status >= 400 else "application/json")


@dataclass(frozen=True, slots=True)
class Command:
    """A person's command: the key under which it may be sent again, what it is in words, and its content as JSON."""

    person: str
    key: str
    name: str
    content: Any

    @property
    def digest(self) -> bytes:
        """SHA-256 of what is asked for (32 bytes)."""
        return sha256(canonical([self.name, self.content])).digest()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command comes to: the entry, the answer that is kept with it, and what else is written with them."""

    draft: Draft
    answer: Answer
    save: Save


Decide = Callable[[AsyncConnection, int, datetime], Awaitable[Outcome]]
"""Decides at a moment, given what the database holds and the sequence that the entry will have.

A refusal that is an outcome is recorded and kept like any other. One that is raised leaves the key free for the mended
command, and is recorded at the door (shared.runtime.command.refusals).
"""


class _Answered(Exception):
    """The command was answered before."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer


async def once(parts: Parts, answers: Table, command: Command, decide: Decide) -> Answer:
    """Does a command, in the order of all commands, unless it was done before; gives its answer.

    Raises: Conflict where the key was used for another command; whatever `decide` raises.
    """
    outcomes: list[Outcome] = []

    async def derive(connection: AsyncConnection, sequence: int) -> Sequence[Draft]:
        await _require_new(connection, answers, command)
        outcomes[:] = [await decide(connection, sequence, parts.clock())]
        return [outcomes[0].draft]

    async def save(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        [entry], [outcome] = entries, outcomes
        await outcome.save(connection, entries)
        await connection.execute(
            insert(answers).values(
                person=command.person,
                key=command.key,
                command=command.name,
                content=command.digest,
                status=outcome.answer.status,
                location=outcome.answer.location,
                body=outcome.answer.body,
                answered_at=entry.recorded_at,
            )
        )

    try:
        [entry] = await record_command(
            engine=parts.engine, ledger=parts.ledger, clock=parts.clock, derive=derive, save=save
        )
    except _Answered as answered:
        return answered.answer
    parts.metrics.entries.labels(entry.draft.kind).inc()
    parts.wake()
    return outcomes[0].answer


async def _require_new(connection: AsyncConnection, answers: Table, command: Command) -> None:
    """Raises: _Answered where the same was asked for under this key; Conflict where something else was."""
    query = select(answers).where(answers.c.person == command.person, answers.c.key == command.key)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return
    if row.content != command.digest:
        raise Conflict(
            f"Idempotency-Key {command.key!r} was used for another command ({row.command}, "
            f"{row.answered_at.isoformat()}); send a new key with a new command"
        )
    raise _Answered(Answer(row.status, row.body, row.location))
