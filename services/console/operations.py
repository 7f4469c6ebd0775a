"""Command forms and list filters from the services' OpenAPI documents: fields and required roles."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal

import httpx
import structlog

from services.console.services import Refused, part
from services.console.words import say
from shared.contracts.money import dollars
from shared.runtime.clock import Clock

Kind = Literal[
    "text",
    "secret",
    "long",
    "whole",
    "number_or_text",
    "cents",
    "choice",
    "flag",
    "day",
    "moment",
    "cards",
    "list",
    "group",
    "document",
]
"""The type of a form field.

`cents` are typed in dollars, `cards` as their names. `number_or_text` is a whole number if it has only digits, else a
text: a seat, or "dealer". `document` is raw JSON.
"""

SHOWN: Final = "subject_sha256"
"""The field of an approval with the hash of the content that was shown to the approver."""

_LONG: Final = frozenset({"reason", "conclusion", "override", "found"})
"""Names of text fields that are shown with several lines, for whole sentences."""
_DEPTH_MAX: Final = 4
_SECONDS_MAX: Final = 2.0
_READ_AGAIN: Final = timedelta(minutes=5)
_TRY_AGAIN: Final = timedelta(seconds=5)
_PLACEHOLDER: Final = re.compile(r"{(\w+)}")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A form field. `item` is the element of a list; `fields` are the fields of a group."""

    name: str
    kind: Kind
    required: bool = True
    help: str = ""
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    least: int | None = None
    most: int | None = None
    default: Any = None
    item: "Field | None" = None
    fields: tuple["Field", ...] = ()
    items_min: int = 0
    items_max: int = 64

    @property
    def begins(self) -> str:
        """Return the initial text of the field.

        >>> Field(name="cents", kind="cents", default=150).begins
        '1.50'
        >>> Field(name="close", kind="flag", default=False).begins
        'no'
        """
        match self.kind, self.default:
            case "choice", None:
                return self.choices[0] if self.required else ""
            case "flag", None:
                return "no" if self.required else ""
            case _, None:
                return ""
            case "flag", default:
                return "yes" if default else "no"
            case "cents", default:
                return dollars(default, grouped=False)
            case _, default:
                return str(default)

    @property
    def is_nested(self) -> bool:
        """Return whether the field is a group that contains groups or lists."""
        return any(one.kind in ("group", "list") for one in self.fields)

    @property
    def label(self) -> str:
        """Return the label of the field.

        >>> Field(name="gaming_day", kind="day").label, Field(name="reset_cents", kind="cents").label
        ('Gaming day', 'Reset')
        """
        words = self.name.removesuffix("_cents") if self.kind == "cents" else self.name
        return ("Amount" if words == "cents" else words.replace("_", " ").capitalize()) if words else "Amount"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A command: its service, its path, the roles that may send it (one suffices), and its fields."""

    service: str
    name: str
    title: str
    description: str
    path: str
    roles: frozenset[str]
    of_path: tuple[Field, ...]
    of_body: tuple[Field, ...]
    subject: str | None = None
    """The path template of the document that the command acts on, with field names in braces."""
    page: str = ""
    """The URL of the page with the command's form, if not the default page."""
    fixed: frozenset[str] = frozenset()
    """Fields that the page fills in, and that people cannot change."""
    confirmed: bool = False
    """Whether the form always requires confirmation, whatever its fields."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """Return all fields, starting with the path parameters."""
        return (*self.of_path, *self.of_body)

    @property
    def address(self) -> str:
        """Return the URL of the page with the command's form."""
        return self.page or f"/do/{self.service}/{self.name}"

    @property
    def asked(self) -> tuple[Field, ...]:
        """Return the fields that people fill in; the form itself sets the hash of the shown document."""
        return tuple(one for one in self.fields if one.name != SHOWN)

    @property
    def names_of_subject(self) -> frozenset[str]:
        """Return the names of the fields that identify the subject of the command."""
        return frozenset(_PLACEHOLDER.findall(self.subject or ""))

    def path_with(self, values: Mapping[str, str]) -> str:
        """Return the path with its parameters. Raises: KeyError."""
        return filled_path(self.path, values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A GET route: its service, its path, the roles that may read it (one suffices), and its query parameters."""

    service: str
    path: str
    roles: frozenset[str]
    parameters: Mapping[str, Field]


def filled_path(path: str, values: Mapping[str, str]) -> str:
    """Return a path template with its placeholders replaced by values. Raises: KeyError."""
    return _PLACEHOLDER.sub(lambda found: part(values[found[1]]), path)


class Operations:
    """The running services' commands, by service and name, and GET routes, by service and path.

    Each service's OpenAPI document is read when a page first needs it, and again every few minutes, because services
    may be upgraded while the console runs.
    """

    def __init__(self, urls: Mapping[str, str], client: httpx.AsyncClient, clock: Clock) -> None:
        self._urls, self._client, self._clock = dict(urls), client, clock
        self._by_service: dict[str, dict[str, Operation]] = {}
        self._queries: dict[str, dict[str, Query]] = {}
        self._due: dict[str, datetime] = {}
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._tried: set[str] = set()

    async def refresh(self) -> None:
        """Start reading the OpenAPI documents that are due, and wait only for those never read before.

        If a service does not answer, its last-read commands are kept, and later requests do not wait for the service.
        """
        now = self._clock()
        for service in self._urls:
            if self._due.get(service, now) <= now:
                self._due[service] = now + _TRY_AGAIN
                self._reading[service] = asyncio.create_task(self._read(service))
        if first := [one for name, one in self._reading.items() if name not in self._tried]:
            await asyncio.wait(first)  # unlike gather, it does not cancel the reads if this request is cancelled
        for one in self._reading.values():
            if one.done():
                one.result()

    async def _read(self, service: str) -> None:
        try:
            answer = await self._client.get(f"{self._urls[service]}/openapi.json", timeout=_SECONDS_MAX)
            document = answer.raise_for_status().json()
            queries = {one.path: one for one in queries_of(service, document)}
            self._by_service[service] = {one.name: one for one in operations_of(service, document)}
            self._queries[service] = queries
        except (httpx.HTTPError, LookupError, ValueError) as error:
            log.warning("command forms not loaded from the service", service=service, error=repr(error))
        else:
            self._due[service] = self._clock() + _READ_AGAIN
        self._tried.add(service)

    def find(self, service: str, name: str) -> Operation | None:
        """Return a command; None if it does not exist, or its service has not answered yet."""
        return self._by_service.get(service, {}).get(name)

    def get(self, service: str, name: str) -> Operation:
        """Return a command. Raises: Refused if the command does not exist, or its service has not answered yet."""
        found = self.find(service, name)
        if found is not None:
            return found
        if service in self._urls and service not in self._by_service:
            detail = say("refused.unread_commands", service=service)
            raise Refused(service, 503, {"title": say("refused.silent"), "detail": detail})
        detail = say("refused.command_why", name=name, service=service)
        raise Refused(service, 404, {"title": say("refused.command"), "detail": detail})

    def query(self, service: str, path: str) -> Query | None:
        """Return a GET route; None if it does not exist, or its service has not answered yet."""
        return self._queries.get(service, {}).get(path)

    def choices(self, path: str, name: str, *services: str) -> tuple[str, ...]:
        """Return the values of a query parameter that all of these services accept, ignoring services not read yet."""
        queries = [query for service in services if (query := self.query(service, path)) is not None]
        offered = [query.parameters[name].choices if name in query.parameters else () for query in queries]
        return tuple(one for one in offered[0] if all(one in each for each in offered)) if offered else ()

    def services_with(self, name: str) -> list[str]:
        """Return the services that have a command of this name, and those that have not answered yet."""
        return sorted(one for one in self._urls if name in self._by_service.get(one, {name: None}))


def operations_of(service: str, document: Mapping[str, Any]) -> Iterator[Operation]:
    """Yield the commands that an OpenAPI document describes."""
    for path, methods in document["paths"].items():
        if (described := methods.get("post")) is not None:
            yield _operation(service, path, described, document["components"]["schemas"])


def queries_of(service: str, document: Mapping[str, Any]) -> Iterator[Query]:
    """Yield the GET routes that an OpenAPI document describes."""
    schemas = document.get("components", {}).get("schemas", {})
    for path, methods in document["paths"].items():
        if (described := methods.get("get")) is not None:
            parameters = [one for one in described.get("parameters", ()) if one["in"] == "query"]
            yield Query(
                service=service,
                path=path,
                roles=_roles(described),
                parameters={
                    one["name"]: _field(
                        one["name"], one["schema"] | _help(one), schemas, required=one.get("required", False)
                    )
                    for one in parameters
                },
            )


def _roles(described: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(role for one in described.get("security", ()) for roles in one.values() for role in roles)


def _operation(service: str, path: str, described: Mapping[str, Any], schemas: Mapping[str, Any]) -> Operation:
    ending = re.sub(r"\W", "_", path) + "_post"
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    whole = None if body is None else _field("body", body, schemas, required=True)
    of_path = [
        _field(one["name"], one["schema"] | _help(one), schemas, required=True)
        for one in described.get("parameters", ())
        if one["in"] == "path"
    ]
    return Operation(
        service=service,
        name=described["operationId"].removesuffix(ending).replace("_", "-"),
        title=described["summary"],
        description=described.get("description", ""),
        path=path,
        roles=_roles(described),
        of_path=tuple(of_path),
        of_body=() if whole is None else whole.fields,
        subject=described.get("x-subject"),
    )


def _help(described: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"description": described["description"]} if "description" in described else {}


def _field(
    name: str, schema: Mapping[str, Any], schemas: Mapping[str, Any], *, required: bool, depth: int = 0
) -> Field:
    schema = _resolved(schema, schemas)
    same: dict[str, Any] = {"name": name, "required": required, "help": schema.get("description", "")}
    if name != "body" and depth > _DEPTH_MAX:
        return Field(kind="document", **same)
    match schema:
        case {"type": "object", "properties": properties}:
            if depth > 0 and not properties:
                return Field(kind="document", **same)
            needed = schema.get("required", ())
            fields = [
                _field(one, each, schemas, required=one in needed, depth=depth + 1) for one, each in properties.items()
            ]
            return Field(kind="group", fields=tuple(fields), **same)
        case {"type": "array", "items": items}:
            item = _field(name, items, schemas, required=True, depth=depth + 1)
            if item.kind == "choice":
                item = replace(item, required=False)  # a row may stay empty
            kind: Kind = "document" if depth > 1 and (item.kind == "document" or _holds_lists(item)) else "list"
            limits = {"items_min": schema.get("minItems", 0), "items_max": schema.get("maxItems", 64)}
            return Field(kind=kind, item=item, **limits, **same)
        case {"enum": choices}:
            return Field(kind="choice", choices=tuple(map(str, choices)), default=schema.get("default"), **same)
        case {"const": only}:
            return Field(kind="choice", choices=(str(only),), default=schema.get("default"), **same)
        case {"type": "boolean"}:
            return Field(kind="flag", default=schema.get("default"), **same)
        case {"type": "integer"}:
            least, most = _limit(schema, "minimum", "exclusiveMinimum", 1), _whole(schema.get("maximum"))
            kind = "cents" if name == "cents" or name.endswith("_cents") else "whole"
            return Field(kind=kind, default=schema.get("default"), least=least, most=most, **same)
        case {"type": "string"}:
            return _text(schema, same)
        case _:
            return Field(kind="document", **same)


def _text(schema: Mapping[str, Any], same: Mapping[str, Any]) -> Field:
    match schema.get("format"):
        case "date":
            return Field(kind="day", **same)
        case "date-time":
            return Field(kind="moment", **same)
        case "password":
            return Field(kind="secret", pattern=schema.get("pattern"), **same)
        case _:
            kind: Kind = "long" if same["name"] in _LONG else "text"
            return Field(kind=kind, pattern=schema.get("pattern"), default=schema.get("default"), **same)


def _holds_lists(item: Field) -> bool:
    return any(one.kind in ("list", "document") for one in item.fields)


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with references resolved, and without the null of an optional field."""
    about = {name: schema[name] for name in ("description", "default") if name in schema}
    while True:
        if "$ref" in schema:
            schema = schemas[schema["$ref"].rpartition("/")[2]]
            continue
        options = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
        if len(options) == 1:
            schema = options[0]
            continue
        return {**schema, **about}


def _limit(schema: Mapping[str, Any], name: str, exclusive: str, step: int) -> int | None:
    if exclusive in schema:
        return int(schema[exclusive]) + step
    return _whole(schema.get(name))


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
