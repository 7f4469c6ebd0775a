"""Decode a topic: a consumer names the models that it needs; other messages are skipped if no money moves with them.

A consumer may read a kind through a *view*: a model with some of its fields, which saves most of the decoding and lets
the publisher add fields. Messages of older releases are upgraded to the current version. A kind that this release
declares and the consumer does not name is skipped. A kind or version that this release does not declare is skipped if
the publisher declares that no money moves with it; otherwise the record is refused and stays in quarantine until a
release supports it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, Union

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from shared.contracts.envelope import Checked, Event, shard_of
from shared.contracts.facts import KINDS, enveloped, literal_of, name_and_version
from shared.contracts.json_text import require_members_once
from shared.contracts.topics import Topic
from shared.contracts.upcasting import upcast_event
from shared.rules.errors import Refused, refused_by_validation


class View(Checked):
    """Some fields of a fact or event; others are ignored. Declare the model that it views with `view_of`."""

    model_config = ConfigDict(extra="ignore", frozen=True)


@dataclass(frozen=True, slots=True)
class Skipped:
    """The data of an event that a consumer skips. `known` is true if the kind is declared in this release."""

    kind: str
    known: bool


ViewT = TypeVar("ViewT", bound=View)

_VIEWS: dict[type[View], str] = {}


def view_of(model: type[BaseModel]) -> Callable[[type[ViewT]], type[ViewT]]:
    """Declare a view of a fact or of an event's data. Raises: TypeError for a field that the model does not have."""

    def declare(view: type[ViewT]) -> type[ViewT]:
        missing = view.model_fields.keys() - model.model_fields.keys()
        if missing:
            raise TypeError(f"{view.__name__} views {sorted(missing)}, which {model.__name__} does not have")
        _VIEWS[view] = kind_of(model)
        return view

    return declare


def views() -> dict[type[View], str]:
    """Return every declared view with the kind that it is a view of."""
    return dict(_VIEWS)


class Reader:
    """Decodes one topic with these models: facts, data of events from outside, or views."""

    def __init__(self, topic: Topic, *models: Any) -> None:
        self.topic = topic
        kinds = {_VIEWS[model] if model in _VIEWS else kind_of(model): model for model in models}
        self.kinds = frozenset(kinds)
        union: Any = Union[tuple(enveloped(kind, model) for kind, model in kinds.items())]  # noqa: UP007 - of a list
        known: Any = Annotated[union, Field(discriminator="type")] if len(kinds) > 1 else union
        self._adapter: TypeAdapter[Event[Any]] = TypeAdapter(known)
        self._source = None if topic.publisher is None else re.compile(rf"/{topic.publisher}/shards/[0-9]{{1,9}}")

    def decode(self, raw: bytes) -> Event[Any]:
        """Return the event of a record; its data is `Skipped` if the consumer does not need it.

        Raises: Refused if it is malformed, has a duplicate member, or is of an unknown kind that may move money.
        """
        event = self._decoded(raw)
        try:
            require_members_once(raw)
        except ValueError as error:
            raise Refused(str(error)) from error
        if isinstance(event.data, Skipped):
            return event
        if self._source is not None and self._source.fullmatch(event.source) is None:
            raise Refused(f"'source' is {event.source!r}; on {self.topic.name} it is {self._source.pattern!r}")
        return event

    def _decoded(self, raw: bytes) -> Event[Any]:
        """Return the event of a record; of duplicate members the last one counts. Raises: Refused."""
        try:
            return self._adapter.validate_json(raw)
        except ValidationError as error:
            return self._older(raw) or self._passed(raw, error)

    def refused(self, raw: bytes, error: ValidationError) -> Refused:
        """Return the refusal of an invalid record of a known kind."""
        del raw
        return refused_by_validation(error, None)

    def _older(self, raw: bytes) -> Event[Any] | None:
        """Return an event of an older version of a known kind; None for anything else. Raises: Refused."""
        try:
            head = _HEAD.validate_json(raw)
            known = KINDS.of_type(head.type)
            if known is None or known.name not in self.kinds:
                return None
            upcast = upcast_event(raw)
        except ValidationError:
            return None
        except ValueError as error:
            raise Refused(str(error)) from error
        if upcast is None:
            return None
        try:
            return self._adapter.validate_json(upcast)
        except ValidationError as error:
            raise self.refused(upcast, error) from error

    def _passed(self, raw: bytes, error: ValidationError) -> Event[Any]:
        """Return an event that the consumer does not need. Raises: Refused if the consumer might need it."""
        try:
            head = (_HEAD if self.topic.publisher is None else _ENTRY_HEAD).validate_json(raw)
        except ValidationError:
            raise self.refused(raw, error) from error
        kind = KINDS.of_type(head.type)
        if kind is not None and kind.name in self.kinds:
            raise self.refused(raw, error) from error
        if kind is None and head.movesmoney is not False:
            raise Refused(f"kind {head.type!r} is not known here and may move money; {self._way_out(head.type)}")
        if kind is not None and kind.topic is not None and self.topic.publisher is None and kind.topic != self.topic:
            raise Refused(
                f"kind {head.type!r} belongs on {kind.topic.name}, and this is {self.topic.name}: send it there, with "
                "the next sequence of its stream, and dismiss this record"
            )
        return head.model_copy(update={"data": Skipped(head.type, kind is not None)})

    def _way_out(self, type_: str) -> str:
        """Return advice on an unknown kind, which is misspelled or of a later release."""
        replay = "deploy a release that knows it, then replay this record"
        if self.topic.publisher is not None:
            return replay
        there = [kind.type for kind in KINDS.on(self.topic)]
        meant = get_close_matches(type_, there, n=1, cutoff=0.85)
        if meant:
            return f"is {meant[0]!r} meant? Then send it so; else {replay}"
        return f"on {self.topic.name} there are {', '.join(there)}; where it is a new one, {replay}"


class _Head(Event[Any]):
    """The fields of an event that can be read without knowing its kind."""

    movesmoney: bool | None = None


class _EntryHead(_Head):
    """The fields of a journal entry that can be read without knowing its kind, including its position."""

    recordedat: AwareDatetime

    @property
    def shard(self) -> int:
        """Return the number of the shard in its publisher's journal."""
        return shard_of(self.source)


_HEAD = TypeAdapter(_Head)
_ENTRY_HEAD = TypeAdapter(_EntryHead)


def kind_of(model: Any) -> str:
    """Return the name of the kind that a model is declared as. Raises: TypeError for a model that is not."""
    if isinstance(model, type) and issubclass(model, Event):
        return name_and_version(literal_of(model))[0]
    for kind in KINDS:
        if kind.model is model:
            return kind.name
    raise TypeError(f"{model} is not declared: decorate it with fact, event or view_of")
