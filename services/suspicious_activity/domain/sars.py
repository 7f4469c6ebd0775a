"""Suspicious activity reports: filing deadline, retention, and the order of their steps. Pure."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal

from pydantic import BaseModel

from services.suspicious_activity.domain.sar_files import SarInFile
from shared.contracts.envelope import Name, Patron, Person
from shared.contracts.filings import BsaIdentifier, FilingStatus
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason as Because
from shared.contracts.rejection import Rejected
from shared.contracts.suspicions import (
    AboutSar,
    SarAcknowledged,
    SarDestroyed,
    SarFiled,
    SarPrepared,
    SarReleased,
    SarWithdrawn,
)
from shared.runtime.commands.approval_subject import ApprovalSubject
from shared.runtime.filing.steps import FiledDocument, changes_by

_FORM: Final = "sar"
_RECORDS: Final = "suspicious_activity_records"


class SarDocument(FiledDocument, ApprovalSubject):
    """A report's record: its subject matter, its status, and the person and time of each step."""

    sar: int
    subject: Patron | None = None
    is_subject_known: bool
    detected_on: date
    file_by: date
    first_day: date
    last_day: date
    dollars: int
    amends: BsaIdentifier | None = None
    continues: BsaIdentifier | None = None
    files_again: int | None = None
    bsa_id: BsaIdentifier | None = None
    destroyed_by: Person | None = None
    destroyed_at: datetime | None = None

    def named(self) -> str:
        """Return the report's name in messages: `report 3 of riverside`."""
        return f"report {self.sar} of {self.property}"


class DueSar(BaseModel):
    """A report that is still to be sent.

    `days_left` is the number of days until the deadline `file_by`, negative if the report is late. It is None for an
    amendment, which is never late and has the `file_by` of the first report.
    """

    property: Name
    sar: int
    status: FilingStatus
    file_by: date
    days_left: int | None = None


def file_by(place: PropertySnapshot, detected_on: date, *, is_subject_known: bool) -> date:
    """Return the filing deadline by the property's law packs. Raises: Rejected if no pack requires the report."""
    for law in place.reporting:
        rule = law.suspicious_reports.get(_FORM)
        if rule is not None:
            within = rule.file_within_days if is_subject_known else rule.file_within_days_without_subject
            return detected_on + timedelta(days=within.on(detected_on).value)
    raise Rejected(Because.NOT_ALLOWED, f"no pack of {place.document.property} has suspicious activity reported")


def require_detected(file: SarInFile, detected_on: date, today: date) -> None:
    """Raise Rejected unless the day of detection lies between the first day of the activity and today."""
    if not file.first_day <= detected_on <= today:
        detail = f"'detected_on' {detected_on} is not between the activity's first day, {file.first_day}, and {today}"
        raise Rejected(Because.CONTRADICTS, detail)


def filed_again(
    rejected: Sequence[SarDocument], files_again: int | None, subject: Patron | None, file: SarInFile
) -> SarDocument | None:
    """Return the rejected report that a new report files again, or None if it files none again.

    `rejected` are the reports that must be filed again. Raises: Rejected if none of them has the number `files_again`;
    if that report has another subject, or days that the new report lacks, and so would never be filed; if only one of
    the two is an amendment, which has no deadline, or continues an earlier report; or if the new report has the patron
    and days of a rejected one but no `files_again`, so that the rejected one would be due forever. Two unknown subjects
    may be different people.
    """
    if files_again is None:
        for one in rejected:
            if subject is not None and _is_of(one, subject, file):
                detail = f"{one.named()}, of the same subject and days, was rejected: say that this one files it again"
                way = f"('files_again' {one.sar}, --again {one.sar}), or withdraw it if it is not to be filed any more"
                raise Rejected(Because.CONTRADICTS, f"{detail} {way}")
        return None
    found = next((one for one in rejected if one.sar == files_again), None)
    if found is None:
        detail = f"report {files_again} is not one that was rejected and must be filed again"
        raise Rejected(Because.CONTRADICTS, detail)
    has_days = file.first_day <= found.first_day and found.last_day <= file.last_day
    if not (_may_be(found, subject) and has_days):
        detail = f"{found.named()} has another subject, or days that this one lacks, and would never be filed"
        way = "leave out 'files_again' (--again), and file it by a report of its own, or withdraw it"
        raise Rejected(Because.CONTRADICTS, f"{detail}: {way}")
    for verb, before, now in (("amends", found.amends, file.amends), ("continues", found.continues, file.continues)):
        if (before is None) != (now is None):
            detail = f"{found.named()} {verb} {'none' if before is None else 'another one'}"
            raise Rejected(Because.CONTRADICTS, f"{detail}: so must the one that files it again")
    return found


def require_none_unsent(sar: SarDocument, unsent: Sequence[SarDocument]) -> None:
    """Raise Rejected while reports that follow from the answer recorded for this one are prepared and not sent."""
    if unsent:
        names = ", ".join(str(one.sar) for one in unsent)
        detail = f"report {names} amends or continues {sar.named()}, or files it again, and is not sent yet"
        raise Rejected(Because.ALREADY_DECIDED, f"{detail}: withdraw it, correct the answer, and prepare it again")


def require_first_or_follows(
    standing: Sequence[SarDocument], subject: Patron | None, file: SarInFile | SarDocument
) -> None:
    """Raise Rejected for a second report of an activity that does not follow the report that was accepted last.

    `standing` are the reports that are neither withdrawn nor rejected, and that are about the subject, or have the
    identifier that the file amends or continues, or amend the same one. An identifier that no report here has is
    accepted as that of a report filed before this system, unless a report of the subject and days is among `standing`.
    Reports of the same days with unknown subjects are allowed, because the subjects may be different people. A report
    that continues another one is of other days.
    """
    amends = file.amends
    amended = next((one for one in standing if amends is not None and one.bsa_id == amends), None)
    for one in standing:
        if one.bsa_id is not None and one.bsa_id in (amends, file.continues) and not _may_be(one, subject):
            detail = f"{one.bsa_id} is the identifier of {one.named()}, which has another subject"
            raise Rejected(Because.CONTRADICTS, detail)
    for one in sorted(standing, key=lambda one: -one.sar):
        if amends is not None and one.amends == amends:
            raise _stands(one, f"which amends {amends}")
        if amended is None and subject is not None and _is_of(one, subject, file):
            last = _last_amendment(one, standing)
            of_same = "of the same subject and days"
            raise _stands(last, of_same if last is one else f"which amends {one.named()}, {of_same}")


def _last_amendment(one: SarDocument, standing: Sequence[SarDocument]) -> SarDocument:
    """Return the last of the reports that amend a report, one after the other; the report itself if none does."""
    later = {other.amends: other for other in standing if other.amends is not None}
    while one.bsa_id in later:
        one = later[one.bsa_id]
    return one


def _is_of(one: SarDocument, subject: Patron | None, file: SarInFile | SarDocument) -> bool:
    """Return whether a report has the same subject and days."""
    return (one.subject, one.first_day, one.last_day) == (subject, file.first_day, file.last_day)


def _may_be(earlier: SarDocument, subject: Patron | None) -> bool:
    """Return whether an earlier report may be about this subject: its subject is the same or was unknown."""
    return earlier.subject is None or earlier.subject == subject


def _stands(one: SarDocument, what: str) -> Rejected:
    """Return the error for a second report while this one is neither withdrawn nor rejected; it states the remedy."""
    if one.status == "accepted":
        detail = f"was accepted as {one.bsa_id}: amend it by that identifier, which the report then 'corrects'"
    elif one.status == "filed":
        detail = "is filed: record its acknowledgement first"
    else:
        detail = f"is {one.status}: withdraw it, and prepare another one, or release and send it"
    return Rejected(Because.ALREADY_DECIDED, f"{one.named()}, {what}, {detail}")


def kept_until(place: PropertySnapshot, filed_on: date) -> date:
    """Return the last day of a filed report's retention. Raises: Rejected if no pack has a retention period."""
    for law in place.reporting:
        if _RECORDS in law.retention:
            return law.retention[_RECORDS].on(filed_on).value.after(filed_on)
    raise Rejected(Because.NOT_ALLOWED, f"no pack of {place.document.property} says how long such a report is kept")


def changes(fact: AboutSar, at: datetime) -> dict[str, Any]:
    """Return the fields of a report that a fact changes; `at` is when the fact was recorded."""
    match fact:
        case SarReleased() | SarFiled() | SarWithdrawn():
            return changes_by(fact, fact.by, at)
        case SarAcknowledged():
            status: Literal["accepted", "rejected"] = "rejected" if fact.bsa_id is None else "accepted"
            said = {"acknowledged_by": fact.by, "acknowledged_at": at, "bsa_id": fact.bsa_id, "errors": fact.errors}
            return {"status": status, **said}
        case SarDestroyed():
            return {"destroyed_by": fact.by, "destroyed_at": at}
        case _:
            raise AssertionError(f"{fact.KIND.name} changes no report")


def begun(fact: SarPrepared, at: datetime) -> SarDocument:
    """Return the record of a newly prepared report."""
    said = {name: getattr(fact, name) for name in SarPrepared.model_fields if name != "by"}
    return SarDocument(**said, status="prepared", prepared_by=fact.by, prepared_at=at)


def after(sar: SarDocument, fact: AboutSar, at: datetime) -> SarDocument:
    """Return the report's record after applying a fact about it."""
    return sar.model_copy(update=changes(fact, at))


def due(sar: SarDocument, today: date) -> DueSar:
    """Return a report that is still to be sent, with the days left until its deadline, if it has one."""
    said = {name: getattr(sar, name) for name in ("property", "sar", "status", "file_by")}
    return DueSar(**said, days_left=(sar.file_by - today).days if sar.amends is None else None)
