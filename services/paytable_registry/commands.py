"""The commands of the registry: each is recorded once, and its answer is given again when it is sent again."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry import domain, store
from services.paytable_registry.domain import FACTS, Contradicts, Fact, SubmissionVersion
from services.paytable_registry.store import Key
from services.paytable_registry.tables import journal
from shared.contracts.envelope import as_json
from shared.contracts.submissions import RulesSubmission, SubmissionApprovalRefused
from shared.journal.entry import Draft
from shared.runtime.command.answers import Answer, Command, Outcome, once, refusal
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import Conflict, NotFound

_Decide = Callable[[AsyncConnection, datetime], Awaitable[tuple[Fact, Answer]]]
"""What becomes of a command at a moment, given what the database holds: the fact to record, and the answer."""


class Commands:
    """Files, approves and rejects. Every fact is recorded together with its answer, in one transaction."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def file(self, wanted: RulesSubmission, *, person: str, key: str) -> Answer:
        """Files the next version of a submission; answers 201 with it.

        Raises: Refused (the catalogue does not allow it, or it could never be approved); Conflict (the key was used).
        """

        async def decide(connection: AsyncConnection, at: datetime) -> tuple[Fact, Answer]:
            history = await store.history(connection, wanted.property, wanted.game)
            filed = domain.file(wanted, history, by=person, at=at)
            which = Key(filed.property, filed.game, filed.version)
            return filed, _answer(201, domain.after(filed, filed), location=path_of(which))

        return await self._once(Command(person, key, "POST /submissions", as_json(wanted)), decide)

    async def approve(self, which: Key, *, person: str, key: str) -> Answer:
        """Approves a version; answers 200 with it, or 403 to the person who filed it.

        Raises: NotFound; Conflict (decided before, too late, or the key was used).
        """

        async def decide(connection: AsyncConnection, at: datetime) -> tuple[Fact, Answer]:
            version = await find(connection, which)
            history = await store.history(connection, which.property, which.game)
            fact = domain.approve(version, history, by=person, at=at)
            if isinstance(fact, SubmissionApprovalRefused):
                return fact, refusal(403, fact.reason)
            return fact, _answer(200, domain.after(version, fact))

        return await self._once(Command(person, key, f"POST {path_of(which)}/approve", None), decide)

    async def reject(self, which: Key, reason: str, *, person: str, key: str) -> Answer:
        """Rejects a version; answers 200 with it. Raises: NotFound; Conflict (decided before, or the key was used)."""

        async def decide(connection: AsyncConnection, at: datetime) -> tuple[Fact, Answer]:
            version = await find(connection, which)
            fact = domain.reject(version, by=person, at=at, reason=reason)
            return fact, _answer(200, domain.after(version, fact))

        return await self._once(Command(person, key, f"POST {path_of(which)}/reject", {"reason": reason}), decide)

    async def _once(self, command: Command, decide: _Decide) -> Answer:
        async def outcome(connection: AsyncConnection, sequence: int, at: datetime) -> Outcome:
            try:
                fact, answer = await decide(connection, at)
            except Contradicts as error:
                raise Conflict(str(error)) from error
            return Outcome(_draft(fact, command, sequence, at), answer, store.project)

        return await once(self._parts, journal.idempotency, command, outcome)


async def find(connection: AsyncConnection, which: Key) -> SubmissionVersion:
    """A version. Raises: NotFound."""
    version = await store.find(connection, which)
    if version is None:
        raise NotFound(f"there is no version {which.version} of {which.game} at {which.property}")
    return version


def path_of(which: Key) -> str:
    """Where a version is found."""
    return f"/submissions/{which.property}/{which.game}/{which.version}"


def _answer(status: int, version: SubmissionVersion, *, location: str | None = None) -> Answer:
    return Answer(status, version.model_dump_json(exclude_none=True), location)


def _draft(fact: Fact, command: Command, sequence: int, at: datetime) -> Draft:
    [kind] = (kind for kind, contract in FACTS.items() if type(fact) is contract)
    return Draft(
        kind=kind,
        source=f"/properties/{fact.property}/games/{fact.game}/submissions/{fact.version}",
        sequence=sequence,
        event_id=command.key,
        offset=None,
        gaming_day=None,
        occurred_at=at,
        data=fact.model_dump_json(exclude_none=True).encode(),
    )
