"""Additions to the OpenAPI documents of all services: problems, roles, entity tags."""

from collections.abc import Iterator
from typing import Any, Final

from shared.contracts.rejection import Reason
from shared.runtime.http.problems import OF_CALLERS, Problem, Responses, problems

_METHODS: Final = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
_FRAMEWORK_SCHEMAS: Final = ("HTTPValidationError", "ValidationError")
_IF_NONE_MATCH: Final = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "ETags of the documents that the caller already has",
}


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """Complete the OpenAPI document that the framework generates, in place, and return it."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in _FRAMEWORK_SCHEMAS:
        schemas.pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs"))
    schemas[Problem.__name__] = problem
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    asked_for = _schemas_in(document, *(one.get("requestBody", {}) for one in _operations(document)))
    for name, schema in schemas.items():
        if name not in asked_for:
            _leave_out(schema)
    for operation in _operations(document):
        _complete(operation)
    return document


def _schemas_in(document: dict[str, Any], *parts: Any) -> set[str]:
    """Return the names of the schemas to which parts of a document refer, directly or indirectly."""
    found: set[str] = set()
    waiting = list(parts)
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            name = str(one.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.add(name)
                waiting.append(document["components"]["schemas"][name])
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


def _leave_out(schema: dict[str, Any]) -> None:
    """Make the nullable members of an answer's schema optional, because null members are left out of answers."""
    members = schema.get("properties", {})
    required = [name for name in schema.get("required", ()) if not _may_be_null(members.get(name, {}))]
    if required:
        schema["required"] = required
    else:
        schema.pop("required", None)


def _may_be_null(schema: dict[str, Any]) -> bool:
    return any(one.get("type") == "null" for one in (schema, *schema.get("anyOf", ())))


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        for method in path.keys() & _METHODS:
            yield path[method]


def _complete(operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422")):
        del responses["422"]
        _add(responses, problems(Reason.MALFORMED))
    if "security" in operation:
        operation["security"] = _alternatives(operation["security"])
        _add(responses, problems(*OF_CALLERS, Reason.TRY_AGAIN))
    if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ())):
        _add(responses, problems(Reason.CURSOR_UNKNOWN))
    if "304" in responses:
        responses["200"].setdefault("headers", {})["ETag"] = {"schema": {"type": "string"}}
        parameters = operation.setdefault("parameters", [])
        if all(parameter["name"] != _IF_NONE_MATCH["name"] for parameter in parameters):
            parameters.append(dict(_IF_NONE_MATCH))
    operation["responses"] = dict(sorted(responses.items()))


def _alternatives(security: list[dict[str, list[str]]]) -> list[dict[str, list[str]]]:
    """Return one security requirement per role, because any role is enough. OpenAPI requires all roles of a list."""
    return [
        {scheme: [role] if role else []}
        for requirement in security
        for scheme, roles in requirement.items()
        for role in roles or [""]
    ]


def _add(responses: dict[str, Any], more: Responses) -> None:
    """Add the responses for statuses that are not described yet."""
    for status, response in more.items():
        responses.setdefault(str(status), response)
