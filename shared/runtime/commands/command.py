"""Command models and their handlers: one model, one pure handler, one resulting fact or rejection per command."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Final, TypeVar

from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Digest, canonical
from shared.contracts.facts import Fact
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.rejection import Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval_subject import ApprovalSubject
from shared.runtime.projector import Transaction
from shared.runtime.text import printable


class Command(Contract):
    """A command as it was sent. The docstring of each subclass becomes the description of its route.

    `IN_ORDER` lists the fields that come first in the command's form, in this order; the others follow.
    """

    IN_ORDER: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse fields that would hide methods of every command. Raises: TypeError."""
        super().__pydantic_init_subclass__(**kwargs)
        if hidden := sorted(cls.model_fields.keys() & {"name", "content"}):
            raise TypeError(f"{cls.__name__} has the fields {hidden}, which every command has as methods: rename them")

    @classmethod
    @cache
    def name(cls) -> str:
        """Return the name of the command: `void-slip` for `VoidSlip`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def content(self) -> Any:
        """Return the command as JSON-compatible data, the same in each retry. Subclasses leave out secrets."""
        return self.model_dump(mode="json", exclude_none=True)

    def shown(self) -> dict[str, Any] | None:
        """Return the content that may be recorded if the command is rejected; None if nothing may be recorded."""
        content: dict[str, Any] = self.content()
        return content

    def refusal(self, rejected: Rejected, *, by: str, at: datetime, key: str) -> FactWithPostings:
        """Return the fact that `by`'s command was rejected, with the content that may be recorded."""
        shown = self.shown()
        fields = shown or {}
        day = fields.get("gaming_day")
        return FactWithPostings(
            fact=CommandRefused(
                command=self.name(),
                reason=rejected.reason,
                detail=printable("; ".join(rejected.detail.splitlines())),
                by=by,
                at=at,
                key=key,
                property=fields.get("property"),
                gaming_day=None if day is None else date.fromisoformat(day),
                asked=shown,
            )
        )

    def digest(self) -> bytes:
        """Return the SHA-256 of the command's name and content (32 bytes)."""
        return sha256(canonical([self.name(), self.content()])).digest()


class Approving(Command):
    """A command that approves another person's entry or request; it contains the hash of the document shown."""

    subject_sha256: Annotated[
        Digest, Field(description="`sha256` of the document as it was shown: nothing else is approved")
    ]


CommandT = TypeVar("CommandT", bound=Command)
StateT = TypeVar("StateT")
SubjectT = TypeVar("SubjectT", bound=ApprovalSubject)


@dataclass(frozen=True, slots=True)
class Now:
    """The circumstances of a command: its caller, time and Idempotency-Key, and the shard and sequence of its entry."""

    by: str
    at: datetime
    key: str
    shard: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The result of an accepted command: a fact with its postings, the answer, and the resource's URL (`location`).

    `rejected` is set if the fact records a failure that changes something, such as a wrong access code. The caller then
    gets the rejection as the answer.
    """

    recording: FactWithPostings
    answer: BaseModel | dict[str, Any]
    location: str | None = None
    rejected: Rejected | None = None


Decide = Callable[[CommandT, StateT, Now], Accepted]
"""Decide a command from the loaded state, without I/O. Raises: Rejected."""

Load = Callable[[AsyncConnection, CommandT], Awaitable[StateT]]
"""Load the state that is needed to decide one command. Raises: Rejected."""

Answered = Callable[[], Awaitable[Any]]
"""Return the loaded state. Call it after the pipeline that queried the state has ended."""

BatchLoader = Callable[[Transaction, Sequence[Command]], Awaitable[Answered]]
"""Query and lock, in the transaction's pipeline, the state that is needed to decide a batch of commands.

Some commands of the batch may turn out to be answered already. Handlers update the state with each accepted command.
"""


SubjectOf = Callable[[CommandT, StateT, Now], ApprovalSubject]
"""Return the approval subject of a command, as people saw it, from the loaded state. Raises: Rejected."""

Keep = Callable[[AsyncConnection, CommandT, Any], Awaitable[None]]
"""Write command content that must not be in the journal, after the fact is recorded and in the same transaction."""


@dataclass(frozen=True, slots=True)
class _Handled:
    shards: str
    decide: Decide[Any, Any]
    load: Load[Any, Any]
    keep: Keep[Any] | None
    subject: SubjectOf[Any, Any] | None


def as_loaded(command: Command, state: SubjectT, now: Now) -> SubjectT:
    """Return the approval subject: the whole loaded state."""
    del command, now
    return state


def first_loaded(command: Command, state: tuple[Any, ...], now: Now) -> Any:
    """Return the approval subject: the first element of the loaded state."""
    del command, now
    return state[0]


async def no_state(connection: AsyncConnection, command: Any) -> None:
    """Load no state, for commands that can be decided from their content."""
    del connection, command


class Commands:
    """The commands of a service, each with its handler.

    Without `ask_all`, commands are decided and projected one after the other in one transaction on a single shard, so
    that each command sees the effects of earlier ones.

    With `ask_all`, the state for a batch is loaded in one round trip, and the handlers update it in memory. Several
    processes then work in parallel, each on its own shard, so the loader must lock state that other processes must not
    change. The projector writes in the same pipeline as the entries (`Transaction.pipeline`). Commands that have a
    `load` function are still decided one after the other.

    `shards` is the name prefix of the shards that record these commands; a manifest may assign it its own topic.
    """

    def __init__(self, *, ask_all: BatchLoader | None = None, shards: str = "commands") -> None:
        self.ask_all: Final = ask_all
        self._shards = shards
        self._handled: dict[type[Command], _Handled] = {}

    def handles(
        self,
        model: type[CommandT],
        *,
        load: Load[CommandT, Any] = no_state,
        keep: Keep[CommandT] | None = None,
        subject: SubjectOf[CommandT, Any] | None = None,
    ) -> Callable[[Decide[CommandT, Any]], Decide[CommandT, Any]]:
        """Return a decorator that registers the handler of a command.

        `load` loads the state that the decision needs. `keep` writes the rows that are stored in addition to the fact.
        `subject` returns the approval subject of an approval: the command is accepted only if it contains the hash of
        that document, which its fact then records.
        """
        assert keep is None or self.ask_all is None, "nothing is kept of commands that are decided together"
        assert issubclass(model, Approving) == (subject is not None), f"{model.name()}: what does it approve?"

        def declare(decide: Decide[CommandT, Any]) -> Decide[CommandT, Any]:
            assert model not in self._handled, f"{model.name()} has a handler already"
            self._handled[model] = _Handled(self._shards, decide, load, keep, subject)
            return decide

        return declare

    def extended_with(self, *others: "Commands") -> "Commands":
        """Return this collection merged with others, such as the commands common to all services."""
        together = Commands(ask_all=self.ask_all)
        for each in (self, *others):
            together._handled |= each._handled
        return together

    def shards_of(self, command: Command) -> str:
        """Return the name prefix (without the slash) of the shards that record a command."""
        return self._handled[type(command)].shards

    def models(self) -> Sequence[type[Command]]:
        """Return the model classes of the commands."""
        return tuple(self._handled)

    def is_alone(self, command: Command) -> bool:
        """Return whether a command is decided alone, after the projection of all earlier commands."""
        return self.ask_all is None or self._handled[type(command)].load is not no_state

    async def load(self, connection: AsyncConnection, command: Command) -> Any:
        """Return the state that is needed to decide one command. Raises: Rejected."""
        return await self._handled[type(command)].load(connection, command)

    async def keep(self, connection: AsyncConnection, command: Command, fact: Fact) -> None:
        """Write the rows that an accepted command stores in addition to its fact."""
        keep = self._handled[type(command)].keep
        if keep is not None and not isinstance(fact, CommandRefused):
            await keep(connection, command, fact)

    def decide(self, command: Command, state: Any, now: Now) -> Accepted:
        """Decide a command. An approval must contain the hash of its subject, which is recorded. Raises: Rejected."""
        handled = self._handled[type(command)]
        if handled.subject is None:
            return handled.decide(command, state, now)
        assert isinstance(command, Approving), "what approves something says of what"
        handled.subject(command, state, now).require_shown(command.subject_sha256)
        accepted = handled.decide(command, state, now)
        fact = accepted.recording.fact
        assert isinstance(fact, AsShown), f"{type(fact).__name__} does not record what was shown"
        fact = fact.model_copy(update={"subject_sha256": command.subject_sha256})
        return replace(accepted, recording=replace(accepted.recording, fact=fact))
