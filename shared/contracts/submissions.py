"""What the paytable registry publishes on `submissions`: approved rules submissions, and how they get there."""

from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from shared.contracts.envelope import Contract, Digest, Name, Person, Reason, as_json, canonical
from shared.contracts.facts import Fact, fact
from shared.contracts.topics import SUBMISSIONS
from shared.rules.record import Submission


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


@fact("submission.filed", SUBMISSIONS)
class SubmissionFiled(Fact, RulesSubmission):
    """A version was filed; it waits for somebody else's approval."""

    version: Annotated[int, Field(ge=1)]
    hash: Digest
    filed_by: Person
    filed_at: AwareDatetime


@fact("submission.approved", SUBMISSIONS)
class SubmissionApproved(SubmissionFiled):
    """A version was approved: from `effective_from` on, rounds opened at its tables settle under it."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("submission.rejected", SUBMISSIONS)
class SubmissionRejected(Fact):
    """A version was turned down; it never takes effect."""

    property: Name
    game: Name
    version: Annotated[int, Field(ge=1)]
    hash: Digest
    rejected_by: Person
    rejected_at: AwareDatetime
    reason: Reason


def in_effect(versions: list[Any], moment: datetime) -> Any | None:
    """Of approved versions (with `effective_from` and `version`), the one that is in effect at a moment."""
    begun = [version for version in versions if version.effective_from <= moment]
    return max(begun, key=lambda version: (version.effective_from, version.version), default=None)


def submission_hash(wanted: RulesSubmission, version: int) -> str:
    """SHA-256, in hexadecimal, of what a version says: property, game, regulation, tables, effective_from, submission
    and version as they stand in the published event, as canonical JSON."""
    document = {name: value for name, value in as_json(wanted).items() if name in RulesSubmission.model_fields}
    return sha256(canonical({**document, "version": version})).hexdigest()
