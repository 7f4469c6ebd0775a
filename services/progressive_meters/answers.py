"""A person's command, recorded once with its answer; a refusal is a fact too: it is recorded, and given again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters import store
from services.progressive_meters.configuration import Contradicts, SamePerson
from services.progressive_meters.tables import journal
from shared.contracts.envelope import Contract
from shared.contracts.meters import CommandRefused
from shared.journal.entry import Draft, Entry, Posting
from shared.rules.errors import Refused
from shared.runtime.command import answers
from shared.runtime.command.answers import Answer, Outcome, once, refusal
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import NotFound


@dataclass(frozen=True, slots=True)
class Command(answers.Command):
    """A person's command. `property_name` and `pool` say what it is about."""

    property_name: str
    pool: str | None = None


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


async def record(parts: Parts, command: Command, decide: Decide, check: Check | None = None) -> Answer:
    """Does a command, unless it was done before; gives its answer. Raises: Conflict (the key was used)."""

    async def outcome(connection: AsyncConnection, sequence: int, at: datetime) -> Outcome:
        done = await _decided(command, decide, connection, at)
        return Outcome(_draft(done, command, sequence, at), done.answer, save)

    async def save(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        if check is not None:
            await check(connection)
        await store.project(connection, entries)

    return await once(parts, journal.idempotency, command, outcome)


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
    return Done("meter.command_refused", fact, refusal(status, detail), pool=command.pool)


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
