"""Generate the contracts: a JSON Schema for each message, and one AsyncAPI document of all channels."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from importlib.metadata import version
from operator import or_
from typing import Annotated, Any, Final

import yaml
from pydantic import Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from shared.contracts import catalog, device_signatures, tables
from shared.contracts.envelope import CONTENT_TYPE
from shared.contracts.facts import KINDS, EventKind, envelope_of
from shared.contracts.topics import TOPICS, Topic
from shared.rules import games
from shared.rules.record import Submission

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


_ROUND_RECORD: Final[Any] = Annotated[
    reduce(or_, (game.round_type for game in games().values())),
    Field(description="The record of a round of any game; the regulation next to it determines the game."),
]

DOCUMENTS: Final[Mapping[str, Any]] = {"round-record": _ROUND_RECORD, "rules-submission": Submission}
"""Documents within messages that also exist as files, by the name of their schema."""

_DECLARING: Final = (*catalog.MODULES, tables)

_MENDING_HEADERS: Final = {
    "pitledger-quarantine-id": "The refused record that this one replaces: service/number in its quarantine.",
    "pitledger-mended-by": "Who mended the record.",
    "pitledger-mended-reason": "Why, in words.",
    "pitledger-replay-signature": "The signature of the service that sends it again, by the decision of two people.",
}
_DEVICE_HEADERS: Final = {
    device_signatures.HEADER: "The detached JWS (RFC 7515, appendix F; RFC 7797) of who speaks for the table: "
    "docs/devices.md.",
}


Readers = Mapping[str, Sequence[str]]
"""The names of the services that read a topic, by the topic's name, from their manifests."""


def json_schema(model: Any, name: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the documents that a model, or a union of models, accepts."""
    schema = TypeAdapter(model).json_schema(schema_generator=_Plain, mode="validation")
    return {"$schema": DIALECT, "$id": f"urn:pitledger:schema:{name}", **_on_one_line(schema)}


def json_schemas() -> dict[str, dict[str, Any]]:
    """Return all JSON Schemas by name: one for each event type, and those of nested documents."""
    assert _DECLARING, "all kinds are declared"
    models = {kind.type: envelope_of(kind) for kind in KINDS} | dict(DOCUMENTS)
    return {name: json_schema(model, name) for name, model in sorted(models.items())}


def asyncapi(readers: Readers) -> dict[str, Any]:
    """Return the AsyncAPI 3.0 document of all topics; it refers to the JSON Schemas as files in `json/` next to it."""
    messages = {_message_id(kind, topic): _message(kind, topic) for topic in TOPICS for kind in KINDS.on(topic)}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Pitledger",
            "version": version("pitledger"),
            "description": "Events between table systems and the services of Pitledger: CloudEvents 1.0 in structured "
            "JSON, at least once, with a dense sequence for each source.",
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
        },
        "defaultContentType": CONTENT_TYPE,
        "channels": {_id(topic.name): _channel(topic) for topic in TOPICS},
        "operations": dict(_operations(readers)),
        "components": {"messages": messages},
    }


def files(readers: Readers) -> dict[str, str]:
    """Return the content of every generated file, keyed by its path below `schemas/`."""
    texts = {f"json/{name}.json": as_json(schema) for name, schema in json_schemas().items()}
    return texts | {"asyncapi.yaml": as_yaml(asyncapi(readers))}


def as_json(document: Mapping[str, Any]) -> str:
    """Return a document as JSON text, deterministically."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def as_yaml(document: Mapping[str, Any]) -> str:
    """Return a document as YAML text, deterministically."""
    return yaml.safe_dump(document, sort_keys=True, allow_unicode=True, width=120)


class _Plain(GenerateJsonSchema):
    """A generator of JSON Schemas without the titles that only repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False


def _on_one_line(schema: Any) -> Any:
    """Return the schema with each description on one line."""
    if isinstance(schema, list):
        return [_on_one_line(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _on_one_line(value) for name, value in schema.items()}
    if isinstance(plain.get("description"), str):
        plain["description"] = _line(plain["description"])
    return plain


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _id(name: str) -> str:
    """Return a name as the key of a component: letters first, parts joined in camel case."""
    first, *more = re.split(r"[^A-Za-z0-9]+", name)
    return first + "".join(part.capitalize() for part in more)


def _message_id(kind: EventKind, topic: Topic) -> str:
    """Return the key of a message; a fact common to all journals is a separate message on each topic.

    The reason is that the Kafka key of such a fact differs by topic.
    """
    return _id(kind.type) if kind.topic is not None else _id(f"{topic.name}.{kind.type}")


def _channel(topic: Topic) -> dict[str, Any]:
    names = [_message_id(kind, topic) for kind in KINDS.on(topic)]
    return {
        "address": topic.name,
        "title": topic.title,
        "description": topic.description,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {
            "kafka": {
                "topic": topic.name,
                "topicConfiguration": {"cleanup.policy": [topic.cleanup_policy]},
                "bindingVersion": "0.5.0",
            }
        },
    }


def _message(kind: EventKind, topic: Topic) -> dict[str, Any]:
    headers: dict[str, Any] = {"content-type": {"type": "string", "const": CONTENT_TYPE}}
    if topic.publisher is None:
        said = _MENDING_HEADERS | _DEVICE_HEADERS
        headers |= {header: {"type": "string", "description": what} for header, what in said.items()}
    return {
        "name": kind.type,
        "title": kind.description,
        "contentType": CONTENT_TYPE,
        "headers": {"type": "object", "properties": headers},
        "payload": {
            "schemaFormat": "application/schema+json;version=draft-2020-12",
            "schema": {"$ref": f"./json/{kind.type}.json"},
        },
        "bindings": {
            "kafka": {"key": {"type": "string", "description": topic.message_key}, "bindingVersion": "0.5.0"},
        },
    }


def _operations(readers: Readers) -> Iterable[tuple[str, dict[str, Any]]]:
    for topic in TOPICS:
        ours = tuple(readers.get(topic.name, ()))
        writers = topic.outside if topic.publisher is None else (topic.publisher,)
        reading = ours if topic.publisher is None else (*ours, *topic.outside)
        for action, services, verb in (("send", writers, "writes"), ("receive", reading, "reads")):
            for service in services:
                yield (
                    f"{_id(service)}{verb.capitalize()}{_id(topic.name)[0].upper()}{_id(topic.name)[1:]}",
                    {
                        "action": action,
                        "channel": {"$ref": f"#/channels/{_id(topic.name)}"},
                        "summary": f"{service} {verb} {topic.name}",
                        "tags": [{"name": service}],
                    },
                )
