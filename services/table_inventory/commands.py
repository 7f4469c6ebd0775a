"""What people do at a desk: each command is recorded once, refusals included, and answered the same when sent again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from pydantic import BaseModel
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import projection
from services.table_inventory.tables import journal
from shared.contracts.envelope import Contract
from shared.contracts.inventory import FACTS, CommandRefused
from shared.journal.entry import Draft, Entry, Posting
from shared.journal.ledger import Fenced
from shared.runtime.command import answers
from shared.runtime.command.answers import Answer, Outcome, refusal
from shared.runtime.service.run import Parts


@dataclass(frozen=True, slots=True)
class Command(answers.Command):
    """A person's command. `property_name` and `gaming_day` say where a refusal of it belongs."""

    property_name: str
    gaming_day: date | None = None


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


async def once(parts: Parts, command: Command, decide: Decide) -> Answer:
    """Does a command once, in the order of all commands. Raises: NotFound; Conflict (the key was used)."""

    async def outcome(connection: AsyncConnection, sequence: int, at: datetime) -> Outcome:
        try:
            decision = await decide(connection, at)
        except Denied as denied:
            return _denied(command, denied, sequence, at)
        answer = Answer(decision.status, decision.document.model_dump_json(exclude_none=True), decision.location)
        occurred_at, gaming_day = decision.occurred_at or at, decision.gaming_day or command.gaming_day
        draft = _draft(decision.fact, command, sequence, occurred_at, gaming_day, decision.postings)

        async def save(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
            try:
                await projection.project(connection, entries)
                if decision.keep is not None:
                    await decision.keep(connection)
            except IntegrityError as error:  # a table event came in between: decide again from what it left behind
                raise Fenced(str(error)) from error

        return Outcome(draft, answer, save)

    return await answers.once(parts, journal.idempotency, command, outcome)


def _denied(command: Command, denied: Denied, sequence: int, at: datetime) -> Outcome:
    gaming_day = denied.gaming_day or command.gaming_day
    fact = CommandRefused(
        property=command.property_name,
        gaming_day=gaming_day,
        command=command.name,
        status=denied.status,
        reason=denied.reason,
        by=command.person,
        at=at,
    )
    draft = _draft(fact, command, sequence, at, gaming_day)
    return Outcome(draft, refusal(denied.status, denied.reason), projection.project)


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
