"""The reasons for rejections: one enumeration for commands, requests and the facts that record rejections.

A reason is a kind of problem. Only the HTTP layer maps it to a status and a problem document
(shared.runtime.http.problems).
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from pydantic import ValidationError

from shared.rules.errors import Finding

FINDINGS_MAX: Final = 200
"""The maximum number of mistakes to list; more are only counted, because each costs time and is stored."""


class Reason(StrEnum):
    """Why a command or request is rejected. The value is stable: it is recorded, and part of problem URIs."""

    MALFORMED = "malformed"
    """The request violates the schema."""
    UNKNOWN_CALLER = "unknown-caller"
    """The bearer token is missing, not known, expired or revoked."""
    ROLE_MISSING = "role-missing"
    """The caller does not have the role."""
    ROLES_INCOMPATIBLE = "roles-incompatible"
    """The caller has two roles that one person must never have together."""
    PROPERTY_MISSING = "property-missing"
    """The caller does not work for the property."""
    SAME_PERSON = "same-person"
    """The step must be taken by a different person from the one who took an earlier step."""
    NOT_FOUND = "not-found"
    """The requested item does not exist."""
    NOTHING_RECORDED = "nothing-recorded"
    """There are no entries yet for the requested item."""
    NOT_ALLOWED = "not-allowed"
    """The regulation, its catalogue or the property's own rules do not allow the request."""
    OVERRIDE_NEEDED = "override-needed"
    """The request is allowed only with a reason for overriding the findings."""
    ALREADY_DECIDED = "already-decided"
    """The item was already decided, done or closed."""
    TOO_EARLY = "too-early"
    """A precondition is not met, or the moment has not come."""
    TOO_LATE = "too-late"
    """The deadline for the request has passed."""
    CONTRADICTS = "contradicts"
    """The request contradicts what is recorded."""
    NOT_AS_RECORDED = "not-as-recorded"
    """The stored data is not what was recorded: it was altered by means other than the service."""
    JOURNAL_IN_DOUBT = "journal-in-doubt"
    """The journal differs from what was recorded, signed or published: the service records nothing more."""
    NOT_AS_SHOWN = "not-as-shown"
    """The document to be approved is not the one that was shown to the approver."""
    INSUFFICIENT_FUNDS = "insufficient-funds"
    """The account does not have the amount."""
    LIMIT_EXCEEDED = "limit-exceeded"
    """The request would exceed a limit of the patron or the property."""
    PATRON_EXCLUDED = "patron-excluded"
    """The patron is excluded: money can only be paid out."""
    CODE_WRONG = "code-wrong"
    """The access code is missing or wrong."""
    CODE_LOCKED = "code-locked"
    """No access code is accepted for a while."""
    KEY_REUSED = "key-reused"
    """The Idempotency-Key was used for another command."""
    CURSOR_UNKNOWN = "cursor-unknown"
    """The cursor does not belong to this list."""
    METHOD_NOT_ALLOWED = "method-not-allowed"
    """The path does not support this method."""
    NOT_ACCEPTABLE = "not-acceptable"
    """None of the accepted media types is available."""
    NOT_READY = "not-ready"
    """The service cannot do its work now: a check of its readiness fails."""
    BODY_TOO_LARGE = "body-too-large"
    """The body of the request is too large."""
    HEAD_TOO_LARGE = "head-too-large"
    """URL and headers of the request are too large, or there are too many headers."""
    TOO_SLOW = "too-slow"
    """The request did not arrive in time."""
    TOO_MANY_CONNECTIONS = "too-many-connections"
    """The client, or all clients together, have the maximum number of connections."""
    DOCUMENT_TOO_LARGE = "document-too-large"
    """The document has more rows than the format allows, or exceeds the limits on memory or time."""
    BUSY = "busy"
    """Too many requests are being served or waiting."""
    TRY_AGAIN = "try-again"
    """The work failed temporarily: retry under the same Idempotency-Key."""
    INTERNAL = "internal"
    """Internal error; it was logged."""


class Rejected(Exception):
    """A request is rejected; nothing changes except the record of the rejection.

    `detail` names the item, the value and the remedy; `cites` is the paragraph of law, if any. For a document,
    `findings` are all its faults, each with its place and paragraph.
    """

    def __init__(
        self, reason: Reason, detail: str, *, cites: str | None = None, findings: Sequence[Finding] = ()
    ) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.cites = cites
        self.findings = tuple(findings)


def findings_of(error: ValidationError, part: str) -> tuple[Finding, ...]:
    """Return every validation error of a part of a request with its place, or only their number if there are many."""
    if (count := error.error_count()) > FINDINGS_MAX:
        return (Finding(f"/{part}", f"{count} mistakes, too many to list: send what the schema says"),)
    found: dict[str, Finding] = {}
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        place = [str(step) for step in one["loc"] if isinstance(step, int) or step.isidentifier()]
        pointer = "/".join(("", part, *place))
        found.setdefault(pointer, Finding(pointer, one["msg"]))
    return tuple(found.values())
