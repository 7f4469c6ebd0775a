"""Read round records, case files and properties: YAML or JSON, one document or a list, from files or stdin."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from services.cli.exits import InputRefused, UsageWrong
from shared.contracts.json_text import MemberTwice, members_once
from shared.rules.packaged import UNCLEAR, Loader, UnclearNumber

STDIN = "-"

_TEXT = "tag:yaml.org,2002:str"
_TIMESTAMP = "tag:yaml.org,2002:timestamp"
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", UNCLEAR)

_VALUES_MAX = 1_000_000
_UNREADABLE = (ValueError, yaml.YAMLError, RecursionError, LookupError, AttributeError, TypeError)
"""Parsing errors; YAML constructors raise the last three for a value that does not match its tag."""


class _NoNumber(ValueError):
    """A document has NaN or an infinity, which Python's reader accepts although JSON does not have them."""


def read_documents(name: str) -> Iterator[tuple[str, object]]:
    """Return a file's documents (`-`: stdin), each with a fallback name for a document without id.

    Raises: UsageWrong if there is no such file; InputRefused if it is neither YAML nor JSON.
    """
    return documents_in(*_bytes(name))


def documents_in(label: str, raw: bytes) -> Iterator[tuple[str, object]]:
    """Return the documents in the bytes of a file, each with a name derived from `label`. Raises: InputRefused."""
    found = _listed(_documents(label, raw))
    return ((f"{label}#{number}", document) for number, document in enumerate(found, 1))


def read_list(name: str, *, such_as: str) -> list[object]:
    """Return the list of mappings that a file contains (`-`: stdin); `such_as` is an example for the error message.

    Raises: UsageWrong if there is no such file; InputRefused if it is neither YAML nor JSON, or not one nonempty list
    of mappings.
    """
    label, raw = _bytes(name)
    found = _documents(label, raw)
    if found in ([], [[]]):
        why = "it lists nothing"
    elif len(found) > 1:
        why = f"{len(found)} documents, and no list of pieces"
    elif not isinstance(members := found[0], list):
        why = "it is no list of pieces"
    else:
        wrong = [number for number, one in enumerate(members, 1) if not isinstance(one, dict)]
        if not wrong:
            return members
        why = f"piece {wrong[0]} is no piece"
    raise InputRefused(f"{label}: {why}: give a list, a line for each, such as {such_as}")


def _documents(label: str, raw: bytes) -> list[object]:
    """Return the documents in the bytes of a file, without splitting lists. Raises: InputRefused."""
    try:
        found = _parse(raw.decode("utf-8-sig"))
        _require_few(found)
    except UnicodeDecodeError as error:
        raise InputRefused(f"{label}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except UnclearNumber as error:
        raise InputRefused(f"{label}: {_trouble(error)}") from error
    except _UNREADABLE as error:
        raise InputRefused(f"{label}: neither YAML nor JSON: {_trouble(error)}") from error
    return found


def read_document(name: str) -> object:
    """Return the single document of a file (`-`: stdin), to be sent as JSON.

    Raises: UsageWrong if there is no such file; InputRefused if it is neither YAML nor JSON, or not exactly one
    document.
    """
    return document_in(name, _bytes(name)[1])


def document_in(name: str, raw: bytes) -> object:
    """Return the single document in the bytes of a file, to be sent as JSON. Raises: InputRefused."""
    found = [document for _, document in documents_in(name, raw)]
    if len(found) != 1:
        raise InputRefused(f"{name}: {len(found)} documents; give one")
    try:
        json.dumps(found, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputRefused(f"{name}: JSON cannot say it: {error}") from error
    return found[0]


def _trouble(error: Exception) -> str:
    """Return the syntax error in a text, with its position, as one line."""
    match error:
        case RecursionError():
            return "nested too deeply"
        case yaml.MarkedYAMLError(problem=problem, problem_mark=mark) if problem and mark:
            return f"line {mark.line + 1}, column {mark.column + 1}: {problem}"
        case yaml.YAMLError() | ValueError():
            return " ".join(str(error).split())
    return "a value is not of the type that its tag says"


def read_bytes(name: str) -> bytes:
    """Return the bytes of a file (`-`: stdin). Raises: UsageWrong if it cannot be read."""
    return _bytes(name)[1]


def _bytes(name: str) -> tuple[str, bytes]:
    if name == STDIN:
        return "stdin", sys.stdin.buffer.read()
    try:
        return Path(name).name, Path(name).read_bytes()
    except OSError as error:
        raise UsageWrong(f"{name}: {error.strerror}; give a file, or - for stdin") from error


def _parse(text: str) -> list[object]:
    """Return the documents of a text: one JSON document, JSON Lines, or any number of YAML documents."""
    stripped = text.lstrip()
    if stripped.startswith(("{", "[")):
        try:
            return [json.loads(stripped, object_pairs_hook=members_once, parse_constant=_no_number)]
        except (MemberTwice, _NoNumber):
            raise
        except ValueError:
            lines = [line for line in stripped.split("\n") if line.strip()]
            if len(lines) > 1 and all(line.startswith("{") and line.rstrip().endswith("}") for line in lines):
                return [json.loads(line, object_pairs_hook=members_once, parse_constant=_no_number) for line in lines]
    return [found for found in yaml.load_all(text, _Loader) if found is not None]


def _listed(documents: list[object]) -> list[object]:
    return [item for document in documents for item in (document if isinstance(document, list) else [document])]


def _require_few(documents: list[object]) -> None:
    """Raise ValueError if aliases expand YAML to millions of values, or a value contains itself."""
    counted: dict[int, int | None] = {}

    def count(value: object) -> int:
        if not isinstance(value, dict | list):
            return 1
        if id(value) not in counted:
            counted[id(value)] = None
            counted[id(value)] = 1 + sum(map(count, value.values() if isinstance(value, dict) else value))
        found = counted[id(value)]
        if found is None:
            raise ValueError("an alias stands within what it names")
        if found > _VALUES_MAX:
            raise ValueError(f"it says more than {_VALUES_MAX:,} values; divide it")
        return found

    count(documents)


class _Loader(Loader):
    """A YAML loader that keeps dates and times as text."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Any) -> str:
        """Return a node's YAML tag: dates and times are text, as in JSON, so that `14:00` is not read as 840."""
        tag: str = super().resolve(kind, value, implicit)
        is_time = tag == _TIMESTAMP or (tag in _NUMBERS and ":" in value)
        return _TEXT if is_time else tag


def _no_number(constant: str) -> None:
    raise _NoNumber(f"{constant} is no number of JSON")
