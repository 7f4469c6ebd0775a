"""What a service is: the one place that names it and wires its rooms together."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.topics import Topic
from shared.journal.tables import JournalTables
from shared.runtime.commands.bulk_dismissal import dismissal_commands, dismissal_projector
from shared.runtime.commands.command import Commands
from shared.runtime.commands.quarantine_commands import quarantine_commands, quarantine_projector
from shared.runtime.differences import ComparedTable
from shared.runtime.http.roles import Role
from shared.runtime.ingest.handler import Handler
from shared.runtime.outbox.relay import MessageKey
from shared.runtime.projector import Projector
from shared.runtime.rederivation.replay_spec import ReplaySpec
from shared.runtime.service.service_context import ServiceContext

TableCheck = Callable[[AsyncConnection], Awaitable[ComparedTable]]
"""Compare a table that nothing is projected into with what its journal says of it."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A service: its name, port and roles, its journal, what it reads and publishes, its commands, read model, routes.

    `references` are topics that every process reads whole, up to where they ended at the start, before the partitions
    of `handlers` begin, which the processes of a service share among them. `apart` says what
    is published apart from the rest: the topics of shards by what their names begin with, a topic that is read
    (`settlements`) or what a collection of commands calls them. `message_key` is the Kafka key of an entry;
    without it all entries of a shard have the shard's, and so stay in order. `rederived` gives, for a service whose
    entries all follow from topics, how the events of each are derived again. `watch` runs next to everything else until
    it is cancelled: figures that no event and no request brings up to date. `checks` compare what is in tables that are
    not projected, such as what is under seal, with what the journal says of it.
    """

    name: str
    title: str
    port: int
    roles: Sequence[Role] = ()
    journal: JournalTables
    publishes: Topic | None = None
    apart: Mapping[str, Topic] = field(default_factory=dict)
    message_key: MessageKey | None = None
    references: Sequence[type[Handler[Any]]] = ()
    handlers: Sequence[type[Handler[Any]]] = ()
    commands: Commands = field(default_factory=Commands)
    projector: Projector = field(default_factory=Projector)
    checks: Mapping[Table, TableCheck] = field(default_factory=dict)
    routes: Callable[[ServiceContext], APIRouter] | None = None
    rederived: Callable[[], Sequence[ReplaySpec[Any]]] | None = None
    watch: Callable[[ServiceContext], Coroutine[Any, Any, None]] | None = None

    def __post_init__(self) -> None:
        """Raise TypeError for a handler of a topic from outside that does not say at which properties it looks."""
        for handler in self.readers:
            if handler.reader.topic.publisher is None and handler.properties_in is Handler.properties_in:
                raise TypeError(
                    f"{handler.__name__} reads {handler.reader.topic.name}, which anybody may write: define "
                    "`properties_in`, so that what is read is from the devices of a property"
                )

    @cached_property
    def all_commands(self) -> Commands:
        """Return its own commands, and those about its quarantine where it reads topics."""
        if not self.readers:
            return self.commands
        of_one = quarantine_commands(self.journal, [one.reader for one in self.readers])
        return self.commands.extended_with(of_one, dismissal_commands(self.journal))

    @cached_property
    def whole_projector(self) -> Projector:
        """Return the projector of its own read model, and of what is asked for about its quarantine."""
        of_one, of_many = quarantine_projector(self.journal), dismissal_projector(self.journal)
        return self.projector.extended_with(of_one).extended_with(of_many)

    @property
    def readers(self) -> Sequence[type[Handler[Any]]]:
        """Return the handlers of all topics that the service reads."""
        return (*self.references, *self.handlers)

    def topic_of(self, shard_name: str) -> str:
        """Return the topic of the entries of a shard: `settlements/3@cluster`, `commands/0`. Raises: LookupError."""
        topic = self.apart.get(shard_name.partition("/")[0], self.publishes)
        if topic is None:
            raise LookupError(f"{self.name} publishes nothing")
        return topic.name

    @property
    def published(self) -> tuple[Topic, ...]:
        """Return the topics that the service publishes."""
        return () if self.publishes is None else (self.publishes, *self.apart.values())

    @property
    def schema(self) -> str:
        """Return the name of the service's schema and role in the database."""
        return self.journal.schema

    @property
    def reads(self) -> tuple[Topic, ...]:
        """Return the topics that the service reads."""
        return tuple(handler.reader.topic for handler in self.readers)
