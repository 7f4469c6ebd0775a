"""What people do at a desk: each command is recorded once, refusals included, and answered the same when sent again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from typing import Any

from pydantic import BaseModel
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import projection
from services.table_inventory.tables import idempotency
from shared.contracts.envelope import Contract, canonical
from shared.contracts.inventory_events import FACTS, CommandRefused
from shared.journal.entry import Draft, Entry, Posting
from shared.journal.ledger import Fenced
from shared.runtime.commands import record_command
from shared.runtime.http import Conflict, problem
from shared.runtime.service import Parts


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command is answered with: HTTP status, JSON body, and where what it made is found."""

    status: int
    body: str
    location: str | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A person's command: the key under which it may be sent again, what it is in words, and its content as JSON.

    `property_name` and `gaming_day` say where a refusal of it belongs.
    """

    person: str
    key: str
    name: str
    content: Any
    property_name: str
    gaming_day: date | None = None

    @property
    def digest(self) -> bytes:
        """SHA-256 of what is asked for (32 bytes)."""
        return sha256(canonical([self.name, self.content])).digest()


class Denied(Exception):
    """The command is refused: it is recorded that it was, and why, and nothing else changes."""

    def __init__(self, status: int, reason: str, gaming_day: date | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.gaming_day = gaming_day


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What becomes of a command: the fact with its money, the answer, and what else is to be kept with it."""

    fact: Contract
    document: BaseModel
    status: int = 200
    location: str | None = None
    postings: tuple[Posting, ...] = ()
    gaming_day: date | None = None
    occurred_at: datetime | None = None
    keep: Callable[[AsyncConnection], Awaitable[None]] | None = None


Decide = Callable[[AsyncConnection, datetime], Awaitable[Decision]]
"""Decides at a moment, given what the database holds. Raises: Denied, NotFound, Conflict."""


class _Answered(Exception):
    """The command was answered before."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer


async def once(parts: Parts, command: Command, decide: Decide) -> Answer:
    """Does a command once, in the order of all commands; the same key with other content is a Conflict."""
    answers: list[Answer] = []
    keep: list[Callable[[AsyncConnection], Awaitable[None]]] = []

    async def derive(connection: AsyncConnection, sequence: int) -> Sequence[Draft]:
        await _require_new(connection, command)
        at = parts.clock()
        keep.clear()
        try:
            decision = await decide(connection, at)
        except Denied as denied:
            gaming_day = denied.gaming_day or command.gaming_day
            refusal = CommandRefused(
                property=command.property_name,
                gaming_day=gaming_day,
                command=command.name,
                status=denied.status,
                reason=denied.reason,
                by=command.person,
                at=at,
            )
            body = bytes(problem(denied.status, denied.reason).body).decode()
            answers[:] = [Answer(denied.status, body)]
            return [_draft(refusal, command, sequence, at, gaming_day)]
        body = decision.document.model_dump_json(exclude_none=True)
        answers[:] = [Answer(decision.status, body, decision.location)]
        if decision.keep is not None:
            keep.append(decision.keep)
        occurred_at, gaming_day = decision.occurred_at or at, decision.gaming_day or command.gaming_day
        return [_draft(decision.fact, command, sequence, occurred_at, gaming_day, decision.postings)]

    async def save(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        [entry], [answer] = entries, answers
        try:
            await projection.project(connection, entries)
            for work in keep:
                await work(connection)
            await connection.execute(
                insert(idempotency).values(
                    person=command.person,
                    key=command.key,
                    command=command.name,
                    content=command.digest,
                    status=answer.status,
                    location=answer.location,
                    body=answer.body,
                    answered_at=entry.recorded_at,
                )
            )
        except IntegrityError as error:  # a table event came in between: decide again from what it left behind
            raise Fenced(str(error)) from error

    try:
        entries = await record_command(
            engine=parts.engine, ledger=parts.ledger, clock=parts.clock, derive=derive, save=save
        )
    except _Answered as answered:
        return answered.answer
    for entry in entries:
        parts.metrics.entries.labels(entry.draft.kind).inc()
    parts.wake()
    return answers[0]


async def _require_new(connection: AsyncConnection, command: Command) -> None:
    """Raises: _Answered where the same was asked for under this key; Conflict where something else was."""
    query = select(idempotency).where(idempotency.c.person == command.person, idempotency.c.key == command.key)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return
    if row.content != command.digest:
        raise Conflict(
            f"Idempotency-Key {command.key!r} was used for another command ({row.command}, "
            f"{row.answered_at.isoformat()}); send a new key with a new command"
        )
    raise _Answered(Answer(row.status, row.body, row.location))


def _draft(
    fact: Contract,
    command: Command,
    sequence: int,
    at: datetime,
    gaming_day: date | None,
    postings: tuple[Posting, ...] = (),
) -> Draft:
    [kind] = (kind for kind, contract in FACTS.items() if type(fact) is contract)
    return Draft(
        kind=kind,
        source=f"/properties/{command.property_name}/inventory",
        sequence=sequence,
        event_id=command.key,
        offset=None,
        gaming_day=gaming_day,
        occurred_at=at,
        data=fact.model_dump_json(exclude_none=True).encode(),
        postings=postings,
    )
