"""Filings: what may follow what, from the file to FinCEN's answer. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from services.wagering_accounts.domain.filed_batches import ReportInBatch
from services.wagering_accounts.domain.today import Today
from shared.contracts.envelope import Digest, Name, Person, Reason
from shared.contracts.filings import (
    AboutFiling,
    AnsweredReport,
    BsaIdentifier,
    FilingAcknowledged,
    FilingError,
    FilingFiled,
    FilingForm,
    FilingPrepared,
    FilingReleased,
    FilingStatus,
    FilingSubject,
    FilingWithdrawn,
    PreparedReport,
    TrackingId,
)
from shared.contracts.rejection import Reason as Because
from shared.contracts.rejection import Rejected
from shared.runtime.commands.approval import FILING, Approval, Decision
from shared.runtime.commands.approval_subject import ApprovalSubject

UNSENT: Final[tuple[FilingStatus, ...]] = ("prepared", "released")
"""The statuses of what was not sent to FinCEN yet."""

_DECISIONS: Final[Mapping[FilingStatus, Decision]] = {"prepared": Decision.ASKED, "withdrawn": Decision.WITHDRAWN}


class FilingSummary(BaseModel):
    """A filing with its status; persons, moments and identifiers are those of the steps taken so far."""

    model_config = ConfigDict(from_attributes=True)

    property: Name
    filing: int
    form: FilingForm
    reported_day: date
    file_by: date
    status: FilingStatus
    report_count: int
    content_sha256: Digest
    content_bytes: int
    prepared_by: Person
    prepared_at: datetime
    released_by: Person | None = None
    released_at: datetime | None = None
    filed_by: Person | None = None
    filed_at: datetime | None = None
    tracking_id: TrackingId | None = None
    acknowledged_by: Person | None = None
    acknowledged_at: datetime | None = None
    withdrawn_by: Person | None = None
    withdrawn_at: datetime | None = None
    withdraw_reason: Reason | None = None
    errors: tuple[FilingError, ...] = ()


class ReportDocument(PreparedReport):
    """A report in a filing; once acknowledged, its identifier if it was accepted, and what was found in it."""

    bsa_id: BsaIdentifier | None = None
    errors: tuple[FilingError, ...] = ()


class FilingDocument(FilingSummary, ApprovalSubject):
    """A filing with its reports."""

    reports: tuple[ReportDocument, ...]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as it was read: SHA-256, size in bytes, reports; and sealed, with the key that opens it, wrapped."""

    sha256: Digest
    size_bytes: int
    reports: Sequence[ReportInBatch]
    sealed: str
    wrapped_by: str
    wrapped: bytes


@dataclass(frozen=True, slots=True)
class ReportedBefore:
    """A report that stands: in a filing that was neither withdrawn nor is without an identifier for it."""

    kind: str
    reference: str
    reported_day: date
    filing: int
    bsa_id: str | None


def file_by(today: Today, form: FilingForm, reported_day: date) -> date:
    """Return the last day of filing, by the property's packs. Raises: Rejected if none of them has the form filed."""
    for law in today.place.reporting:
        rule = law.currency_reports.get(form)
        if rule is not None and rule.file_within_days is not None:
            return reported_day + timedelta(days=rule.file_within_days.on(reported_day).value)
    raise Rejected(Because.NOT_ALLOWED, f"no pack of {today.place.document.property} has a {form} filed")


def require_ended(today: Today, reported_day: date) -> None:
    """Raise Rejected while a gaming day runs: what its persons move is not final."""
    if reported_day >= today.gaming_day:
        ends = today.place.begins_at(reported_day + timedelta(days=1))
        detail = f"gaming day {reported_day} of {today.place.document.property} runs until {ends.isoformat()}"
        raise Rejected(
            Because.TOO_EARLY, f"{detail}: what persons move adds up until then; prepare the file afterwards"
        )


def prepared_reports(
    subjects: Sequence[FilingSubject],
    reported_day: date,
    found: Sequence[ReportInBatch],
    standing: Sequence[ReportedBefore],
) -> tuple[PreparedReport, ...]:
    """Return the reports of a file, each with whom it is about.

    `standing` are reports of these persons and the day, and those with identifiers that the file amends. Raises:
    Rejected if the file has other reports or another day, or if a report was made before and the file amends none or
    another one.
    """
    if len(found) != len(subjects):
        raise Rejected(Because.CONTRADICTS, f"the file has {len(found)} reports, of {len(subjects)} persons said")
    if len({(one.kind, one.reference) for one in subjects}) < len(subjects):
        raise Rejected(Because.CONTRADICTS, "somebody is reported twice in the file")
    made = []
    for number, (subject, report) in enumerate(zip(subjects, found, strict=True), start=1):
        if report.reported_day != reported_day:
            detail = f"report {number} of the file is of {report.reported_day}, not {reported_day}"
            raise Rejected(Because.CONTRADICTS, detail)
        _require_new_or_amended(subject, reported_day, report.amends, standing)
        made.append(
            PreparedReport(
                kind=subject.kind,
                reference=subject.reference,
                report=number,
                in_dollars=report.in_dollars,
                out_dollars=report.out_dollars,
                amends=report.amends,
            )
        )
    return tuple(made)


def _require_new_or_amended(
    subject: FilingSubject, reported_day: date, amends: str | None, standing: Sequence[ReportedBefore]
) -> None:
    key = (subject.kind, subject.reference, reported_day)
    if amends is None:
        for one in standing:
            if (one.kind, one.reference, one.reported_day) == key:
                detail = f"{subject.kind} {subject.reference} is reported of {reported_day} in filing {one.filing}"
                raise Rejected(Because.ALREADY_DECIDED, f"{detail}: withdraw that, or amend what was accepted")
        return
    own = [one for one in standing if (one.kind, one.reference, one.reported_day) == key]
    for one in standing:
        if one.bsa_id == amends and one not in own:
            detail = f"{amends} is the report of {one.kind} {one.reference} of {one.reported_day}"
            raise Rejected(Because.CONTRADICTS, f"{detail}, not of {subject.kind} {subject.reference}")
    if own and amends not in {one.bsa_id for one in own}:
        detail = f"{subject.kind} {subject.reference} is reported of {reported_day} in filing {own[-1].filing}"
        raise Rejected(Because.CONTRADICTS, f"{detail}: no report of theirs was accepted as {amends}")


def approval_of(filing: FilingSummary) -> Approval:
    """Return the filing as a request that somebody else decides."""
    name = f"filing {filing.filing} of {filing.property}"
    return Approval(FILING, name, filing.prepared_by, _DECISIONS.get(filing.status, Decision.APPROVED))


def require_status(filing: FilingSummary, *wanted: FilingStatus) -> None:
    """Raise Rejected unless a filing has one of these statuses."""
    if filing.status not in wanted:
        early = filing.status in UNSENT
        detail = f"filing {filing.filing} of {filing.property} is {filing.status}, not {' or '.join(wanted)}"
        raise Rejected(Because.TOO_EARLY if early else Because.ALREADY_DECIDED, detail)


def require_each_answered(filing: FilingDocument, accepted: bool, reports: Sequence[AnsweredReport]) -> None:
    """Raise Rejected unless an acknowledgement is of the reports of this filing."""
    numbers = [one.report for one in reports]
    if (accepted or reports) and numbers != [one.report for one in filing.reports]:
        detail = f"the acknowledgement has {len(numbers)} reports, and filing {filing.filing} {filing.report_count}"
        raise Rejected(Because.CONTRADICTS, f"{detail}, from 1 on")
    if not accepted and any(one.bsa_id is not None for one in reports):
        raise Rejected(Because.CONTRADICTS, "a report of a rejected file has no identifier")


def changes(fact: AboutFiling, at: datetime) -> dict[str, Any]:
    """Return what a fact changes of a filing, with the moment of its recording."""
    match fact:
        case FilingReleased():
            return {"status": "released", "released_by": fact.by, "released_at": at}
        case FilingFiled():
            return {
                "status": "filed",
                "filed_by": fact.by,
                "filed_at": fact.filed_at,
                "tracking_id": fact.tracking_id,
            }
        case FilingAcknowledged():
            whole = fact.accepted and all(one.bsa_id is not None for one in fact.reports)
            return {
                "status": "accepted" if whole else "rejected",
                "acknowledged_by": fact.by,
                "acknowledged_at": at,
                "errors": fact.errors,
            }
        case FilingWithdrawn():
            return {
                "status": "withdrawn",
                "withdrawn_by": fact.by,
                "withdrawn_at": at,
                "withdraw_reason": fact.reason,
            }
        case _:
            raise AssertionError(f"{fact.KIND.name} begins a filing")


def begun(fact: FilingPrepared, at: datetime) -> FilingDocument:
    """Return a filing as it was prepared."""
    return FilingDocument(
        property=fact.property,
        filing=fact.filing,
        form=fact.form,
        reported_day=fact.reported_day,
        file_by=fact.file_by,
        status="prepared",
        report_count=len(fact.reports),
        content_sha256=fact.content_sha256,
        content_bytes=fact.content_bytes,
        prepared_by=fact.by,
        prepared_at=at,
        reports=tuple(ReportDocument(**dict(one)) for one in fact.reports),
    )


def after(filing: FilingDocument, fact: AboutFiling, at: datetime) -> FilingDocument:
    """Return a filing after a fact about it."""
    changed = changes(fact, at)
    if isinstance(fact, FilingAcknowledged):
        answers = {one.report: one for one in fact.reports}
        changed["reports"] = tuple(
            one.model_copy(update={"bsa_id": answer.bsa_id, "errors": answer.errors})
            if (answer := answers.get(one.report))
            else one
            for one in filing.reports
        )
    return filing.model_copy(update=changed)
