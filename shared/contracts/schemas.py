"""The contracts as documents: a JSON Schema for each message, and one AsyncAPI document of all channels."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final, get_args

import yaml
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from shared.contracts import (
    account_events,
    inventory_events,
    meter_events,
    pit_events,
    settlement_events,
    submission_events,
    table_events,
    vigorish_events,
)
from shared.contracts.envelope import CONTENT_TYPE
from shared.rules.blackjack.record import BlackjackRound
from shared.rules.record import Submission

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Channel:
    """A Kafka topic: its messages, keyed by what, written and read by whom."""

    topic: str
    title: str
    description: str
    key: str
    cleanup_policy: str
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    messages: tuple[type[BaseModel], ...]


def _of_union(union: Any) -> tuple[type[BaseModel], ...]:
    return get_args(union) or (union,)


CHANNELS: Final = (
    Channel(
        topic=table_events.TOPIC,
        title="What happened at the tables",
        description="Rounds completed, voided and corrected, as the table systems report them. The sequence of a table "
        "is dense: 1, 2, 3, without a hole.",
        key="The source: /properties/<property>/tables/<table>. All events of a table stay in order.",
        cleanup_policy="delete",
        writers=("table-system",),
        readers=("round-settlement",),
        messages=_of_union(table_events.TableEvent),
    ),
    Channel(
        topic=submission_events.TOPIC,
        title="Rules submissions",
        description="What licensees filed, and what was decided about it: every version, for ever; and refusals.",
        key="property/game/version/type; of a refused request, type/number. No key has two contents.",
        cleanup_policy="compact",
        writers=("paytable-registry",),
        readers=("round-settlement", "vigorish", "progressive-meters"),
        messages=_of_union(submission_events.SubmissionEvent),
    ),
    Channel(
        topic=settlement_events.TOPIC,
        title="The journal of round settlement",
        description="Every entry, in the order of its shard: rounds posted and reversed, gaps, refused records. An "
        "entry may come twice; its sequence says so.",
        key="The source: /round-settlement/shards/<shard>. All entries of a shard stay in order.",
        cleanup_policy="delete",
        writers=("round-settlement",),
        readers=("reporting", "table-inventory", "vigorish", "progressive-meters", "wagering-accounts"),
        messages=_of_union(settlement_events.SettlementEvent),
    ),
    Channel(
        topic=account_events.TOPIC,
        title="The journal of the wagering accounts",
        description="Every entry, in the order of its shard: money in and out, wagers on hold and in play, results, "
        "adjustments, patrons, refused commands and requests. Never an access code.",
        key="The source: /wagering-accounts/shards/<shard>. All entries of a shard stay in order.",
        cleanup_policy="delete",
        writers=("wagering-accounts",),
        readers=("casino-management-system",),
        messages=_of_union(account_events.AccountEvent),
    ),
    Channel(
        topic=pit_events.TOPIC,
        title="What happens in the pit besides the rounds",
        description="Counts, fills and credits on their way, chips sold, boxes, coupons, tips, vigorish, equipment: as "
        "the pit systems report them. The sequence of a table's pit stream is dense: 1, 2, 3, without a hole.",
        key="The source: /properties/<property>/tables/<table>/pit. All events of a table's pit stay in order.",
        cleanup_policy="delete",
        writers=("pit-system",),
        readers=("table-inventory", "vigorish"),
        messages=_of_union(pit_events.PitEvent),
    ),
    Channel(
        topic=inventory_events.TOPIC,
        title="The journal of the table-inventory ledger",
        description="Every entry, in the order of its shard: pit events recorded, rounds counted, slips, counts, "
        "variances, adjustments, gaming days closed, refusals. A count shows no figure before it is concluded.",
        key="The source: /table-inventory/shards/<shard>. All entries of a shard stay in order.",
        cleanup_policy="delete",
        writers=("table-inventory",),
        readers=("casino-management-system",),
        messages=_of_union(inventory_events.InventoryEvent),
    ),
    Channel(
        topic=vigorish_events.TOPIC,
        title="The journal of the vigorish ledger",
        description="Every entry, in the order of its shard: assessed by rounds, taken back, collected and waived.",
        key="The source: /vigorish/shards/<shard>. All entries of a shard stay in order.",
        cleanup_policy="delete",
        writers=("vigorish",),
        readers=("casino-management-system",),
        messages=_of_union(vigorish_events.VigorishEvent),
    ),
    Channel(
        topic=meter_events.TOPIC,
        title="The journal of the progressive meters",
        description="Every entry, in the order of its shard: pools, rounds counted and taken back, changes, days "
        "reconciled, refusals. What moves a pool carries the reading afterwards, numbered within the pool, for signs.",
        key="The source: /progressive-meters/shards/<shard>. All entries of a shard stay in order.",
        cleanup_policy="delete",
        writers=("progressive-meters",),
        readers=("progressive-sign", "casino-management-system"),
        messages=_of_union(meter_events.MeterEvent),
    ),
)

DOCUMENTS: Final[Mapping[str, type[BaseModel]]] = {"round-record": BlackjackRound, "rules-submission": Submission}
"""What messages hold and files may hold too, by the name of its schema."""

_MENDING_HEADERS: Final = {
    "pitledger-quarantine-id": "The number of the refused record in quarantine that this one replaces.",
    "pitledger-mended-by": "Who mended the record.",
    "pitledger-mended-reason": "Why, in words.",
}


def type_of(message: type[BaseModel]) -> str:
    """The event type of a message: `round.completed`."""
    [name] = get_args(message.model_fields["type"].annotation)
    return str(name)


def json_schema(model: type[BaseModel], name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the documents that a model accepts."""
    schema = model.model_json_schema(schema_generator=_Plain, mode="validation")
    return {"$schema": DIALECT, "$id": f"urn:pitledger:schema:{name}", **_on_one_line(schema)}


def json_schemas() -> dict[str, dict[str, Any]]:
    """All JSON Schemas by name: one of each event type, and those of the documents in them."""
    models = {type_of(message): message for channel in CHANNELS for message in channel.messages} | dict(DOCUMENTS)
    return {name: json_schema(model, name) for name, model in sorted(models.items())}


def asyncapi() -> dict[str, Any]:
    """The AsyncAPI 3.0 document of all channels; the JSON Schemas are referred to as files in `json/` beside it."""
    messages = {type_of(message): _message(message, channel) for channel in CHANNELS for message in channel.messages}
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
        "channels": {_id(channel.topic): _channel(channel) for channel in CHANNELS},
        "operations": dict(_operations()),
        "components": {"messages": {_id(name): message for name, message in messages.items()}},
    }


def files() -> dict[str, str]:
    """The texts of the files, by their paths below `schemas/`."""
    texts = {f"json/{name}.json": as_json(schema) for name, schema in json_schemas().items()}
    return texts | {"asyncapi.yaml": as_yaml(asyncapi())}


def as_json(document: Mapping[str, Any]) -> str:
    """A document as the text of a file, always the same for the same content."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def as_yaml(document: Mapping[str, Any]) -> str:
    """A document as the text of a file, always the same for the same content."""
    return yaml.safe_dump(document, sort_keys=True, allow_unicode=True, width=120)


class _Plain(GenerateJsonSchema):
    """Leaves out the titles that only repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False


def _on_one_line(schema: Any) -> Any:
    """The schema with descriptions that do not keep the line breaks of the source."""
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
    """A name as the key of a component: letters first, parts joined in camel case."""
    first, *more = re.split(r"[^A-Za-z0-9]+", name)
    return first + "".join(part.capitalize() for part in more)


def _channel(channel: Channel) -> dict[str, Any]:
    names = [_id(type_of(message)) for message in channel.messages]
    return {
        "address": channel.topic,
        "title": channel.title,
        "description": channel.description,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {
            "kafka": {
                "topic": channel.topic,
                "topicConfiguration": {"cleanup.policy": [channel.cleanup_policy]},
                "bindingVersion": "0.5.0",
            }
        },
    }


def _message(message: type[BaseModel], channel: Channel) -> dict[str, Any]:
    name = type_of(message)
    headers: dict[str, Any] = {"content-type": {"type": "string", "const": CONTENT_TYPE}}
    if channel.topic == table_events.TOPIC:
        headers |= {header: {"type": "string", "description": what} for header, what in _MENDING_HEADERS.items()}
    return {
        "name": name,
        "title": _line(message.__doc__),
        "contentType": CONTENT_TYPE,
        "headers": {"type": "object", "properties": headers},
        "payload": {
            "schemaFormat": "application/schema+json;version=draft-2020-12",
            "schema": {"$ref": f"./json/{name}.json"},
        },
        "bindings": {
            "kafka": {"key": {"type": "string", "description": channel.key}, "bindingVersion": "0.5.0"},
        },
    }


def _operations() -> Iterable[tuple[str, dict[str, Any]]]:
    for channel in CHANNELS:
        for action, services, verb in (("send", channel.writers, "writes"), ("receive", channel.readers, "reads")):
            for service in services:
                yield (
                    f"{_id(service)}{verb.capitalize()}{_id(channel.topic)[0].upper()}{_id(channel.topic)[1:]}",
                    {
                        "action": action,
                        "channel": {"$ref": f"#/channels/{_id(channel.topic)}"},
                        "summary": f"{service} {verb} {channel.topic}",
                        "tags": [{"name": service}],
                    },
                )
