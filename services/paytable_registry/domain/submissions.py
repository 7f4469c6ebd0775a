"""The life of a version of a rules submission: drafted, filed, then decided by somebody else, or withdrawn. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BeforeValidator

from services.paytable_registry.domain.paybacks import ComparedPayback, overridden
from services.paytable_registry.domain.submission_checks import contradictions, of_regulation
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
"""Where a version stands by the clock: an approved one is in effect at some table, or will be, or is not any more."""

AboutSubmission = (
    SubmissionDrafted
    | SubmissionFiled
    | SubmissionReturned
    | SubmissionWithdrawn
    | WithdrawalRequested
    | WithdrawalReturned
)
"""What is recorded of a version: these facts, and those derived from them."""


def _of_text(said: object) -> object:
    return Overridden.model_validate_json(said) if isinstance(said, str) else said


class SubmissionStanding(Standing):
    """What has become of a version.

    With what its approval passed over, who asked that it be withdrawn, and who withdrew it, when and why.
    """

    overridden: Annotated[Overridden | None, BeforeValidator(_of_text)] = None
    withdrawal_requested_by: Person | None = None
    withdrawal_requested_at: AwareDatetime | None = None
    withdrawal_reason: Words | None = None
    withdrawn_by: Person | None = None
    withdrawn_at: AwareDatetime | None = None


class SubmissionVersion(RulesSubmission, SubmissionStanding):
    """A version of a rules submission as it stands: what was drafted or filed, and what has become of it."""

    version: VersionNumber
    hash: Digest
    drafted_by: Person | None = None
    drafted_at: AwareDatetime | None = None
    filed_by: Person | None = None
    filed_at: AwareDatetime | None = None

    @property
    def label(self) -> str:
        """Return the version in words."""
        return f"version {self.version} of {self.game} at {self.property}"

    @property
    def approval(self) -> Approval:
        """Return who may decide it. Raises: Rejected for a draft."""
        if self.filed_by is None and self.status == "draft":
            raise Rejected(Reason.TOO_EARLY, f"{self.label} is a draft: file it first")
        return Approval(RULES_SUBMISSION, self.label, self.filed_by or "", Decision.of(self.status))

    @property
    def withdrawal(self) -> Approval:
        """Return who may decide its withdrawal. Raises: Rejected where nobody asked for one."""
        if self.withdrawal_requested_by is None:
            raise Rejected(Reason.TOO_EARLY, f"nobody asked that {self.label} be withdrawn after its approval")
        decision = Decision.APPROVED if self.status == "withdrawn" else Decision.ASKED
        return Approval(WITHDRAWAL, f"the withdrawal of {self.label}", self.withdrawal_requested_by, decision)


class SubmissionShown(SubmissionVersion, ApprovalSubject):
    """A version as it stands, and its phase at the moment of the answer."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class SubmissionHistory:
    """What there is of one submission: the number of versions drafted or filed, and those that are approved."""

    versions: int = 0
    approved: Sequence[SubmissionVersion] = ()

    def beginnings(self, tables: Sequence[str]) -> list[datetime]:
        """Return the beginnings of the approved versions that list one of these tables."""
        return [each.effective_from for each in self.approved if not set(tables).isdisjoint(each.tables)]

    def shown(self, version: SubmissionVersion, at: datetime) -> SubmissionShown:
        """Return a version with its phase at a moment."""
        others = (each for each in self.approved if each.version != version.version)
        return shown(version, ByTable((*others, version) if version.status == "approved" else others), at)


def shown(version: SubmissionVersion, approved: ByTable[SubmissionVersion], at: datetime) -> SubmissionShown:
    """Return a version with its phase at a moment, among the approved versions."""
    phase: Phase = version.status
    if version.status == "approved" and version.effective_from <= at:
        latest = (approved.in_effect(version.property, version.game, table, at) for table in version.tables)
        in_effect = any(one is not None and one.version == version.version for one in latest)
        phase = "effective" if in_effect else "superseded"
    return SubmissionShown(**fields_of(version, SubmissionVersion), phase=phase)


def draft(wanted: RulesSubmission, version: int, *, by: str, at: datetime) -> SubmissionDrafted:
    """Return the draft of a version, with any content: it is checked when it is filed."""
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    said = fields_of(wanted, RulesSubmission)
    digest = submission_hash(wanted, version)
    return SubmissionDrafted(**said, version=version, hash=digest, drafted_by=by, drafted_at=at)


def require_draft(version: SubmissionVersion) -> None:
    """Raise Rejected for a version that is no draft any more."""
    if version.status != "draft":
        raise Rejected(Reason.ALREADY_DECIDED, f"{version.label} is {version.status}, and no draft any more")


def file(
    wanted: RulesSubmission, history: SubmissionHistory, places: PropertyLookup, *, version: int, by: str, at: datetime
) -> SubmissionFiled:
    """Return a version as it is filed.

    Raises: Rejected with all that is wrong with it: what the catalogue does not allow, what contradicts the property,
    or that it could never be approved.
    """
    wanted = wanted.model_copy(update={"effective_from": beginning(wanted.effective_from)})
    wrong = _wrong(wanted, history, places, at, late=Reason.NOT_ALLOWED)
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
) -> SubmissionApproved:
    """Return the version as approved; `override` is the reason for which what its `paybacks` say is passed over.

    Raises: Rejected where it was decided before, by who filed it, where it would change what has been in effect, with
    all that contradicts the property as it has become since it was filed, or where its paybacks need an override.
    """
    version.approval.approve(by)
    wrong = _wrong(version, history, places, at, late=Reason.TOO_LATE)
    if wrong is not None:
        detail = f"{version.label} cannot be approved any more: {wrong.detail}"
        raise Rejected(wrong.reason, detail, cites=wrong.cites, findings=wrong.findings)
    passed_over = overridden(paybacks, override)
    filed = fields_of(version, SubmissionFiled)
    return SubmissionApproved(**filed, approved_by=by, approved_at=at, overridden=passed_over)


def give_back(version: SubmissionVersion, *, by: str, at: datetime, reason: str) -> SubmissionReturned:
    """Return the fact that a version goes back to who filed it. Raises: Rejected where it was decided before."""
    version.approval.reject()
    return returned(SubmissionReturned, version, by=by, at=at, reason=reason)


def withdraw(
    version: SubmissionVersion, *, by: str, at: datetime, reason: str
) -> SubmissionWithdrawn | WithdrawalRequested:
    """Return the withdrawal of a draft or of a version that nobody decided, or the request for an approved one's.

    Raises: Rejected where it was returned or withdrawn, its withdrawal is asked for already, or it is too late.
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
    """Return the withdrawal of an approved version.

    Raises: Rejected where nobody asked for it, by who did, where it was decided, or where it is too late.
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
    """Return the fact that a version is not withdrawn, by anybody: who asked takes it back so. Raises: Rejected."""
    version.withdrawal.reject()
    return returned(WithdrawalReturned, version, by=by, at=at, reason=reason)


def _require_lead(version: SubmissionVersion, at: datetime) -> None:
    """Raise Rejected where services might settle under a version before they have read that it is withdrawn."""
    last = version.effective_from - WITHDRAWAL_LEAD
    if at > last:
        raise Rejected(
            Reason.TOO_LATE,
            f"{version.label} takes effect at {version.effective_from.isoformat()}, and could be withdrawn until "
            f"{last.isoformat()} (it is {at.isoformat()}); file a version that takes effect later",
        )


def changes(fact: AboutSubmission) -> dict[str, Any]:
    """Return the fields of `SubmissionStanding` that a fact changes."""
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
    """Return a version as it stands once a fact about it is recorded; None: it was not there before."""
    if isinstance(fact, RulesSubmission):
        said = {name: value for name, value in fact if name in SubmissionVersion.model_fields}
        return SubmissionVersion(**said | changes(fact))
    assert version is not None, "only what has the whole content comes first"
    return SubmissionVersion(**fields_of(version, SubmissionVersion) | changes(fact))


def _wrong(
    wanted: RulesSubmission, history: SubmissionHistory, places: PropertyLookup, at: datetime, *, late: Reason
) -> Rejected | None:
    """Return why a submission may not take effect when it says, with all that is wrong with it; None if it may.

    `late` is the reason where nothing but its beginning is wrong.
    """
    found = of_regulation(wanted)
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
