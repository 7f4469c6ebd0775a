"""Problem documents (RFC 9457): the HTTP form of a rejection. Only this module maps reasons to status codes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, assert_never

from fastapi.responses import JSONResponse
from pydantic import BaseModel

from shared.contracts.rejection import Reason
from shared.rules.errors import Finding

PROBLEM: Final = "application/problem+json"
"""The media type of a problem document."""

Responses = dict[int | str, dict[str, Any]]
"""The `responses` of a FastAPI route, by status."""

OF_CALLERS: Final = (
    Reason.UNKNOWN_CALLER,
    Reason.ROLE_MISSING,
    Reason.ROLES_INCOMPATIBLE,
    Reason.PROPERTY_MISSING,
)
"""Reasons for which a caller may be refused, whatever the request."""

_RETRY: Final = {"Retry-After": "1"}  # seconds
_HEADERS: Final = {
    Reason.UNKNOWN_CALLER: {"WWW-Authenticate": "Bearer"},
    Reason.TRY_AGAIN: _RETRY,
    Reason.NOT_READY: _RETRY,
    Reason.TOO_MANY_CONNECTIONS: _RETRY,
    Reason.BUSY: {"Retry-After": "10"},
}


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A problem type: its HTTP status, its title, and its remedy."""

    status: int
    title: str
    remedy: str


class Mistake(BaseModel):
    """A mistake in a request: the location (`at`) of a value that violates the OpenAPI document, and why."""

    at: str
    what: str


class Problem(BaseModel):
    """A problem document (RFC 9457). `type` is stable; docs/problems.md lists all types with their remedies.

    `paragraph` is set if a regulation is the reason, and `errors` if the request is malformed. `problems` lists the
    faults of a faulty document, each with a JSON pointer. `checks` is set if the service is not ready.
    """

    type: str
    title: str
    status: int
    detail: str
    paragraph: str | None = None
    errors: list[Mistake] | None = None
    problems: list[Finding] | None = None
    checks: dict[str, str | None] | None = None


def problem_uri(reason: Reason) -> str:
    """Return the URI that identifies a reason in problem documents.

    >>> problem_uri(Reason.KEY_REUSED)
    'urn:pitledger:problem:key-reused'
    """
    return f"urn:pitledger:problem:{reason.value}"


def problem_type(reason: Reason) -> ProblemType:
    """Return the problem type of a reason."""
    match reason:
        case Reason.MALFORMED:
            return ProblemType(
                422, "The request is malformed", "Send what the OpenAPI document says; `errors` names every mistake."
            )
        case Reason.UNKNOWN_CALLER:
            return ProblemType(
                401,
                "The caller is not known",
                "Get a token from the OpenID provider, and send it: `Authorization: Bearer <token>`.",
            )
        case Reason.ROLE_MISSING:
            return ProblemType(
                403, "The caller does not have the role", "Let somebody with the role do it, or be given the role."
            )
        case Reason.ROLES_INCOMPATIBLE:
            return ProblemType(
                403,
                "The caller has roles that exclude each other",
                "Have one of the two roles that `detail` names taken away at the OpenID provider, and get a new token.",
            )
        case Reason.PROPERTY_MISSING:
            return ProblemType(
                403,
                "The caller does not work for the property",
                "Name a property of yours, or be given this one at the OpenID provider.",
            )
        case Reason.SAME_PERSON:
            return ProblemType(
                403,
                "A different person must perform this step",
                "Let somebody do it who has not done another step of it.",
            )
        case Reason.NOT_FOUND:
            return ProblemType(404, "Not found", "Check the names and numbers in the path.")
        case Reason.NOTHING_RECORDED:
            return ProblemType(
                404, "Nothing is recorded of it", "Ask for another day or period: `detail` says which have entries."
            )
        case Reason.METHOD_NOT_ALLOWED:
            return ProblemType(405, "The path does not take this method", "Use a method that the header `Allow` names.")
        case Reason.NOT_ACCEPTABLE:
            return ProblemType(
                406, "No accepted representation", "Send an `Accept` header that allows a media type of the route."
            )
        case Reason.NOT_ALLOWED:
            return ProblemType(
                422,
                "The rules do not allow it",
                "Change what is asked for; `paragraph` names the rule where a regulation says so.",
            )
        case Reason.OVERRIDE_NEEDED:
            return ProblemType(
                422,
                "It needs an override",
                "Change what is asked for, or say why `problems` may be passed over: with `override`, under a new key.",
            )
        case Reason.ALREADY_DECIDED:
            return ProblemType(409, "Already decided", "Read how it stands now; there is nothing left to do.")
        case Reason.TOO_EARLY:
            return ProblemType(
                409, "Precondition not met", "Do first what `detail` names, or wait; then send it with a new key."
            )
        case Reason.TOO_LATE:
            return ProblemType(409, "Too late", "Record what happened as a correction or an adjustment.")
        case Reason.CONTRADICTS:
            return ProblemType(
                409, "It contradicts what is recorded", "Read what is recorded, and correct either that or the request."
            )
        case Reason.NOT_AS_RECORDED:
            return ProblemType(
                409,
                "What is kept is not what was recorded",
                "Do nothing with it; tell those who run the service: somebody altered the database.",
            )
        case Reason.JOURNAL_IN_DOUBT:
            return ProblemType(
                503,
                "The journal is in doubt",
                "Pay nothing on it, and tell those who run the service: `/readyz` says what was found. Send it again, "
                "with the same Idempotency-Key, when they have settled that.",
            )
        case Reason.NOT_AS_SHOWN:
            return ProblemType(
                409,
                "It is not what was shown",
                "Look again at what is to be approved: read it, and send the `sha256` that it has now, with a new key.",
            )
        case Reason.INSUFFICIENT_FUNDS:
            return ProblemType(409, "The account does not have the money", "Ask for no more than is available.")
        case Reason.LIMIT_EXCEEDED:
            return ProblemType(409, "A limit does not allow it", "Stay within the limit, or have it changed first.")
        case Reason.PATRON_EXCLUDED:
            return ProblemType(403, "The patron is excluded", "Pay the patron out; nothing else is allowed.")
        case Reason.CODE_WRONG:
            return ProblemType(
                403, "The access code is missing or wrong", "Send the patron's access code, with a new key."
            )
        case Reason.CODE_LOCKED:
            return ProblemType(
                423, "The access code is locked", "Wait until the time that `detail` names, or give a new access code."
            )
        case Reason.KEY_REUSED:
            return ProblemType(
                409, "The Idempotency-Key was used before", "Send a new key with every new command; a key is for ever."
            )
        case Reason.CURSOR_UNKNOWN:
            return ProblemType(400, "The cursor is not one of this list", "Begin without a cursor.")
        case Reason.NOT_READY:
            return ProblemType(
                503, "The service is not ready", "Wait; `checks` says what is wrong with the service or its servers."
            )
        case Reason.BODY_TOO_LARGE:
            return ProblemType(413, "The body is too large", "Send less in one request.")
        case Reason.HEAD_TOO_LARGE:
            return ProblemType(431, "URL or headers are too large", "Send fewer and shorter headers, a shorter URL.")
        case Reason.TOO_SLOW:
            return ProblemType(
                408, "The request did not come in time", "Send it without pauses; with the same Idempotency-Key."
            )
        case Reason.TOO_MANY_CONNECTIONS:
            return ProblemType(
                503, "There are too many connections", "Close connections, or use one for several requests; wait."
            )
        case Reason.DOCUMENT_TOO_LARGE:
            return ProblemType(
                422,
                "The document is too large",
                "Ask for less, such as one table or a shorter period, or for a format that `detail` names.",
            )
        case Reason.BUSY:
            return ProblemType(
                503, "There is no place now", "Ask again after `Retry-After`, for one document after the other."
            )
        case Reason.TRY_AGAIN:
            return ProblemType(
                503, "It could not be done now", "Send it again, with the same Idempotency-Key, after `Retry-After`."
            )
        case Reason.INTERNAL:
            return ProblemType(500, "Internal error", "Report it; the log of the service has the details.")
        case _:
            assert_never(reason)


def problem(
    reason: Reason,
    detail: str,
    *,
    paragraph: str | None = None,
    errors: list[Mistake] | None = None,
    found: Sequence[Finding] = (),
    checks: Mapping[str, str | None] | None = None,
) -> JSONResponse:
    """Return the response with a problem document, without null members."""
    kind = problem_type(reason)
    members = {
        "type": problem_uri(reason),
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "paragraph": paragraph,
        "errors": None if errors is None else [mistake.model_dump() for mistake in errors],
        "problems": [asdict(finding) for finding in found] or None,
        "checks": None if checks is None else dict(checks),
    }
    present = {name: value for name, value in members.items() if value is not None}
    return JSONResponse(present, kind.status, _HEADERS.get(reason), PROBLEM)


def problems(*reasons: Reason) -> Responses:
    """Return the `responses` of a route that may answer with problems of these reasons, by status."""
    by_status: dict[int, list[str]] = defaultdict(list)
    for reason in reasons:
        kind = problem_type(reason)
        line = f"{kind.title} (`{problem_uri(reason)}`)"
        if line not in by_status[kind.status]:
            by_status[kind.status].append(line)
    return {status: problem_response("; ".join(lines)) for status, lines in by_status.items()}


def problem_response(description: str) -> dict[str, Any]:
    """Return the OpenAPI description of a response with a problem document."""
    return {
        "description": description,
        "content": {PROBLEM: {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}},
    }
