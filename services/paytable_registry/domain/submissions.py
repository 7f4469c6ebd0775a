"""What becomes of a rules submission: filed, then approved or rejected by somebody else, and never changed. Pure."""

from datetime import datetime

from services.paytable_registry.domain.history import History
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import (
    RulesSubmission,
    SubmissionApproved,
    SubmissionFiled,
    SubmissionRejected,
    submission_hash,
)
from shared.contracts.versions import Filed, Standing, beginning, fields_of, standing, turned_down, why_too_late
from shared.rules import validate_submission
from shared.rules.errors import Refused
from shared.runtime.command.approval import RULES_SUBMISSION, Approval, Decision


class SubmissionVersion(RulesSubmission, Filed, Standing):
    """A version of a rules submission as it stands: what was filed, and what has become of it."""

    @property
    def label(self) -> str:
        """Return the version in words."""
        return f"version {self.version} of {self.game} at {self.property}"

    @property
    def approval(self) -> Approval:
        """Return who may decide it."""
        return Approval(RULES_SUBMISSION, self.label, self.filed_by, Decision.of(self.status))


def file(wanted: RulesSubmission, history: History, *, by: str, at: datetime) -> SubmissionFiled:
    """Return the next version, as it is filed.

    Raises: Rejected where the catalogue does not allow what is selected, or where it could never be approved.
    """
    try:
        validate_submission(wanted.regulation, wanted.submission)
    except Refused as refused:
        raise Rejected(Reason.NOT_ALLOWED, str(refused), cites=refused.paragraph) from refused
    for number, table in enumerate(wanted.tables):
        if table in wanted.tables[:number]:
            raise Rejected(Reason.NOT_ALLOWED, f"'tables': {table!r} is listed twice; list each table once")
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    too_late = why_too_late(wanted.effective_from, history.approved, at)
    if too_late is not None:
        raise Rejected(Reason.NOT_ALLOWED, too_late)
    version = history.versions + 1
    return SubmissionFiled(
        **fields_of(wanted, RulesSubmission),
        version=version,
        hash=submission_hash(wanted, version),
        filed_by=by,
        filed_at=at,
    )


def approve(version: SubmissionVersion, history: History, *, by: str, at: datetime) -> SubmissionApproved:
    """Return the version as approved.

    Raises: Rejected where it was decided before, by who filed it, or where it would change what has been in effect.
    """
    version.approval.approve(by)
    too_late = why_too_late(version.effective_from, history.approved, at)
    if too_late is not None:
        raise Rejected(Reason.TOO_LATE, f"{version.label} cannot be approved any more: {too_late}")
    return SubmissionApproved(**fields_of(version, SubmissionFiled), approved_by=by, approved_at=at)


def reject(version: SubmissionVersion, *, by: str, at: datetime, reason: str) -> SubmissionRejected:
    """Return the rejection of a version. Raises: Rejected where it was decided before."""
    version.approval.reject()
    return turned_down(SubmissionRejected, version, by=by, at=at, reason=reason)


def after(
    version: SubmissionFiled | SubmissionVersion, fact: SubmissionFiled | SubmissionRejected
) -> SubmissionVersion:
    """Return a version as it stands once a fact about it is recorded."""
    return SubmissionVersion(**fields_of(version, SubmissionFiled), **standing(fact))
