"""The registry of events and facts: every kind is one model and is declared once.

An event comes from outside (`table.opened`); a fact is what a service records in its journal and publishes
(`vigorish.assessed`). The declaration gives the kind, the topic, whether money moves, and the version unless it is the
first. Envelopes, unions, decoders, JSON Schemas and AsyncAPI messages are derived from it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, TypeVar, cast, get_args

from pydantic import AwareDatetime, create_model

from shared.contracts.envelope import Contract, DataT, Digest, Event, shard_of
from shared.contracts.postings import PostingsText
from shared.contracts.topics import Topic


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of message: its name, description and topic, and whether money moves with it.

    `topic` is None for facts common to all journals. `stream` is a template for the stream of a fact caused by a
    command, with fields of the fact in braces; by default the fact is in the stream of its shard. `version` is the
    version that this release writes; it reads older ones, too (`shared.contracts.upcasting`).
    """

    name: str
    model: Any
    description: str
    topic: Topic | None
    is_fact: bool
    moves_money: bool = False
    stream: str | None = None
    version: int = 1

    @property
    def type(self) -> str:
        """Return the type name of this version in entries and CloudEvents, such as `vigorish.waived.v2`."""
        return versioned(self.name, self.version)

    @property
    def types(self) -> Sequence[str]:
        """Return the type names of all versions, oldest first."""
        return [versioned(self.name, version) for version in range(1, self.version + 1)]


_TYPE = re.compile(r"(.+?)(?:\.v([1-9][0-9]{0,8}))?")


def versioned(name: str, version: int) -> str:
    """Return the type name of a version of a kind. The first one is the kind's name.

    >>> versioned("vigorish.waived", 1), versioned("vigorish.waived", 2)
    ('vigorish.waived', 'vigorish.waived.v2')
    """
    return name if version == 1 else f"{name}.v{version}"


def name_and_version(type_: str) -> tuple[str, int]:
    """Return the kind's name and the version in a type name.

    >>> name_and_version("vigorish.waived.v2")
    ('vigorish.waived', 2)
    """
    found = _TYPE.fullmatch(type_)
    return (type_, 1) if found is None or found[2] in (None, "1") else (found[1], int(found[2]))


class Fact(Contract):
    """A fact recorded by a service: the data of an entry. Declare each kind with `fact`."""

    KIND: ClassVar[EventKind]

    def encode(self) -> bytes:
        """Return the JSON that is hashed, stored and published, without null members."""
        return self.__pydantic_serializer__.to_json(self, exclude_none=True)


class EntryEvent(Event[DataT]):
    """A published journal entry.

    `sequence` is its sequence in its shard, `subject` the stream of the causing event. A consumer that does not know
    the kind may skip the entry only if `movesmoney` is false. `postings` are its postings as text
    (shared.contracts.postings), empty if no money moved. Messages of releases that did not publish postings lack this
    field.
    """

    recordedat: AwareDatetime
    entryhash: Digest
    movesmoney: bool = False
    postings: PostingsText | None = None

    @property
    def shard(self) -> int:
        """Return the number of the shard in its publisher's journal."""
        return shard_of(self.source)


class _Kinds:
    """The registry of declared kinds, by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, EventKind] = {}

    def add(self, kind: EventKind) -> None:
        """Declare a kind. Raises: ValueError if the name is taken, or contains a version."""
        if name_and_version(kind.name) != (kind.name, 1):
            raise ValueError(f"kind {kind.name!r} says a version; declare it with version=")
        taken = self._by_name.setdefault(kind.name, kind)
        if taken is not kind:
            raise ValueError(
                f"kind {kind.name!r} is declared by {taken.model} and by {kind.model}; choose another name"
            )

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> EventKind:
        return self._by_name[name]

    def __iter__(self) -> Iterator[EventKind]:
        return iter(self._by_name.values())

    def of_type(self, type_: str) -> EventKind | None:
        """Return the kind with this type name, of any version; None if this release does not know name or version."""
        name, version = name_and_version(type_)
        kind = self._by_name.get(name)
        return None if kind is None or version > kind.version else kind

    def on(self, topic: Topic) -> Sequence[EventKind]:
        """Return the kinds on a topic; a topic that a service publishes also has the kinds common to all journals."""
        return [
            kind
            for kind in self
            if kind.topic is topic or (kind.topic is None and topic.publisher is not None and kind.is_fact)
        ]


KINDS = _Kinds()
"""The registry, filled by importing the modules that declare kinds (all are in shared.contracts.catalog)."""

FactT = TypeVar("FactT", bound=Fact)
ModelT = TypeVar("ModelT", bound=Contract)
EventT = TypeVar("EventT", bound=Event[Any])


def fact(
    name: str, topic: Topic | None = None, *, moves_money: bool = False, stream: str | None = None, version: int = 1
) -> Callable[[type[FactT]], type[FactT]]:
    """Declare a fact that services record. A fact without a topic is common to all journals."""

    def declare(model: type[FactT]) -> type[FactT]:
        model.KIND = EventKind(name, model, _line(model.__doc__), topic, True, moves_money, stream, version)
        KINDS.add(model.KIND)
        return model

    return declare


def event(name: str, topic: Topic, *, version: int = 1) -> Callable[[type[ModelT]], type[ModelT]]:
    """Declare the data of an event from outside."""

    def declare(model: type[ModelT]) -> type[ModelT]:
        KINDS.add(EventKind(name, model, _line(model.__doc__), topic, False, version=version))
        return model

    return declare


def envelope(topic: Topic) -> Callable[[type[EventT]], type[EventT]]:
    """Declare an event from outside with its own envelope, because its data is a union."""

    def declare(model: type[EventT]) -> type[EventT]:
        name, version = name_and_version(literal_of(model))
        data = model.model_fields["data"].annotation
        kind = EventKind(name, data, _line(model.__doc__), topic, False, version=version)
        KINDS.add(kind)
        _ENVELOPES[kind.name] = model
        return model

    return declare


_ENVELOPES: dict[str, type[Event[Any]]] = {}


def envelope_of(kind: EventKind) -> type[Event[Any]]:
    """Return the CloudEvents envelope of a kind, with typed data."""
    return _ENVELOPES.get(kind.name) or _enveloped(kind.type, kind.model, kind.is_fact)


@cache
def _enveloped(type_: str, data: Any, is_fact: bool) -> type[Event[Any]]:
    base: Any = EntryEvent if is_fact else Event
    kind: Any = Literal[type_]
    # A reader builds one schema of all kinds that it reads, so the schema of a single kind is built only on demand.
    made = create_model(
        f"{data.__name__}Event",
        __base__=base,
        __doc__=data.__doc__,
        __cls_kwargs__={"defer_build": True},
        type=(kind, ...),
        data=(data, ...),
    )
    return cast("type[Event[Any]]", made)


def enveloped(name: str, data: Any) -> type[Event[Any]]:
    """Return the envelope of a kind with a consumer's own model (a view) of its data."""
    kind = KINDS[name]
    if data is kind.model or (isinstance(data, type) and issubclass(data, Event)):
        return envelope_of(kind)
    return _enveloped(kind.type, data, kind.is_fact)


def literal_of(model: type[Event[Any]]) -> str:
    """Return the event type that an envelope declares."""
    [name] = get_args(model.model_fields["type"].annotation)
    return str(name)


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
