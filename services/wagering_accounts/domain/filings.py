"""The life cycle of a filing, from its file to the agency's answer, and its rules. Pure."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any, Final

from services.wagering_accounts.domain.filed_reports import ReportInFile
from services.wagering_accounts.domain.today import Today
from shared.contracts.filings import (
    AboutFiling,
    AnsweredReport,
    BsaIdentifier,
    FilingAcknowledged,
    FilingError,
    FilingFiled,
    FilingForm,
    FilingPeriod,
    FilingPrepared,
    FilingReleased,
    FilingStatus,
    FilingSubject,
    FilingWithdrawn,
    PreparedReport,
)
from shared.contracts.rejection import Reason as Because
from shared.contracts.rejection import Rejected
from shared.jurisdictions import LawUnknown, Pack, past_review
from shared.jurisdictions.returns import ReturnLayout, due_on
from shared.runtime.commands.approval_subject import ApprovalSubject
from shared.runtime.filing.steps import UNSENT, FiledDocument, changes_by

_AMOUNTS: Final = ("winnings_cents", "withheld_cents", "state_withheld_cents", "local_withheld_cents")
"""The amounts of an information return."""

UNANSWERED: Final[tuple[FilingStatus, ...]] = (*UNSENT, "filed")
"""The statuses of a filing that the agency has not answered yet."""


class FilingSummary(FiledDocument):
    """A filing without its reports: form, period, status, and the person and time of each step."""

    filing: int
    form: FilingForm
    period: FilingPeriod
    period_ends: date
    file_by: date
    copy_by: date | None = None
    unconfirmed: tuple[str, ...] = ()
    report_count: int

    def named(self) -> str:
        """Return the name of the filing to use in messages, such as `filing 3 of riverside`."""
        return f"filing {self.filing} of {self.property}"


class ListedFiling(FilingSummary):
    """A filing in a list.

    `filed_again` is None unless the filing was rejected; it is true if all its rejected reports are in later filings.
    `only_amends` is true if each report amends or corrects an earlier one; `file_by` is then relevant only if the
    filing was rejected.
    """

    filed_again: bool | None = None
    only_amends: bool = False


class ReportDocument(PreparedReport):
    """A report in a filing. Once the filing is acknowledged, it has the agency's answer and the errors found."""

    accepted: bool | None = None
    bsa_id: BsaIdentifier | None = None
    errors: tuple[FilingError, ...] = ()


class FilingDocument(FilingSummary, ApprovalSubject):
    """A filing with its reports, in the order of its file."""

    reports: tuple[ReportDocument, ...]


@dataclass(frozen=True, slots=True)
class ReportedBefore:
    """A report that was neither withdrawn nor rejected, with the status of its filing."""

    kind: str
    reference: str
    period: str
    filing: int
    status: FilingStatus
    bsa_id: str | None
    account_number: str | None
    winnings_cents: int | None
    amends: str | None
    acknowledged_at: datetime | None


def period_ends(period: FilingPeriod) -> date:
    """Return the last day of a period, a gaming day or a tax year. Raises: ValueError if it is neither.

    >>> period_ends("2026")
    datetime.date(2026, 12, 31)
    """
    return date(int(period), 12, 31) if period.isdecimal() else date.fromisoformat(period)


def file_by(today: Today, form: FilingForm, period: FilingPeriod) -> date:
    """Return the last day on which a form may be filed for a period, by the property's packs.

    Raises: Rejected if no pack requires the form, or the form is not filed for this kind of period.
    """
    for law in today.place.reporting:
        rule, returned = law.currency_reports.get(form), law.returns.get(form)
        if (rule is None and returned is None) or (returned is None) == period.isdecimal():
            continue
        if returned is not None:
            return due_on(returned.file_by, int(period))
        if rule is not None and rule.file_within_days is not None:
            day = period_ends(period)
            return day + timedelta(days=rule.file_within_days.on(day).value)
    raise Rejected(Because.NOT_ALLOWED, f"no pack of {today.place.document.property} has a {form} filed of {period}")


def copy_by(today: Today, form: FilingForm, period: FilingPeriod) -> date | None:
    """Return the day by which recipients must have a copy; None for a form without recipient copies."""
    found = (law.returns[form].copy_by for law in today.place.reporting if form in law.returns)
    return next((due_on(rule, int(period)) for rule in found), None)


def unreviewed(laws: Sequence[Pack], form: FilingForm, period: FilingPeriod) -> tuple[str, ...]:
    """Return the locations, in the packs, of the filing's legal values whose review is overdue when the period ends."""
    day = period_ends(period)
    return tuple(
        place
        for law in laws
        for name, part in (
            ("reportable_winnings", {key: one for key, one in law.reportable_winnings.items() if one.form == form}),
            ("currency_reports", {key: one for key, one in law.currency_reports.items() if key == form}),
            ("returns", {key: one for key, one in law.returns.items() if key == form}),
        )
        for place, _ in past_review(part, name, day)
    )


def layout_of(laws: Sequence[Pack], form: FilingForm, period: FilingPeriod) -> ReturnLayout:
    """Return the file layout of an information return. Raises: Rejected if no pack has a layout for the tax year."""
    for law in laws:
        if form in law.returns:
            with suppress(LawUnknown):
                return law.returns[form].layout.on(period_ends(period)).value
    raise Rejected(Because.NOT_ALLOWED, f"no pack has a layout of {form} for {period}")


def require_reviewed(places: Sequence[str], *, told: bool) -> None:
    """Raise Rejected if the review of legal values is overdue, unless the caller accepts the values (`told`)."""
    if places and not told:
        detail = f"law changes {', '.join(places)} each year, and no value was confirmed since its review was due"
        raise Rejected(Because.NOT_ALLOWED, f"{detail}: confirm it in the pack, or say 'unconfirmed'")


def require_ended(today: Today, form: FilingForm, period: FilingPeriod) -> None:
    """Raise Rejected unless the period has ended, because its figures are not final before.

    A return that covers one form, not all forms of a recipient in the year, may be filed earlier.
    """
    ends, place = period_ends(period), today.place
    returned = [law.returns[form].returned for law in place.reporting if form in law.returns]
    if ends < today.gaming_day or any(rule.on(ends).value == "each_form" for rule in returned):
        return
    what = f"{'tax year' if period.isdecimal() else 'gaming day'} {period} of {place.document.property}"
    until = place.clock_text(place.begins_at(ends + timedelta(days=1)))
    detail = f"{what} runs until {until}: what persons move or win adds up until then; prepare the file afterwards"
    raise Rejected(Because.TOO_EARLY, detail)


def require_filer(today: Today, reports: Sequence[ReportInFile]) -> None:
    """Raise Rejected if a report, unless it corrects a return, does not name the filer of the property's document.

    A corrected return, and the new one beside it, name the payer as the return was sent.
    """
    filer = today.place.document.filer
    corrected = {one.account_number for one in reports if one.corrected}
    for number, report in enumerate(reports, start=1):
        ein = report.filer_ein
        if filer is not None and report.account_number not in corrected and ein != filer.ein:
            detail = f"report {number} of the file is filed by {f'EIN {ein}' if ein else 'no EIN'}, and the filer of"
            raise Rejected(Because.CONTRADICTS, f"{detail} {today.place.document.property} has {filer.ein}")


def prepared_reports(
    subjects: Sequence[FilingSubject],
    period: FilingPeriod,
    found: Sequence[ReportInFile],
    standing: Sequence[ReportedBefore],
) -> tuple[PreparedReport, ...]:
    """Return the reports of a file, each with the person that it is about.

    `standing` has the reports of the period that were neither withdrawn nor rejected, and the reports that the file
    amends. Raises: Rejected if the file does not match the subjects or the period, or if it reports a person and period
    again without amending the report accepted last.
    """
    if len(found) != len(subjects):
        raise Rejected(Because.CONTRADICTS, f"the file has {len(found)} reports, of {len(subjects)} persons said")
    for number, report in enumerate(found, start=1):
        if report.period != period:
            detail = f"report {number} of the file is of {report.period}, not {period}"
            raise Rejected(Because.CONTRADICTS, detail)
        least, most = report.people
        if not least <= (named := len(subjects[number - 1].patrons()) or 1) <= most:
            detail = f"report {number} of the file has {least} to {most} persons, of {named} said"
            raise Rejected(
                Because.CONTRADICTS,
                f"{detail}: say 'with_others' whom it names beside {subjects[number - 1].reference}",
            )
    made = list(zip(subjects, found, range(1, len(found) + 1), strict=True))
    if period.isdecimal():
        return tuple(_returns(made, standing))
    if len({(one.kind, one.reference) for one in subjects}) < len(subjects):
        raise Rejected(Because.CONTRADICTS, "somebody is reported twice in the file")
    amended = [report.amends for report in found if report.amends is not None]
    if twice := {one for one in amended if amended.count(one) > 1}:
        raise Rejected(Because.CONTRADICTS, f"two reports amend {min(twice)}")
    return tuple(_report_or_amendment(*one, period, standing) for one in made)


def _prepared(subject: FilingSubject, report: ReportInFile, number: int, **more: Any) -> PreparedReport:
    return PreparedReport(
        kind=subject.kind,
        reference=subject.reference,
        with_others=subject.with_others,
        basis=subject.basis,
        report=number,
        **{
            name: getattr(report, name)
            for name in ("in_dollars", "out_dollars", "lines_sha256", *_AMOUNTS, "account_number", "amends")
        },
        **more,
    )


def _returns(
    made: Sequence[tuple[FilingSubject, ReportInFile, int]], standing: Sequence[ReportedBefore]
) -> Iterator[PreparedReport]:
    """Yield the information returns of a file.

    An accepted return is corrected by one return, or by two consecutive returns: a correction without amounts, and a
    new return.
    """
    last = {one.account_number: one for one in standing}
    seen: set[str | None] = set()
    for account_number, group in groupby(made, key=lambda one: one[1].account_number):
        returns = list(group)
        is_corrected = [report.corrected for _, report, _ in returns]
        if account_number in seen or is_corrected not in ([False], [True], [True, False]):
            raise Rejected(Because.CONTRADICTS, f"return {account_number} is twice in the file")
        if len(returns) > 1 and any(getattr(returns[0][1], name) for name in _AMOUNTS):
            detail = f"return {account_number}: what is replaced by a new return is corrected to nothing"
            raise Rejected(Because.CONTRADICTS, detail)
        seen.add(account_number)
        before = last.get(account_number)
        if is_corrected[0]:
            if before is None:
                raise Rejected(Because.CONTRADICTS, f"no return {account_number} was sent that could be corrected")
            _require_answered(f"return {account_number}", before)
        elif before is not None:
            _require_answered(f"return {account_number}", before)
            if before.winnings_cents:  # what was corrected to nothing may be returned anew
                detail = f"return {account_number} was accepted in filing {before.filing}"
                raise Rejected(Because.ALREADY_DECIDED, f"{detail}: correct it instead of returning it again")
        for subject, report, number in returns:
            if subject.kind != "patron" or (before is not None and before.reference != subject.reference):
                raise Rejected(Because.CONTRADICTS, f"return {account_number} is not about {subject.reference}")
            corrects = before.filing if before is not None and report.corrected else None
            yield _prepared(subject, report, number, corrects=corrects)


def _report_or_amendment(
    subject: FilingSubject,
    report: ReportInFile,
    number: int,
    period: FilingPeriod,
    standing: Sequence[ReportedBefore],
) -> PreparedReport:
    """Return a report on a person's gaming day, or an amendment of the report accepted last.

    A first report on a person may amend a report of the same day on the entry of an unidentified person (who may be
    this person), or on an agent or principal named with this person. It may also amend an unknown identifier, of a
    report filed before this system was in use.

    Raises: Rejected for a further report that does not amend the one accepted last, for an amendment of another
    person's report, and for an amendment of a report that another subject's report already amends.
    """
    of_subject, amends = _about(subject, period, standing), report.amends
    own = _not_taken_over(of_subject, standing)
    last = _last_answered(subject, period, own)
    if amends is None:
        if last is not None:
            detail = f"{_named(subject, period)} was accepted as {last.bsa_id} in filing {last.filing}"
            raise Rejected(Because.ALREADY_DECIDED, f"{detail}: amend it by that identifier")
        return _prepared(subject, report, number)
    other = next((one for one in standing if one.bsa_id == amends and one not in own), None)
    if other is not None and other not in of_subject and not (other.period == period and _may_amend(subject, other)):
        detail = f"{amends} is the report of {other.kind} {other.reference} of {other.period}"
        raise Rejected(Because.CONTRADICTS, f"{detail}, not of {subject.kind} {subject.reference}")
    whose = subject if own or other is None else other
    before = _about(whose, period, standing)
    for one in standing:
        if one.amends == amends and one not in before and one not in own:
            detail = f"{amends} is amended by the report of {one.kind} {one.reference} in filing {one.filing}"
            raise Rejected(Because.ALREADY_DECIDED, f"{detail}: withdraw that filing, or amend what was accepted last")
    last = _last_answered(whose, period, before)
    if last is not None and amends != last.bsa_id:
        detail = f"{_named(whose, period)} was last accepted as {last.bsa_id}, in filing {last.filing}"
        raise Rejected(Because.CONTRADICTS, f"{detail}: amend that one, not {amends}")
    return _prepared(subject, report, number, corrects=None if other is None else other.filing)


def _may_amend(subject: FilingSubject, other: ReportedBefore) -> bool:
    return other.kind == "entry" or other.reference in (subject.with_others or ())


def _not_taken_over(own: Sequence[ReportedBefore], standing: Sequence[ReportedBefore]) -> list[ReportedBefore]:
    """Return a subject's reports, except those that an accepted report on another subject amends."""
    taken = {one.amends for one in standing if one not in own and one.bsa_id is not None}
    return [one for one in own if one.bsa_id is None or one.bsa_id not in taken]


def _about(
    subject: FilingSubject | ReportedBefore | ReportDocument, period: FilingPeriod, reports: Sequence[ReportedBefore]
) -> list[ReportedBefore]:
    """Return the reports on a subject and period."""
    key = (subject.kind, subject.reference, period)
    return [one for one in reports if (one.kind, one.reference, one.period) == key]


def _last_answered(
    subject: FilingSubject | ReportedBefore, period: FilingPeriod, own: Sequence[ReportedBefore]
) -> ReportedBefore | None:
    """Return a subject's last report of a period, or None. Raises: Rejected if one of the reports is unanswered."""
    for one in own:
        _require_answered(_named(subject, period), one)
    return own[-1] if own else None


def _named(subject: FilingSubject | ReportedBefore | ReportDocument, period: FilingPeriod) -> str:
    return f"the report of {subject.kind} {subject.reference} for {period}"


def _require_answered(report: str, before: ReportedBefore) -> None:
    """Raise Rejected while the agency has not answered the filing that contains a report."""
    if before.status in UNANSWERED:
        way = "withdraw that filing" if before.status in UNSENT else "record its acknowledgement first"
        detail = f"{report} is in filing {before.filing}, which is {before.status}"
        raise Rejected(Because.ALREADY_DECIDED, f"{detail}: {way}")


def require_still_follows(filing: FilingDocument, others: Sequence[ReportedBefore]) -> None:
    """Raise Rejected if a report no longer amends, or a return no longer corrects, the one accepted last.

    That can happen because the recorded answer to an earlier filing may have been corrected since this filing was
    prepared. `others` are the reports of the period in other filings that were neither withdrawn nor rejected.
    """
    accepted = [one for one in others if one.status in ("accepted", "rejected")]
    seen: set[str] = set()
    for report in filing.reports:
        if report.account_number is None:
            found = _misnamed(report, filing.period, accepted)
        elif report.account_number not in seen:
            seen.add(report.account_number)
            found = _miscorrected(report, accepted)
        else:
            continue  # the new return beside one that was corrected to nothing
        if found:
            raise Rejected(Because.CONTRADICTS, f"{filing.named()}: {found}: withdraw it, and prepare it again")


def names_filer_of_today(filing: FilingDocument) -> bool:
    """Return whether the file names the filer of the day on which it was prepared; corrections name that of the return.

    The new return beside one that is corrected to nothing has the same account number, and the same payer.
    """
    corrected = {one.account_number for one in filing.reports if one.corrects is not None}
    return filing.form == "ctr" or any(one.account_number not in corrected for one in filing.reports)


def require_same_identities(filing: FilingDocument, changed: Sequence[str]) -> None:
    """Raise Rejected if identities in the file are out of date; `changed` has the references with a later change."""
    if changed:
        detail = f"the identity of {', '.join(changed)} was recorded or erased after {filing.named()} was prepared"
        raise Rejected(Because.CONTRADICTS, f"{detail}: withdraw it, and prepare it again")


def _misnamed(report: ReportDocument, period: FilingPeriod, accepted: Sequence[ReportedBefore]) -> str:
    own, who = _not_taken_over(_about(report, period, accepted), accepted), _named(report, period)
    if report.corrects is not None and not any(
        (one.filing, one.bsa_id) == (report.corrects, report.amends) for one in accepted
    ):
        return f"{who} amends {report.amends}, which is not accepted any more in filing {report.corrects}"
    if not own or report.amends == own[-1].bsa_id:
        return ""
    last = f"and {own[-1].bsa_id} was accepted last, in filing {own[-1].filing}"
    return f"{who} amends {report.amends or 'nothing'}, {last}"


def _miscorrected(report: ReportDocument, accepted: Sequence[ReportedBefore]) -> str:
    own = [one for one in accepted if one.account_number == report.account_number]
    last = own[-1] if own else None
    number = f"return {report.account_number}"
    if report.corrects is None:
        is_anew = last is None or not last.winnings_cents  # what was corrected to nothing may be returned anew
        return "" if last is None or is_anew else f"{number} is new, and one was accepted in filing {last.filing}"
    if last is None:
        return f"{number} corrects that of filing {report.corrects}, which is not accepted any more"
    said = f"{number} corrects that of filing {report.corrects}, and the one of filing {last.filing} was accepted last"
    return "" if last.filing == report.corrects else said


def require_each_answered(
    filing: FilingDocument, accepted: bool, reports: Sequence[AnsweredReport], *, every: bool
) -> None:
    """Raise Rejected unless an acknowledgement lists all reports of this filing.

    It may instead list none, unless `every` is true. If the file was rejected, no report may be accepted.
    """
    numbers = [one.report for one in reports]
    if (every or reports) and numbers != [one.report for one in filing.reports]:
        listed = ", ".join(map(str, numbers)) or "none"
        detail = f"an acknowledgement lists all reports in their order: filing {filing.filing} has 1 to"
        raise Rejected(Because.CONTRADICTS, f"{detail} {filing.report_count}, and this one lists {listed}")
    if not accepted and any(one.accepted for one in reports):
        raise Rejected(Because.CONTRADICTS, "no report of a rejected file is accepted")
    for one in reports:
        if (one.bsa_id is not None) != (one.accepted and filing.form == "ctr"):
            detail = f"report {one.report}: what FinCEN accepts has an identifier, and nothing else has"
            raise Rejected(Because.CONTRADICTS, detail)
    given = [one.bsa_id for one in reports if one.bsa_id is not None]
    if len(set(given)) < len(given):
        raise Rejected(Because.CONTRADICTS, "two reports have the same identifier: FinCEN gives each one of its own")


def changes(fact: AboutFiling, at: datetime) -> dict[str, Any]:
    """Return the values of the fields of a filing that a fact changes; `at` is the time of its recording."""
    match fact:
        case FilingReleased() | FilingFiled() | FilingWithdrawn():
            return changes_by(fact, fact.by, at)
        case FilingAcknowledged():
            whole = fact.accepted and all(one.accepted for one in fact.reports)
            return {
                "status": "accepted" if whole else "rejected",
                "acknowledged_by": fact.by,
                "acknowledged_at": at,
                "errors": fact.errors,
            }
        case _:
            raise AssertionError(f"{fact.KIND.name} begins a filing")


def begun(fact: FilingPrepared, at: datetime) -> FilingDocument:
    """Return the filing that a fact prepares, with the moment of its recording."""
    return FilingDocument(
        property=fact.property,
        filing=fact.filing,
        form=fact.form,
        period=fact.period,
        period_ends=period_ends(fact.period),
        file_by=fact.file_by,
        copy_by=fact.copy_by,
        unconfirmed=fact.unconfirmed,
        status="prepared",
        report_count=len(fact.reports),
        content_sha256=fact.content_sha256,
        content_bytes=fact.content_bytes,
        prepared_by=fact.by,
        prepared_at=at,
        reports=tuple(ReportDocument(**dict(one)) for one in fact.reports),
    )


def after(filing: FilingDocument, fact: AboutFiling, at: datetime) -> FilingDocument:
    """Return a filing with the changes that a fact makes to it."""
    changed = changes(fact, at)
    if isinstance(fact, FilingAcknowledged):
        answers = {one.report: one for one in fact.reports}
        changed["reports"] = tuple(
            one.model_copy(update={"accepted": answer.accepted, "bsa_id": answer.bsa_id, "errors": answer.errors})
            if (answer := answers.get(one.report))
            else one
            for one in filing.reports
        )
    return filing.model_copy(update=changed)
