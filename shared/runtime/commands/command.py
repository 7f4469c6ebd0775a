"""A command: what a person or a system asks for. One model, one pure handler, one fact or one rejection."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, Final, TypeVar

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
    """What is asked for, with everything that was sent. The docstring of a command says what it does."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a field that hides what every command has. Raises: TypeError."""
        super().__pydantic_init_subclass__(**kwargs)
        if hidden := sorted(cls.model_fields.keys() & {"name", "content"}):
            raise TypeError(f"{cls.__name__} has the fields {hidden}, which every command has as methods: rename them")

    @classmethod
    @cache
    def name(cls) -> str:
        """Return the name of the command: `void-slip` for `VoidSlip`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def content(self) -> Any:
        """Return what was sent, as JSON: what the Idempotency-Key stands for. Leave secrets out."""
        return self.model_dump(mode="json", exclude_none=True)

    def shown(self) -> dict[str, Any] | None:
        """Return what may be recorded of the command when it is rejected; None where nobody may see it."""
        content: dict[str, Any] = self.content()
        return content

    def refusal(self, rejected: Rejected, *, by: str, at: datetime, key: str) -> FactWithPostings:
        """Return the fact that somebody's command was rejected, with what may be shown of it."""
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
        """Return the SHA-256 of what is asked for (32 bytes)."""
        return sha256(canonical([self.name(), self.content()])).digest()


class Approving(Command):
    """A command by which a person stands for what another proposed, entered or did before: it names what was shown."""

    subject_sha256: Annotated[
        Digest, Field(description="`sha256` of what is approved, as it was shown: of anything else nothing is approved")
    ]


CommandT = TypeVar("CommandT", bound=Command)
StateT = TypeVar("StateT")
SubjectT = TypeVar("SubjectT", bound=ApprovalSubject)


@dataclass(frozen=True, slots=True)
class Now:
    """Who asks, when, and under which Idempotency-Key. `seq` is the place that the entry will have in its shard."""

    by: str
    at: datetime
    key: str
    shard: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What a command leads to: a fact with its money, and the answer.

    `rejected` is set where the fact records a failure that changes something, such as a wrong access code: then the
    caller is answered with the rejection.
    """

    recording: FactWithPostings
    answer: BaseModel | dict[str, Any]
    location: str | None = None
    rejected: Rejected | None = None


Decide = Callable[[CommandT, StateT, Now], Accepted]
"""Decide. Pure: what it needs is in the state. Raises: Rejected."""

Load = Callable[[AsyncConnection, CommandT], Awaitable[StateT]]
"""Read what deciding one command needs. Raises: Rejected."""

Answered = Callable[[], Awaitable[Any]]
"""Read the answer to what was asked for, when the pipeline in which it was asked has ended."""

BatchLoader = Callable[[Transaction, Sequence[Command]], Awaitable[Answered]]
"""Ask, in the pipeline of the transaction, for what deciding a batch of commands needs, and lock it. What is asked for
is more than is needed where some were answered before. The handlers change the state that comes as they accept.
"""


SubjectOf = Callable[[CommandT, StateT, Now], ApprovalSubject]
"""Return what a command approves, as it is shown to people. Pure: from what was loaded. Raises: Rejected."""

Keep = Callable[[AsyncConnection, CommandT, Any], Awaitable[None]]
"""Write what a command says and the journal must not have, when its fact has been recorded, in that transaction."""


@dataclass(frozen=True, slots=True)
class _Handled:
    shards: str
    decide: Decide[Any, Any]
    load: Load[Any, Any]
    keep: Keep[Any] | None
    subject: SubjectOf[Any, Any] | None


def as_loaded(command: Command, state: SubjectT, now: Now) -> SubjectT:
    """Return the subject of an approval for which it alone is loaded."""
    del command, now
    return state


def first_loaded(command: Command, state: tuple[Any, ...], now: Now) -> Any:
    """Return the subject of an approval for which it is loaded first, before other things."""
    del command, now
    return state[0]


async def no_state(connection: AsyncConnection, command: Any) -> None:
    """Load nothing: the command says it all."""
    del connection, command


class Commands:
    """The commands of a service, each with its handler.

    Without `ask_all` a command is decided and projected before the next is looked at, all in one transaction, on the
    one shard of commands: each sees what the ones before it left. With `ask_all` a batch is loaded in one wait, its
    handlers change the state in memory, and several processes work side by side, each on a shard of its own: what must
    not change meanwhile has to be locked. Its projector writes in the pipeline of the entries (`Transaction.pipeline`).
    Commands that declare a `load` of their own are decided one after the other all the same.

    `shards` is what the names of the shards of these commands begin with: a manifest may publish them apart.
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
        """Declare the handler of a command, what it needs, and what is kept of it besides its fact.

        `subject` is what it approves: the command is decided where that is what was shown, and its fact records it.
        """
        assert keep is None or self.ask_all is None, "nothing is kept of commands that are decided together"
        assert issubclass(model, Approving) == (subject is not None), f"{model.name()}: what does it approve?"

        def declare(decide: Decide[CommandT, Any]) -> Decide[CommandT, Any]:
            assert model not in self._handled, f"{model.name()} has a handler already"
            self._handled[model] = _Handled(self._shards, decide, load, keep, subject)
            return decide

        return declare

    def extended_with(self, *others: "Commands") -> "Commands":
        """Return these commands and those of other collections, such as those that every service has."""
        together = Commands(ask_all=self.ask_all)
        for each in (self, *others):
            together._handled |= each._handled
        return together

    def shards_of(self, command: Command) -> str:
        """Return what the names of the shards of a command begin with, before the slash."""
        return self._handled[type(command)].shards

    def models(self) -> Sequence[type[Command]]:
        """Return the models of the commands."""
        return tuple(self._handled)

    def is_alone(self, command: Command) -> bool:
        """Return whether a command is decided after the ones before it are projected, not together with them."""
        return self.ask_all is None or self._handled[type(command)].load is not no_state

    async def load(self, connection: AsyncConnection, command: Command) -> Any:
        """Return what deciding a command needs. Raises: Rejected."""
        return await self._handled[type(command)].load(connection, command)

    async def keep(self, connection: AsyncConnection, command: Command, fact: Fact) -> None:
        """Write what is kept of an accepted command besides its fact."""
        keep = self._handled[type(command)].keep
        if keep is not None and not isinstance(fact, CommandRefused):
            await keep(connection, command, fact)

    def decide(self, command: Command, state: Any, now: Now) -> Accepted:
        """Decide a command. An approval is of what was shown, and is recorded with its hash. Raises: Rejected."""
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
