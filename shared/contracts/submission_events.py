"""What the paytable registry publishes on `submissions`: approved rules submissions, and how they get there."""

from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, StringConstraints, TypeAdapter, ValidationError

from shared.contracts.envelope import Contract, Event, Name, Person, Reason, as_json, canonical
from shared.contracts.refusals import RequestRefusedEvent
from shared.rules.errors import refused_by_validation
from shared.rules.record import Submission

TOPIC = "submissions"

Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class RulesSubmission(Contract):
    """What a licensee plays at some tables from a moment on: one version of a property's submission for a game.

    `game` is the licensee's name for what it offers under this submission (`blackjack`, `blackjack-switch`);
    `submission` selects from the catalogue of `regulation`.
    """

    property: Name
    game: Name
    regulation: str
    tables: tuple[Name, ...] = Field(min_length=1, max_length=1000)
    effective_from: AwareDatetime
    submission: Submission


class SubmissionFiled(RulesSubmission):
    """A version was filed; it waits for somebody else's approval."""

    version: Annotated[int, Field(ge=1)]
    hash: Digest
    filed_by: Person
    filed_at: AwareDatetime


class SubmissionApproved(SubmissionFiled):
    """A version was approved: from `effective_from` on, rounds opened at its tables settle under it."""

    approved_by: Person
    approved_at: AwareDatetime


class SubmissionRejected(Contract):
    """A version was turned down; it never takes effect."""

    property: Name
    game: Name
    version: Annotated[int, Field(ge=1)]
    hash: Digest
    rejected_by: Person
    rejected_at: AwareDatetime
    reason: Reason


class SubmissionApprovalRefused(Contract):
    """Somebody tried to approve what the same person had filed; nothing changed."""

    property: Name
    game: Name
    version: Annotated[int, Field(ge=1)]
    hash: Digest
    attempted_by: Person
    attempted_at: AwareDatetime
    reason: Reason


class SubmissionFiledEvent(Event[SubmissionFiled]):
    """A version was filed."""

    type: Literal["submission.filed"]


class SubmissionApprovedEvent(Event[SubmissionApproved]):
    """A version was approved."""

    type: Literal["submission.approved"]


class SubmissionRejectedEvent(Event[SubmissionRejected]):
    """A version was turned down."""

    type: Literal["submission.rejected"]


class SubmissionApprovalRefusedEvent(Event[SubmissionApprovalRefused]):
    """An approval was refused."""

    type: Literal["submission.approval_refused"]


SubmissionEvent = (
    SubmissionFiledEvent
    | SubmissionApprovedEvent
    | SubmissionRejectedEvent
    | SubmissionApprovalRefusedEvent
    | RequestRefusedEvent
)

_adapter: TypeAdapter[SubmissionEvent] = TypeAdapter(Annotated[SubmissionEvent, Field(discriminator="type")])


def decode(raw: bytes) -> SubmissionEvent:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error


def in_effect(versions: list[Any], moment: datetime) -> Any | None:
    """Of approved versions (with `effective_from` and `version`), the one that is in effect at a moment."""
    begun = [version for version in versions if version.effective_from <= moment]
    return max(begun, key=lambda version: (version.effective_from, version.version), default=None)


def submission_hash(wanted: RulesSubmission, version: int) -> str:
    """SHA-256, in hexadecimal, of what a version says: property, game, regulation, tables, effective_from, submission
    and version as they stand in the published event, as canonical JSON."""
    document = {name: value for name, value in as_json(wanted).items() if name in RulesSubmission.model_fields}
    return sha256(canonical({**document, "version": version})).hexdigest()
