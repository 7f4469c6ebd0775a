"""Parse files of events, CSV or JSON Lines: each line yields a table event, a pit event or a problem."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import StringIO
from typing import Any, Final

from shared.contracts import catalog, tables
from shared.contracts.envelope import pit_source, table_source
from shared.contracts.facts import KINDS
from shared.contracts.json_text import MemberTwice, read_json
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS
from shared.contracts.upcasting import kind_of_type
from shared.rules.errors import Refused

SUFFIXES: Final = (".csv", ".jsonl")
LINES_MAX: Final = 100_000
_VALUE_BYTES_MAX: Final = 15 * 1024 * 1024
"""Maximum bytes of an event: brokers accept records of 16 MiB, including key and headers."""
_CELL_CHARACTERS_MAX: Final = 1024 * 1024
_OF_ENVELOPE: Final = ("type", "time", "id", "sequence")
"""The columns that are not members of `data`."""
_PIT: Final = tuple(kind for kind in KINDS if kind.topic is PIT_EVENTS)
_READERS: Final = {
    TABLE_EVENTS.name: tables.READER,
    PIT_EVENTS.name: Reader(PIT_EVENTS, *(kind.model for kind in _PIT)),
}
assert catalog.MODULES, "all kinds are declared"


@dataclass(frozen=True, slots=True)
class Line:
    """An event in a line of a file. If `sequence` is None, the intake assigns the next sequence before sending."""

    number: int
    topic: str
    event: Mapping[str, Any]
    sequence: int | None

    @property
    def source(self) -> str:
        """Return the stream of the event, which is its Kafka key."""
        return str(self.event["source"])


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that cannot be sent as an event, with the reason; line 0 means the whole file."""

    line: int
    reason: str


def read_lines(name: str, content: bytes, digest: str) -> tuple[list[Line], list[Problem]]:
    """Return a file's events, and the problems of the lines that contain no valid event.

    `digest` is the file's SHA-256: an event without an id gets an id made from the digest and the line number.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return [], [Problem(0, f"byte {error.start} is not UTF-8; save the file as UTF-8")]
    lines: list[Line] = []
    problems: list[Problem] = []
    found = _csv(text) if name.lower().endswith(".csv") else _json_lines(text)
    for number, document in found:
        if isinstance(document, Problem):
            problems.append(document)
        else:
            try:
                lines.append(_line(number, document, f"{digest[:16]}-{number}"))
            except Refused as error:
                problems.append(Problem(number, str(error)))
        if len(lines) + len(problems) > LINES_MAX:
            return [], [Problem(number, f"the file has more than {LINES_MAX} lines; divide it")]
    if not lines and not problems:
        problems.append(Problem(0, "the file has no event"))
    return lines, problems


def _json_lines(text: str) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            document = read_json(line)
        except MemberTwice as error:
            yield number, Problem(number, str(error))
            continue
        except ValueError as error:
            yield number, Problem(number, f"no JSON: {error}")
            continue
        yield number, document if isinstance(document, dict) else Problem(number, "no JSON object")


def _csv(text: str) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    csv.field_size_limit(_CELL_CHARACTERS_MAX)
    rows = csv.reader(StringIO(text, newline=""), strict=True)
    number = 1
    try:
        columns = next(rows, [])
        missing = [name for name in ("type", "time", "property", "table") if name not in columns]
        if missing or len(set(columns)) < len(columns):
            wrong = f"no column {', '.join(missing)}" if missing else "a column is there twice"
            yield 1, Problem(1, f"{wrong}; the first line names the columns")
            return
        number = rows.line_num + 1
        for row in rows:
            if len(row) == len(columns):
                yield number, _event_of(number, dict(zip(columns, row, strict=True)))
            elif row:
                yield number, Problem(number, f"{len(row)} cells under {len(columns)} columns")
            number = rows.line_num + 1  # a quoted cell may go over several lines
    except csv.Error as error:
        yield number, Problem(number, f"no CSV: {error}")


def _event_of(number: int, row: Mapping[str, str]) -> dict[str, Any] | Problem:
    """Return a CSV row as an event; an empty cell means that the member is absent."""
    kind = row["type"]
    event: dict[str, Any] = {name: row[name] for name in _OF_ENVELOPE if row.get(name)}
    data: dict[str, Any] = {}
    for name, cell in row.items():
        if not cell or (name in _OF_ENVELOPE and name != "sequence"):
            continue
        try:
            value = cell if name in _texts(kind) and name != "sequence" else read_json(cell)
        except MemberTwice as error:
            return Problem(number, f"{name!r}: {error}")
        except ValueError:
            return Problem(number, f"{name!r} {cell[:60]!r}: a number, true, false, or JSON")
        (event if name == "sequence" else data)[name] = value
    return event | {"data": data}


@cache
def _texts(kind: str) -> frozenset[str]:
    """Return the members of an event's `data` whose CSV cells are read as text.

    These are the members that the event type's JSON Schema declares as text or does not declare.
    """
    if not _is_sent(kind):
        return _AnyText()
    schema = json.loads(files("schemas").joinpath("json", f"{kind}.json").read_text(encoding="utf-8"))
    members: dict[str, bool] = {}
    for form in _forms(schema, schema["properties"]["data"]):
        for name, member in form.get("properties", {}).items():
            takes = any(each.get("type") == "string" for each in _forms(schema, member))
            members[name] = members.get(name, False) or takes
    return _AnyText(name for name, takes in members.items() if not takes)


class _AnyText(frozenset[str]):
    """A complement set: contains every name except the given ones."""

    def __contains__(self, name: object) -> bool:
        return not super().__contains__(name)


def _forms(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "$ref" in schema:
        yield from _forms(document, document["$defs"][schema["$ref"].rpartition("/")[2]])
    elif union := schema.get("anyOf") or schema.get("oneOf"):
        for form in union:
            yield from _forms(document, form)
    else:
        yield schema


def _is_sent(kind: object) -> bool:
    known = KINDS.of_type(kind) if isinstance(kind, str) else None
    return known is not None and known.topic in (TABLE_EVENTS, PIT_EVENTS)


def _line(number: int, document: Mapping[str, Any], own_id: str) -> Line:
    """Return the event in a line, with derived members added. Raises: Refused."""
    kind, data = document.get("type"), document.get("data")
    if not _is_sent(kind):
        raise Refused(f"'type' {kind!r}: no kind of table.events or pit.events")
    topic = kind_of_type(str(kind)).topic
    assert topic is not None
    if not isinstance(data, dict):
        raise Refused("'data': an object is wanted")
    of = pit_source if topic is PIT_EVENTS else table_source
    source = of(str(data.get("property")), str(data.get("table")))
    event = {"specversion": "1.0", "id": own_id, "source": source, **document}
    sequence = event.pop("sequence", None)
    if event["source"] != source:
        raise Refused(f"'source' {event['source']!r}: the stream of this property and table is {source!r}")
    raw = encoded(event, 1 if sequence is None else sequence)
    if len(raw) > _VALUE_BYTES_MAX:
        raise Refused(f"the event has {len(raw)} bytes, more than {_VALUE_BYTES_MAX}")
    _READERS[topic.name].decode(raw)
    return Line(number, topic.name, event, sequence)


def encoded(event: Mapping[str, Any], sequence: Any) -> bytes:
    """Return an event with its sequence as JSON bytes for Kafka."""
    return json.dumps({**event, "sequence": sequence}, separators=(",", ":")).encode()
