"""The definition of a service: its name and all its parts."""

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
from shared.runtime.ingest.handler import Handler, ReadModelHandler, TopicHandler
from shared.runtime.outbox.relay import MessageKey
from shared.runtime.projector import Projector
from shared.runtime.rederivation.replay_spec import ReplaySpec
from shared.runtime.service.service_context import ServiceContext

TableCheck = Callable[[AsyncConnection], Awaitable[ComparedTable]]
"""Compare an unprojected table with its source."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The definition of a service: name, port, roles, journal, topics, commands, read model and routes.

    references : handlers of topics that every process reads whole. At the start, they are read to their ends before
    the topics of `handlers`.
    handlers : handlers of topics whose partitions the processes share.
    apart : topics other than `publishes` to which entries of some shards are published, by the prefix of the shards'
    names. A prefix is a topic that is read (`settlements`), or the prefix of a collection of commands.
    message_key : returns the Kafka key of an entry; by default the key of its shard, which keeps a shard's entries in
    order.
    rederived : returns how the events of each topic are re-derived, for a service whose entries all follow from topics.
    watch : background job that runs until cancelled, and updates what does not depend on an event or a request.
    checks : compare tables that are not projected, such as counts under seal, with the journal.
    confidential : only callers with a role of the service may learn that it holds any data. It publishes nothing, and
    its answers to other callers, its metrics, logs, traces and checkpoints do not reveal any data
    (docs/decisions/0084-keep-suspicious-activity-reports-in-a-room-of-their-own.md).
    """

    name: str
    title: str
    port: int
    confidential: bool = False
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
        """Raise TypeError for an invalid manifest.

        A handler of a topic from outside must define `properties_in`. A confidential service must publish nothing and
        declare roles.
        """
        if self.confidential and (self.publishes is not None or self.apart or not self.roles):
            raise TypeError(f"{self.name} is confidential: it has roles of its own, and publishes nothing")
        for handler in self.readers:
            if handler.reader.topic.publisher is None and handler.properties_in is TopicHandler.properties_in:
                raise TypeError(
                    f"{handler.__name__} reads {handler.reader.topic.name}, which anybody may write: define "
                    "`properties_in`, so that what is read is from the devices of a property"
                )

    @cached_property
    def all_commands(self) -> Commands:
        """Return the service's own commands and, if it reads topics, the commands about its quarantine."""
        if not self.readers:
            return self.commands
        of_one = quarantine_commands(self.journal, [one.reader for one in self.readers])
        return self.commands.extended_with(of_one, dismissal_commands(self.journal))

    @cached_property
    def whole_projector(self) -> Projector:
        """Return the projector of the service's read model, of quarantine requests and of bulk dismissals."""
        of_one, of_many = quarantine_projector(self.journal), dismissal_projector(self.journal)
        return self.projector.extended_with(of_one).extended_with(of_many)

    @property
    def readers(self) -> Sequence[type[Handler[Any]]]:
        """Return the handlers of all topics that the service reads."""
        return (*self.references, *self.handlers)

    @property
    def read_model_handlers(self) -> Sequence[type[ReadModelHandler[Any]]]:
        """Return the handlers that write tables of the service from their topics."""
        return [handler for handler in self.readers if issubclass(handler, ReadModelHandler)]

    def topic_of(self, shard_name: str) -> str:
        """Return the topic of a shard's entries, by shard name: `settlements/3@cluster`. Raises: LookupError."""
        topic = self.apart.get(shard_name.partition("/")[0], self.publishes)
        if topic is None:
            raise LookupError(f"{self.name} publishes nothing")
        return topic.name

    @property
    def published(self) -> tuple[Topic, ...]:
        """Return the topics to which the service publishes its entries."""
        return () if self.publishes is None else tuple(dict.fromkeys((self.publishes, *self.apart.values())))

    @property
    def schema(self) -> str:
        """Return the name of the service's schema, which is also its role, in the database."""
        return self.journal.schema

    @property
    def reads(self) -> tuple[Topic, ...]:
        """Return the topics that the service reads."""
        return tuple(handler.reader.topic for handler in self.readers)
