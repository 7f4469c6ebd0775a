"""One set of conventions for the HTTP interfaces of all services, held against their OpenAPI documents."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from services.cli.services import NAMES
from shared.runtime.http.app import OPEN_PATHS
from shared.runtime.http.problems import PROBLEM
from tests.support.openapi import document_of

MONEY = {
    "amount",
    "available",
    "balance",
    "bet",
    "closing",
    "contribution",
    "credited",
    "difference",
    "display",
    "drop",
    "handle",
    "held",
    "liability",
    "limit",
    "opening",
    "outstanding",
    "overflow",
    "payout",
    "reserve",
    "stake",
    "staked",
    "total",
    "vigorish",
    "win",
}
"""The last words of names that stand for money where their value is a number; a limit of a page is a parameter."""

ROUND_CONTRACT = {"EnvyBonuses.stake", "Paytable.stake", "PaytableRow.amount", "Submission.payout_limit"}
"""Named by docs/contract/ROUND.md and the catalogues, where every amount is in cents."""

EXCEPTION_PARAMETERS = {"property", "gaming_day", "table", "game", "kind", "status", "again", "limit", "cursor"}
"""`again`: whether what is kept of an earlier comparison is gone through again."""

OF_NO_PROPERTY = ("/quarantine", "/catalogue", "/reports", "/floors", "/metrics")
"""Records and metrics of all properties, the text of regulations, and what reports and properties there are."""

QUESTIONS = {"/what-if"}
"""What is asked with a body, and changes nothing."""
PERCENT = r"^-?\d+\.\d{2}$"
AS_GIVEN = r"^-?[0-9]{1,6}(\.[0-9]{1,6})?$"

OF_ANOTHER_KIND = {"account": {"^[0-9A-Z][0-9A-Za-z-]{0,14}$", "^[!-~]{1,128}$"}}
"""Patterns of what is called alike: accounts of the general ledger; accounts as a round names them, held against those
that there are.
"""

Document = dict[str, Any]


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Every operation with its path and method."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def properties(document: Document) -> Iterator[tuple[str, str, list[Document]]]:
    """Every property of every schema: the schema's name, its own, and the schemas that its value may have."""
    for name, schema in document["components"]["schemas"].items():
        for member, value in schema.get("properties", {}).items():
            yield name, member, [one for one in value.get("anyOf", [value]) if one.get("type") != "null"]


def money_is_cents(document: Document) -> Iterator[str]:
    """Cents are whole numbers whose names end in `cents`; exact shares of a cent are texts, named alike."""
    for schema, member, values in properties(document):
        if f"{schema}.{member}" in ROUND_CONTRACT:
            continue
        kinds = {value.get("type") for value in values if "enum" not in value}
        if "number" in kinds:
            yield f"{schema}.{member} is a floating-point number"
        if kinds & {"integer", "string"} and member.rpartition("_")[2] in MONEY:
            yield f"{schema}.{member} does not say its unit: name it {member}_cents"


def percentages_are_texts(document: Document) -> Iterator[str]:
    """Named `*_percent`: texts with two decimals, or with as many as the source of the figure gives."""
    for schema, member, values in properties(document):
        if re.search("percent|pct|percentage", member) is None:
            continue
        if not member.endswith("_percent"):
            yield f"{schema}.{member} does not end in _percent"
        elif any(value.get("pattern") not in (PERCENT, AS_GIVEN) for value in values):
            yield f"{schema}.{member} is not of the type Percent or Payback"


def reading_takes_a_role(document: Document) -> Iterator[str]:
    """Everything but what says how a service is takes a role, by its name."""
    for path, method, operation in operations(document):
        security = operation.get("security", [])
        if path in OPEN_PATHS:
            if security:
                yield f"{method} {path} takes a role"
            continue
        if not security:
            yield f"{method} {path} is open"
        for requirement in security:
            roles = [role for names in requirement.values() for role in names]
            if not roles or any(re.fullmatch(r"[a-z]+(\.[a-z]+)+", role) is None for role in roles):
                yield f"{method} {path} does not name its role as 'area.verb': {roles}"


def commands_have_a_key(document: Document) -> Iterator[str]:
    """What changes something is a POST with an Idempotency-Key."""
    for path, method, operation in operations(document):
        names = {parameter["name"] for parameter in operation.get("parameters", ())}
        if method not in ("get", "post"):
            yield f"{method} {path}: a command is a POST"
        if (method == "post" and path not in QUESTIONS) != ("Idempotency-Key" in names):
            yield f"{method} {path}: an Idempotency-Key goes with a POST"


def errors_are_problems(document: Document) -> Iterator[str]:
    """RFC 9457, and the one model of it."""
    wanted = {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, method, operation in operations(document):
        for status, response in operation["responses"].items():
            if int(status) >= 400 and response.get("content") != wanted:
                yield f"{method} {path}: {status} is no problem document"


def exceptions_are_asked_for_alike(document: Document) -> Iterator[str]:
    """One name for the list, and one set of parameters."""
    for path, method, operation in operations(document):
        last = path.rpartition("/")[2]
        if not last.endswith("exceptions"):
            continue
        names = {parameter["name"] for parameter in operation.get("parameters", ())}
        if last != "exceptions":
            yield f"{method} {path}: the list is named /exceptions"
        if unknown := names - EXCEPTION_PARAMETERS - {"If-None-Match"}:
            yield f"{method} {path}: unknown parameters {sorted(unknown)}"
        if missing := {"property", "kind", "limit", "cursor"} - names:
            yield f"{method} {path}: missing parameters {sorted(missing)}"


def pages_have_cursors(document: Document) -> Iterator[str]:
    """`limit` and `cursor` come together, as `items` and `next` do."""
    for path, method, operation in operations(document):
        if len({"limit", "cursor"} & {parameter["name"] for parameter in operation.get("parameters", ())}) == 1:
            yield f"{method} {path}: 'limit' without 'cursor', or the other way round"
    for name, schema in document["components"]["schemas"].items():
        if "next" in schema.get("properties", {}) and "items" not in schema["properties"]:
            yield f"{name}.next: a page has 'items'"


def how_far_it_has_come_is_its_status(document: Document) -> Iterator[str]:
    """Neither a stage nor a state."""
    for schema, member, _ in properties(document):
        if member in ("stage", "state"):
            yield f"{schema}.{member}: name it 'status'"
    for path, method, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in ("stage", "state"):
                yield f"{method} {path}: parameter '{parameter['name']}': name it 'status'"


def what_is_asked_for_has_an_end(document: Document) -> Iterator[str]:
    """A whole number of a command or a question has a maximum: no column of a database holds them all."""
    for path, method, operation in operations(document):
        asked = [(one["name"], one.get("schema", {})) for one in operation.get("parameters", ())]
        for body in operation.get("requestBody", {}).get("content", {}).values():
            name = body["schema"].get("$ref", "").rpartition("/")[2]
            asked += document["components"]["schemas"].get(name, {}).get("properties", {}).items()
        for name, schema in asked:
            for value in schema.get("anyOf", [schema]):
                if value.get("type") == "integer" and not value.keys() & {"maximum", "exclusiveMaximum", "enum"}:
                    yield f"{method} {path}: {name} has no maximum"


def times_are_on_a_clock(document: Document) -> Iterator[str]:
    """A time of the day has no offset, as the format `time` of JSON Schema has (RFC 3339)."""
    for schema, member, values in properties(document):
        if any(value.get("format") == "time" for value in values):
            yield f"{schema}.{member}: its format is that of a time with an offset"


def property_is_named(document: Document) -> Iterator[str]:
    """What is asked for is of one property, which stands in path, query or body, and nowhere deeper: the door sees it.

    Whatever names none takes somebody who works for every property, but for what belongs to none.
    """
    schemas = document["components"]["schemas"]
    for path, method, operation in operations(document):
        if path in OPEN_PATHS or path.startswith(OF_NO_PROPERTY):
            continue
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        of_body = schemas.get(body.get("$ref", "").rpartition("/")[2], {}).get("properties", {})
        named = {parameter["name"] for parameter in operation.get("parameters", ())} | of_body.keys()
        if "property" not in named:
            yield f"{method} {path} names no property"
        for deeper in _below(of_body, schemas):
            if "property" in schemas[deeper].get("properties", {}):
                yield f"{method} {path}: {deeper} in the body names a property that the door does not see"


def _below(schema: Any, schemas: Document) -> set[str]:
    """The schemas that a schema refers to, however deep."""
    found: set[str] = set()
    left = set(_refs(schema))
    while left:
        found |= left
        left = {name for one in left for name in _refs(schemas[one])} - found
    return found


def _refs(schema: Any) -> list[str]:
    return re.findall(r"#/components/schemas/([\w.-]+)", json.dumps(schema))


CONVENTIONS: tuple[Callable[[Document], Iterator[str]], ...] = (
    money_is_cents,
    percentages_are_texts,
    reading_takes_a_role,
    property_is_named,
    commands_have_a_key,
    errors_are_problems,
    exceptions_are_asked_for_alike,
    pages_have_cursors,
    how_far_it_has_come_is_its_status,
    what_is_asked_for_has_an_end,
    times_are_on_a_clock,
)


@pytest.mark.parametrize("service", NAMES)
def test_the_interface_keeps_the_conventions(service: str) -> None:
    """Names, roles, problems, pages and units are the same everywhere."""
    document = document_of(service)
    assert [] == [broken for convention in CONVENTIONS for broken in convention(document)]


def a_document(path: str = "/rounds", method: str = "get", **schemas: Document) -> Document:
    """A document that keeps the conventions, with one operation and these schemas."""
    problem = {"content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    key = [{"name": "Idempotency-Key"}] if method == "post" else []
    operation = {
        "security": [{"bearer": ["rounds.read"]}],
        "parameters": [{"name": "property"}, *key],
        "responses": {"200": {}, "404": problem},
    }
    return {
        "paths": {path: {method: operation}},
        "components": {"schemas": {name: {"properties": members} for name, members in schemas.items()}},
    }


def with_operation(document: Document, **changes: Any) -> Document:
    """The document with another operation."""
    [(_, _, operation)] = operations(document)
    operation.update(changes)
    return document


def _with_body(**schemas: Document) -> Document:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Command"}}}}
    return with_operation(a_document("/rounds", "post", **schemas), requestBody=body)


INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
EXCEPTIONS = [{"name": name} for name in ("property", "kind", "status", "limit", "cursor")]


@pytest.mark.parametrize(
    ("convention", "document"),
    [
        (money_is_cents, a_document(Row={"opening": TEXT})),
        (money_is_cents, a_document(Row={"table_win": {"anyOf": [INTEGER, {"type": "null"}]}})),
        (money_is_cents, a_document(Row={"drop_cents": {"type": "number"}})),
        (percentages_are_texts, a_document(Row={"hold_percentage": TEXT})),
        (percentages_are_texts, a_document(Row={"hold_percent": TEXT})),
        (percentages_are_texts, a_document(Row={"hold_percent": {"type": "number"}})),
        (reading_takes_a_role, with_operation(a_document(), security=[])),
        (reading_takes_a_role, with_operation(a_document(), security=[{"bearer": []}])),
        (reading_takes_a_role, with_operation(a_document(), security=[{"bearer": ["meter_approve"]}])),
        (reading_takes_a_role, a_document("/healthz")),
        (property_is_named, with_operation(a_document(), parameters=[])),
        (
            property_is_named,
            _with_body(Command={"items": {"$ref": "#/components/schemas/Item"}}, Item={"property": TEXT}),
        ),
        (commands_have_a_key, a_document("/rounds", "delete")),
        (commands_have_a_key, with_operation(a_document("/rounds", "post"), parameters=[])),
        (errors_are_problems, with_operation(a_document(), responses={"404": {"content": {"application/json": {}}}})),
        (errors_are_problems, with_operation(a_document(), responses={"404": {}})),
        (exceptions_are_asked_for_alike, with_operation(a_document("/meter-exceptions"), parameters=EXCEPTIONS)),
        (exceptions_are_asked_for_alike, with_operation(a_document("/exceptions"), parameters=EXCEPTIONS[1:])),
        (
            exceptions_are_asked_for_alike,
            with_operation(a_document("/exceptions"), parameters=[*EXCEPTIONS, {"name": "state"}]),
        ),
        (pages_have_cursors, with_operation(a_document(), parameters=[{"name": "limit"}])),
        (pages_have_cursors, a_document(Rows={"rows": {"type": "array"}, "next": TEXT})),
        (how_far_it_has_come_is_its_status, a_document(Day={"stage": TEXT})),
        (what_is_asked_for_has_an_end, with_operation(a_document(), parameters=[{"name": "n", "schema": INTEGER}])),
        (what_is_asked_for_has_an_end, _with_body(Command={"revision": INTEGER})),
        (times_are_on_a_clock, a_document(Day={"begins": TEXT | {"format": "time"}})),
        (how_far_it_has_come_is_its_status, with_operation(a_document(), parameters=[{"name": "state"}])),
    ],
)
def test_every_convention_can_be_broken(convention: Callable[[Document], Iterator[str]], document: Document) -> None:
    """Each finds what it is for, once."""
    assert 1 == len(list(convention(document)))


@pytest.mark.parametrize(
    "document",
    [
        a_document(),
        a_document("/rounds", "post"),
        with_operation(a_document("/healthz"), security=[]),
        with_operation(a_document("/exceptions"), parameters=EXCEPTIONS),
        a_document(
            Page={"items": {"type": "array"}, "next": TEXT},
            Row={
                "opening_cents": INTEGER,
                "display_cents": TEXT,
                "hold_percent": {"type": "string", "pattern": PERCENT},
                "total": {"$ref": "#/components/schemas/Row"},
                "status": TEXT,
            },
        ),
    ],
)
def test_a_document_may_keep_them_all(document: Document) -> None:
    """None of them finds anything where nothing is wrong."""
    assert [] == [broken for convention in CONVENTIONS for broken in convention(document)]


def test_what_is_entered_can_be_addressed() -> None:
    """A patron, a check, an invoice: by whichever service it is entered, an address ends with it, and no part of one.

    What another service would not find is refused when it is entered, and not when somebody has to act on it.
    """
    addressed: dict[str, set[str]] = {}
    entered: dict[str, set[str]] = {}
    for document in map(document_of, NAMES):
        for _, _, operation in operations(document):
            for one in operation.get("parameters", []):
                if one["in"] == "path" and "pattern" in one["schema"]:
                    addressed.setdefault(one["name"], set()).add(one["schema"]["pattern"])
        for _, member, values in properties(document):
            entered.setdefault(member, set()).update(one["pattern"] for one in values if "pattern" in one)
    del addressed["round_id"]  # of another system, and found by `?round_id=`, too
    del addressed["alarm"]  # named by the service itself
    assert {"patron", "serial", "invoice"} <= addressed.keys()
    for name, patterns in addressed.items():
        assert not [one for one in patterns for text in ("a/b", ".", "..") if re.search(one, text)], name
        assert len(patterns) == 1, name
        assert entered.get(name, patterns) - OF_ANOTHER_KIND.get(name, set()) == patterns, name
