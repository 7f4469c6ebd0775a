"""Why something that was asked for is not done: one enumeration for commands, requests and what is recorded of them.

A reason says what kind of thing is wrong. Which HTTP status and which problem document it becomes is decided at the
edge alone (shared.runtime.http.problems).
"""

from collections.abc import Sequence
from enum import StrEnum

from shared.rules.errors import Finding


class Reason(StrEnum):
    """Why a command or request is rejected. The value is stable: it is recorded, and stands in problem URIs."""

    MALFORMED = "malformed"
    """The request is not what the schema says."""
    UNKNOWN_CALLER = "unknown-caller"
    """The bearer token is missing, not known, expired or revoked."""
    ROLE_MISSING = "role-missing"
    """The caller does not have the role."""
    ROLES_INCOMPATIBLE = "roles-incompatible"
    """The caller has two roles that one person must never have together."""
    PROPERTY_MISSING = "property-missing"
    """The caller does not work for the property."""
    SAME_PERSON = "same-person"
    """The step takes somebody else than who did another step of it."""
    NOT_FOUND = "not-found"
    """Not found."""
    NOT_ALLOWED = "not-allowed"
    """The regulation, its catalogue or the property's own rules do not allow it."""
    OVERRIDE_NEEDED = "override-needed"
    """It is allowed only with a reason why what was found is passed over."""
    ALREADY_DECIDED = "already-decided"
    """It was decided, done or closed before."""
    TOO_EARLY = "too-early"
    """Something that must come first has not been done, or the moment has not come."""
    TOO_LATE = "too-late"
    """The time in which it could be done has passed."""
    CONTRADICTS = "contradicts"
    """It contradicts what is recorded."""
    NOT_AS_RECORDED = "not-as-recorded"
    """What is kept of it is not what was recorded: somebody altered it past the service."""
    JOURNAL_IN_DOUBT = "journal-in-doubt"
    """The journal is not what was recorded, signed or published: the service records nothing more."""
    NOT_AS_SHOWN = "not-as-shown"
    """What is to be approved is not what was shown to who approves it."""
    INSUFFICIENT_FUNDS = "insufficient-funds"
    """The account does not have the cents."""
    LIMIT_EXCEEDED = "limit-exceeded"
    """A limit that the patron or the property set does not allow it."""
    PATRON_EXCLUDED = "patron-excluded"
    """The patron is excluded: only paid out."""
    CODE_WRONG = "code-wrong"
    """The access code is missing or wrong."""
    CODE_LOCKED = "code-locked"
    """No access code is accepted for a while."""
    KEY_REUSED = "key-reused"
    """The Idempotency-Key was used for another command."""
    CURSOR_UNKNOWN = "cursor-unknown"
    """The cursor is not one of this list."""
    METHOD_NOT_ALLOWED = "method-not-allowed"
    """The path does not take this method."""
    NOT_ACCEPTABLE = "not-acceptable"
    """None of the forms that the caller accepts is there."""
    NOT_READY = "not-ready"
    """The service cannot do its work now: a check of its readiness fails."""
    BODY_TOO_LARGE = "body-too-large"
    """The body of the request has more bytes than the service takes."""
    HEAD_TOO_LARGE = "head-too-large"
    """URL and headers of the request have more bytes, or are more, than the service takes."""
    TOO_SLOW = "too-slow"
    """The request did not come in time."""
    TOO_MANY_CONNECTIONS = "too-many-connections"
    """The client, or all together, have as many connections as the service has."""
    DOCUMENT_TOO_LARGE = "document-too-large"
    """The document has more rows than the format takes, or takes more memory or time than it may."""
    BUSY = "busy"
    """So many others are being served, and wait, that nobody else is let in for now."""
    TRY_AGAIN = "try-again"
    """The work could not be done now, and can be when it is sent again under the same Idempotency-Key."""
    INTERNAL = "internal"
    """Internal error; it was logged."""


class Rejected(Exception):
    """What was asked for is not done; nothing changes but the record that it was rejected.

    `detail` names the thing, the value and the way out; `cites` is the paragraph that says so, where one does. Of a
    document `findings` are all that is wrong with it, each with its place and paragraph.
    """

    def __init__(
        self, reason: Reason, detail: str, *, cites: str | None = None, findings: Sequence[Finding] = ()
    ) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.cites = cites
        self.findings = tuple(findings)
