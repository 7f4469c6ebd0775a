"""A person's command, recorded once with its answer, which is given again when the command is sent again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256
from typing import Any

from pydantic_core import to_json
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters import store
from services.progressive_meters.configuration import Contradicts, SamePerson
from services.progressive_meters.tables import idempotency
from shared.contracts.envelope import Contract, canonical
from shared.contracts.meter_events import CommandRefused
from shared.journal.entry import Draft, Entry, Posting
from shared.rules.errors import Refused
from shared.runtime.commands import record_command
from shared.runtime.http import NotFound, problem
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

    `property_name` and `pool` say what it is about.
    """

    person: str
    key: str
    name: str
    content: Any
    property_name: str
    pool: str | None = None

    @property
    def digest(self) -> bytes:
        """SHA-256 of what is asked for (32 bytes)."""
        return sha256(canonical([self.name, self.content])).digest()


@dataclass(frozen=True, slots=True)
class Done:
    """What a command leads to: a fact with its kind and money, and the answer."""

    kind: str
    fact: Contract
    answer: Answer
    pool: str | None = None
    gaming_day: date | None = None
    postings: tuple[Posting, ...] = ()


Decide = Callable[[AsyncConnection, datetime], Awaitable[Done]]
"""What becomes of a command at a moment, given what the database holds. Raises Refused, Contradicts, SamePerson and
NotFound where it is not done."""

Check = Callable[[AsyncConnection], Awaitable[None]]
"""Raises Fenced where what was decided on has changed."""


class _Answered(Exception):
    """The command was answered before."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer


@dataclass(slots=True)
class _Attempt:
    """What one attempt came to. `kept` is false for the answer to a key that stands for another command."""

    answer: Answer | None = None
    kept: bool = True
    checks: list[Check] = field(default_factory=list)


class Recorder:
    """Records commands. A refusal is a fact too: it is recorded, and given again."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def record(self, command: Command, decide: Decide, check: Check | None = None) -> Answer:
        """Does a command, unless it was done before; gives its answer."""
        attempt = _Attempt()

        async def derive(connection: AsyncConnection, sequence: int) -> Sequence[Draft]:
            at = self._parts.clock()
            used = await _earlier(connection, command)
            if used is not None:
                done, attempt.kept = _refused(command, at, 409, used), False
            else:
                done, attempt.kept = await _decided(command, decide, connection, at), True
            attempt.answer = done.answer
            return [_draft(done, command, sequence, at)]

        async def save(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
            if check is not None:
                await check(connection)
            await store.project(connection, entries)
            [entry], answer = entries, attempt.answer
            assert answer is not None
            if attempt.kept:
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

        parts = self._parts
        try:
            entries = await record_command(
                engine=parts.engine, ledger=parts.ledger, clock=parts.clock, derive=derive, save=save
            )
        except _Answered as answered:
            return answered.answer
        for entry in entries:
            parts.metrics.entries.labels(entry.draft.kind).inc()
        parts.wake()
        assert attempt.answer is not None
        return attempt.answer


async def _earlier(connection: AsyncConnection, command: Command) -> str | None:
    """Why a key cannot be used; None where it is new. Raises: _Answered where the same was asked for under it."""
    t = idempotency
    query = select(t).where(t.c.person == command.person, t.c.key == command.key)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return None
    if row.content == command.digest:
        raise _Answered(Answer(row.status, row.body, row.location))
    return (
        f"Idempotency-Key {command.key!r} was used for another command ({row.command}, "
        f"{row.answered_at.isoformat()}); send a new key with a new command"
    )


async def _decided(command: Command, decide: Decide, connection: AsyncConnection, at: datetime) -> Done:
    try:
        return await decide(connection, at)
    except SamePerson as error:
        return _refused(command, at, 403, str(error))
    except NotFound as error:
        return _refused(command, at, 404, str(error))
    except Contradicts as error:
        return _refused(command, at, 409, str(error))
    except Refused as error:
        return _refused(command, at, 422, str(error))


def _refused(command: Command, at: datetime, status: int, detail: str) -> Done:
    fact = CommandRefused(
        property=command.property_name,
        pool=command.pool,
        command=command.name,
        person=command.person,
        at=at,
        status=status,
        detail=detail,
    )
    body = bytes(problem(status, detail).body).decode()
    return Done("meter.command_refused", fact, Answer(status, body), pool=command.pool)


def _draft(done: Done, command: Command, sequence: int, at: datetime) -> Draft:
    pool = done.pool or command.pool
    return Draft(
        kind=done.kind,
        source=f"/properties/{command.property_name}" + ("" if pool is None else f"/pools/{pool}"),
        sequence=sequence,
        event_id=command.key,
        offset=None,
        gaming_day=done.gaming_day,
        occurred_at=at,
        data=to_json(done.fact.model_dump(mode="json", exclude_none=True)),
        postings=done.postings,
    )
