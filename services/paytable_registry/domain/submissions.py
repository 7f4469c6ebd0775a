"""The life cycle of a submission version: drafted, filed, then decided by another person, or withdrawn. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BeforeValidator

from services.paytable_registry.domain.paybacks import ComparedPayback, overridden
from services.paytable_registry.domain.submission_checks import (
    contradictions,
    counted_by_registry,
    of_regulation,
)
from shared.contracts.envelope import Digest, Person
from shared.contracts.envelope import Reason as Words
from shared.contracts.property_snapshot import PropertyLookup, why_no_place
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import (
    WITHDRAWAL_LEAD,
    ByTable,
    OfSubmission,
    Overridden,
    RulesSubmission,
    SubmissionApproved,
    SubmissionDrafted,
    SubmissionFiled,
    SubmissionReturned,
    SubmissionWithdrawn,
    WithdrawalApproved,
    WithdrawalRequested,
    WithdrawalReturned,
    submission_hash,
)
from shared.contracts.versions import (
    Standing,
    VersionNumber,
    about,
    beginning,
    fields_of,
    returned,
    standing,
    why_too_late,
)
from shared.rules.errors import Finding
from shared.runtime.commands.approval import RULES_SUBMISSION, WITHDRAWAL, Approval, Decision
from shared.runtime.commands.approval_subject import ApprovalSubject

Phase = Literal["draft", "filed", "returned", "withdrawn", "approved", "effective", "superseded"]
"""The phase of a version: its status, except that an approved one may be in effect, or superseded by a later one."""

AboutSubmission = (
    SubmissionDrafted
    | SubmissionFiled
    | SubmissionReturned
    | SubmissionWithdrawn
    | WithdrawalRequested
    | WithdrawalReturned
)
"""The facts about versions of submissions, including their subclasses."""


def _of_text(said: object) -> object:
    return Overridden.model_validate_json(said) if isinstance(said, str) else said


class SubmissionStanding(Standing):
    """The status of a version of a submission, with the person and time of each step.

    The status includes the findings overridden at the approval, and the request and approval of a withdrawal.
    """

    overridden: Annotated[Overridden | None, BeforeValidator(_of_text)] = None
    withdrawal_requested_by: Person | None = None
    withdrawal_requested_at: AwareDatetime | None = None
    withdrawal_reason: Words | None = None
    withdrawn_by: Person | None = None
    withdrawn_at: AwareDatetime | None = None


class SubmissionVersion(RulesSubmission, SubmissionStanding):
    """A version of a rules submission: its content, its status, and the person and time of each step."""

    version: VersionNumber
    hash: Digest
    drafted_by: Person | None = None
    drafted_at: AwareDatetime | None = None
    filed_by: Person | None = None
    filed_at: AwareDatetime | None = None

    @property
    def label(self) -> str:
        """Return the name of the version to use in messages."""
        return f"version {self.version} of {self.game} at {self.property}"

    @property
    def approval(self) -> Approval:
        """Return the approval step of the version, with its current decision. Raises: Rejected for a draft."""
        if self.filed_by is None and self.status == "draft":
            raise Rejected(Reason.TOO_EARLY, f"{self.label} is a draft: file it first")
        return Approval(RULES_SUBMISSION, self.label, self.filed_by or "", Decision.of(self.status))

    @property
    def withdrawal(self) -> Approval:
        """Return the approval step of the version's withdrawal. Raises: Rejected if no withdrawal was requested."""
        if self.withdrawal_requested_by is None:
            raise Rejected(Reason.TOO_EARLY, f"nobody asked that {self.label} be withdrawn after its approval")
        decision = Decision.APPROVED if self.status == "withdrawn" else Decision.ASKED
        return Approval(WITHDRAWAL, f"the withdrawal of {self.label}", self.withdrawal_requested_by, decision)


class SubmissionShown(SubmissionVersion, ApprovalSubject):
    """A version of a submission for display, with its phase at the time of the response."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class SubmissionHistory:
    """The history of one submission: the number of versions drafted or filed, and the approved versions."""

    versions: int = 0
    approved: Sequence[SubmissionVersion] = ()

    def beginnings(self, tables: Sequence[str]) -> list[datetime]:
        """Return the times at which approved versions that list one of these tables take effect."""
        return [each.effective_from for each in self.approved if not set(tables).isdisjoint(each.tables)]

    def shown(self, version: SubmissionVersion, at: datetime) -> SubmissionShown:
        """Return a version with its phase at a moment."""
        others = (each for each in self.approved if each.version != version.version)
        return shown(version, ByTable((*others, version) if version.status == "approved" else others), at)


def shown(version: SubmissionVersion, approved: ByTable[SubmissionVersion], at: datetime) -> SubmissionShown:
    """Return a version of a rules submission with its phase at a moment.

    An approved version is superseded once a later one is in effect at all of its tables; `approved` has all approved
    versions by table.
    """
    phase: Phase = version.status
    if version.status == "approved" and version.effective_from <= at:
        latest = (approved.in_effect(version.property, version.game, table, at) for table in version.tables)
        in_effect = any(one is not None and one.version == version.version for one in latest)
        phase = "effective" if in_effect else "superseded"
    return SubmissionShown(**fields_of(version, SubmissionVersion), phase=phase)


def draft(wanted: RulesSubmission, version: int, *, by: str, at: datetime) -> SubmissionDrafted:
    """Return the fact that records a draft of a version. Any content is accepted; it is validated when it is filed."""
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    said = fields_of(wanted, RulesSubmission)
    digest = submission_hash(wanted, version)
    return SubmissionDrafted(**said, version=version, hash=digest, drafted_by=by, drafted_at=at)


def require_draft(version: SubmissionVersion) -> None:
    """Raise Rejected unless the version is a draft."""
    if version.status != "draft":
        raise Rejected(Reason.ALREADY_DECIDED, f"{version.label} is {version.status}, and no draft any more")


def file(
    wanted: RulesSubmission,
    history: SubmissionHistory,
    places: PropertyLookup,
    *,
    version: int,
    by: str,
    at: datetime,
    counted: Collection[str] = (),
) -> SubmissionFiled:
    """Return the fact that records the filing of a version.

    `counted` has the wagers whose house edge the registry computes. Raises: Rejected with all faults of the version:
    content that the regulation does not allow, conflicts with the property, a stated house edge of a counted wager,
    or an `effective_from` so early that the version could never be approved.
    """
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    wrong = _wrong(wanted, history, places, at, counted, late=Reason.NOT_ALLOWED)
    if wrong is not None:
        raise wrong
    said = fields_of(wanted, RulesSubmission)
    return SubmissionFiled(**said, version=version, hash=submission_hash(wanted, version), filed_by=by, filed_at=at)


def approve(
    version: SubmissionVersion,
    history: SubmissionHistory,
    places: PropertyLookup,
    paybacks: Sequence[ComparedPayback],
    *,
    by: str,
    at: datetime,
    override: str | None = None,
    counted: Collection[str] = (),
) -> SubmissionApproved:
    """Return the fact that records the approval of a version.

    `override` is the reason for overriding findings on the `paybacks`, and `counted` has the wagers whose house edge
    the registry computes. Raises: Rejected if the version is decided already, if `by` filed it, if it would change
    rules in effect in the past, if it now contradicts the property or the registry's computed figures, or if its
    paybacks need an override.
    """
    version.approval.approve(by)
    wrong = _wrong(version, history, places, at, counted, late=Reason.TOO_LATE)
    if wrong is not None:
        detail = f"{version.label} cannot be approved any more: {wrong.detail}"
        raise Rejected(wrong.reason, detail, cites=wrong.cites, findings=wrong.findings)
    passed_over = overridden(paybacks, override)
    filed = fields_of(version, SubmissionFiled)
    return SubmissionApproved(**filed, approved_by=by, approved_at=at, overridden=passed_over)


def give_back(version: SubmissionVersion, *, by: str, at: datetime, reason: str) -> SubmissionReturned:
    """Return the fact that records a version's return to its filer. Raises: Rejected if it is decided already."""
    version.approval.reject()
    return returned(SubmissionReturned, version, by=by, at=at, reason=reason)


def withdraw(
    version: SubmissionVersion, *, by: str, at: datetime, reason: str
) -> SubmissionWithdrawn | WithdrawalRequested:
    """Return the withdrawal of a draft or undecided version, or the request to withdraw an approved one.

    Raises: Rejected if the version was returned or withdrawn, if a request is open, or if it is too late to withdraw
    it.
    """
    if version.status in ("draft", "filed"):
        return about(SubmissionWithdrawn, version, withdrawn_by=by, withdrawn_at=at, reason=reason)
    if version.status != "approved":
        raise Rejected(Reason.ALREADY_DECIDED, f"{version.label} was {version.status} already")
    if version.withdrawal_requested_by is not None:
        detail = f"{version.withdrawal_requested_by} asked for the withdrawal of {version.label} already"
        raise Rejected(Reason.ALREADY_DECIDED, detail)
    _require_lead(version, at)
    return about(WithdrawalRequested, version, requested_by=by, requested_at=at, reason=reason)


def approve_withdrawal(version: SubmissionVersion, *, by: str, at: datetime) -> WithdrawalApproved:
    """Return the fact that records the approval of an approved version's withdrawal.

    Raises: Rejected if no withdrawal was requested, if `by` requested it, if it is decided already, or if it is too
    late to withdraw the version.
    """
    version.withdrawal.approve(by)
    _require_lead(version, at)
    asked = {
        "requested_by": version.withdrawal_requested_by,
        "requested_at": version.withdrawal_requested_at,
        "reason": version.withdrawal_reason,
    }
    named = fields_of(version, OfSubmission)
    return WithdrawalApproved(**named, **asked, withdrawn_by=by, withdrawn_at=at)


def return_withdrawal(version: SubmissionVersion, *, by: str, at: datetime, reason: str) -> WithdrawalReturned:
    """Return the rejection of a withdrawal request, even by the requester. Raises: Rejected if no request is open."""
    version.withdrawal.reject()
    return returned(WithdrawalReturned, version, by=by, at=at, reason=reason)


def _require_lead(version: SubmissionVersion, at: datetime) -> None:
    """Raise Rejected if it is too late for every service to read the withdrawal before the version takes effect."""
    last = version.effective_from - WITHDRAWAL_LEAD
    if at > last:
        raise Rejected(
            Reason.TOO_LATE,
            f"{version.label} takes effect at {version.effective_from.isoformat()}, and could be withdrawn until "
            f"{last.isoformat()} (it is {at.isoformat()}); file a version that takes effect later",
        )


def changes(fact: AboutSubmission) -> dict[str, Any]:
    """Return the new values of the columns of `SubmissionStanding` that a fact changes."""
    match fact:
        case SubmissionDrafted():
            return {"status": "draft"}
        case SubmissionApproved(overridden=Overridden() as passed_over):
            return {**standing(fact), "overridden": passed_over.model_dump_json()}
        case SubmissionWithdrawn():
            withdrawn = {"withdrawn_by": fact.withdrawn_by, "withdrawn_at": fact.withdrawn_at}
            return {"status": "withdrawn", "withdrawal_reason": fact.reason, **withdrawn}
        case WithdrawalApproved():
            return {"status": "withdrawn", "withdrawn_by": fact.withdrawn_by, "withdrawn_at": fact.withdrawn_at}
        case WithdrawalRequested():
            asked = {"withdrawal_requested_by": fact.requested_by, "withdrawal_requested_at": fact.requested_at}
            return {**asked, "withdrawal_reason": fact.reason}
        case WithdrawalReturned():
            return dict.fromkeys(("withdrawal_requested_by", "withdrawal_requested_at", "withdrawal_reason"))
        case _:
            return standing(fact)


def after(version: SubmissionVersion | None, fact: AboutSubmission) -> SubmissionVersion:
    """Return a version with the status that `fact` gives it; `version` is None if this is the version's first fact."""
    if isinstance(fact, RulesSubmission):
        said = {name: value for name, value in fact if name in SubmissionVersion.model_fields}
        return SubmissionVersion(**said | changes(fact))
    assert version is not None, "only what has the whole content comes first"
    return SubmissionVersion(**fields_of(version, SubmissionVersion) | changes(fact))


def _wrong(
    wanted: RulesSubmission,
    history: SubmissionHistory,
    places: PropertyLookup,
    at: datetime,
    counted: Collection[str],
    *,
    late: Reason,
) -> Rejected | None:
    """Return a rejection with all faults if a submission may not take effect at `effective_from`; otherwise None.

    `late` is the rejection's reason code if the only fault is an `effective_from` that is too early.
    """
    found = [*of_regulation(wanted), *counted_by_registry(wanted, counted)]
    place = places(wanted.property, wanted.effective_from)
    if place is None:
        found.append(Finding("/property", why_no_place(wanted.property, wanted.effective_from)))
    else:
        found += contradictions(wanted, place)
    reason = Reason.NOT_ALLOWED if place is not None else Reason.NOT_FOUND
    too_late = why_too_late(wanted.effective_from, history.beginnings(wanted.tables), at)
    if too_late is not None:
        reason = reason if found else late
        found.append(Finding("/effective_from", too_late))
    if not found:
        return None
    cites = next((one.paragraph for one in found if one.paragraph is not None), None)
    return Rejected(reason, "; ".join(map(str, found)), cites=cites, findings=found)
