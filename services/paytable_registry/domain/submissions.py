"""What becomes of a rules submission: filed, then approved or rejected by somebody else, and never changed. Pure."""

from datetime import datetime

from services.paytable_registry.domain.history import History
from services.paytable_registry.domain.submission_checks import problems
from shared.contracts.places import PlaceAt, why_no_place
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


def file(wanted: RulesSubmission, history: History, places: PlaceAt, *, by: str, at: datetime) -> SubmissionFiled:
    """Return the next version, as it is filed.

    Raises: Rejected with all that is wrong with it: what the catalogue does not allow, what contradicts the property,
    or that it could never be approved.
    """
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    wrong = _wrong(wanted, history, places, at, late=Reason.NOT_ALLOWED)
    if wrong is not None:
        raise wrong
    version = history.versions + 1
    return SubmissionFiled(
        **fields_of(wanted, RulesSubmission),
        version=version,
        hash=submission_hash(wanted, version),
        filed_by=by,
        filed_at=at,
    )


def approve(
    version: SubmissionVersion, history: History, places: PlaceAt, *, by: str, at: datetime
) -> SubmissionApproved:
    """Return the version as approved.

    Raises: Rejected where it was decided before, by who filed it, where it would change what has been in effect, or
    with all that contradicts the property as it has become since it was filed.
    """
    version.approval.approve(by)
    wrong = _wrong(version, history, places, at, late=Reason.TOO_LATE)
    if wrong is not None:
        detail = f"{version.label} cannot be approved any more: {wrong.detail}"
        raise Rejected(wrong.reason, detail, cites=wrong.cites)
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


def _wrong(
    wanted: RulesSubmission, history: History, places: PlaceAt, at: datetime, *, late: Reason
) -> Rejected | None:
    """Return why a submission may not take effect when it says, with all that is wrong with it; None if it may.

    `late` is the reason where nothing but its beginning is wrong.
    """
    found, cites = list[str](), None
    try:
        validate_submission(wanted.regulation, wanted.submission)
    except Refused as refused:
        found, cites = [str(refused)], refused.paragraph
    place = places(wanted.property, wanted.effective_from)
    if place is None:
        found.append(why_no_place(wanted.property, wanted.effective_from))
    else:
        found += problems(wanted, place)
    reason = Reason.NOT_ALLOWED if place is not None else Reason.NOT_FOUND
    too_late = why_too_late(wanted.effective_from, history.approved, at)
    if too_late is not None:
        reason = reason if found else late
        found.append(too_late)
    return Rejected(reason, "; ".join(found), cites=cites) if found else None
