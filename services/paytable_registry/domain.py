"""What becomes of a rules submission: filed, then approved or rejected by somebody else, and never changed. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pydantic import AwareDatetime

from shared.contracts.envelope import Contract, Person, Reason
from shared.contracts.submissions import (
    RulesSubmission,
    SubmissionApprovalRefused,
    SubmissionApproved,
    SubmissionFiled,
    SubmissionRejected,
    submission_hash,
)
from shared.rules import validate_submission
from shared.rules.errors import Refused

Status = Literal["filed", "approved", "rejected"]

Fact = SubmissionFiled | SubmissionApproved | SubmissionRejected | SubmissionApprovalRefused

FACTS: Final[Mapping[str, type[Fact]]] = {
    "submission.filed": SubmissionFiled,
    "submission.approved": SubmissionApproved,
    "submission.rejected": SubmissionRejected,
    "submission.approval_refused": SubmissionApprovalRefused,
}
"""What the journal records, by the kind of the entry."""

_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
_LATEST = datetime(2200, 1, 1, tzinfo=UTC)


class Contradicts(Exception):
    """The command contradicts what is recorded."""


class SubmissionVersion(SubmissionFiled):
    """A version of a rules submission as it stands: what was filed, and what has become of it."""

    status: Status
    approved_by: Person | None = None
    approved_at: AwareDatetime | None = None
    rejected_by: Person | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class History:
    """What there is of one property and game: the number of versions filed, and when the approved ones take effect."""

    versions: int = 0
    approved: Sequence[datetime] = ()


def file(wanted: RulesSubmission, history: History, *, by: str, at: datetime) -> SubmissionFiled:
    """The next version, as it is filed.

    Raises: Refused where the catalogue does not allow what is selected, or where the version could never be approved.
    """
    validate_submission(wanted.regulation, wanted.submission)
    seen: set[str] = set()
    for table in wanted.tables:
        if table in seen:
            raise Refused(f"'tables': {table!r} is listed twice; list each table once")
        seen.add(table)
    if not _EARLIEST <= wanted.effective_from < _LATEST:
        raise Refused(
            f"'effective_from' {wanted.effective_from.isoformat()}: must lie in the years {_EARLIEST.year} "
            f"to {_LATEST.year - 1}"
        )
    wanted = wanted.model_copy(update={"effective_from": wanted.effective_from.astimezone(UTC)})
    too_late = why_too_late(wanted.effective_from, history, at)
    if too_late is not None:
        raise Refused(too_late)
    version = history.versions + 1
    return SubmissionFiled(
        **_fields(wanted, RulesSubmission),
        version=version,
        hash=submission_hash(wanted, version),
        filed_by=by,
        filed_at=at,
    )


def approve(
    version: SubmissionVersion, history: History, *, by: str, at: datetime
) -> SubmissionApproved | SubmissionApprovalRefused:
    """The version as approved; or, where the filer tries to approve it, the attempt.

    Raises: Contradicts where the version was decided before, or would change what has been in effect.
    """
    _require_undecided(version)
    if by == version.filed_by:
        return SubmissionApprovalRefused(
            property=version.property,
            game=version.game,
            version=version.version,
            hash=version.hash,
            attempted_by=by,
            attempted_at=at,
            reason=f"{by} filed {_name(version)}: somebody else must approve it",
        )
    too_late = why_too_late(version.effective_from, history, at)
    if too_late is not None:
        raise Contradicts(f"{_name(version)} cannot be approved any more: {too_late}")
    return SubmissionApproved(**_fields(version, SubmissionFiled), approved_by=by, approved_at=at)


def reject(version: SubmissionVersion, *, by: str, at: datetime, reason: str) -> SubmissionRejected:
    """The rejection of a version. Raises: Contradicts where the version was decided before."""
    _require_undecided(version)
    return SubmissionRejected(
        property=version.property,
        game=version.game,
        version=version.version,
        hash=version.hash,
        rejected_by=by,
        rejected_at=at,
        reason=reason,
    )


def after(version: SubmissionFiled, fact: Fact) -> SubmissionVersion:
    """The version as it stands once a fact about it is recorded."""
    values: dict[str, Any] = {"status": "filed"}
    match fact:
        case SubmissionApproved():
            values = {"status": "approved", "approved_by": fact.approved_by, "approved_at": fact.approved_at}
        case SubmissionRejected():
            values = {
                "status": "rejected",
                "rejected_by": fact.rejected_by,
                "rejected_at": fact.rejected_at,
                "rejection_reason": fact.reason,
            }
    return SubmissionVersion(**_fields(version, SubmissionFiled), **values)


def why_too_late(effective_from: datetime, history: History, at: datetime) -> str | None:
    """Why a version may not be approved at a moment with this beginning; None if it may.

    Rounds settle under the version that is in effect when they are opened, for ever. So a version begins after every
    approved one, and not in the past; but the first one may, for no round can have settled without it.
    """
    if not history.approved:
        return None
    last = max(history.approved)
    if effective_from <= last:
        return (
            f"'effective_from' {effective_from.isoformat()} is not after {last.isoformat()}, from which on an approved "
            "version is in effect; file a version that takes effect later"
        )
    if effective_from < at:
        return (
            f"'effective_from' {effective_from.isoformat()} has passed (it is {at.isoformat()}), and rounds have "
            "settled since; file a version that takes effect later"
        )
    return None


def _fields(contract: Contract, kind: type[Contract]) -> dict[str, Any]:
    return {name: getattr(contract, name) for name in kind.model_fields}


def _require_undecided(version: SubmissionVersion) -> None:
    if version.status != "filed":
        raise Contradicts(f"{_name(version)} was {version.status} already")


def _name(version: SubmissionFiled) -> str:
    return f"version {version.version} of {version.game} at {version.property}"
