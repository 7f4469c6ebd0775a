"""The filing status of each person's reportable gaming day, and whether the filed amounts are still correct."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from services.reporting.domain.federal.currency import CashMovement, CurrencyTotal, dollars_of
from services.reporting.framework.document import Column, Section
from services.reporting.framework.figures import Cell
from services.reporting.read_model.filings import AMENDMENT, LATE, REJECTED, STEPS, FilingSteps
from services.reporting.read_model.reading import Books
from services.reporting.reports.currency.sections import DAY, FORM, PERSON, REPORTED_WITH
from shared.contracts.cage import Direction
from shared.contracts.currency_lines import digest_of_moved
from shared.contracts.filings import FilingSubject, PreparedReport
from shared.jurisdictions import Pack
from shared.runtime.filing.steps import UNSENT

FILED: Final = Section(
    name="filed",
    title="Filing status of reportable totals",
    key=("form", "gaming_day", "person", "entry"),
    columns=(
        FORM,
        DAY,
        PERSON,
        REPORTED_WITH,
        Column(name="entry", title="First entry"),
        Column(
            name="in_cents",
            title="Currency in",
            unit="cents",
            formula="as a report would now state it, in whole dollars",
        ),
        Column(
            name="out_cents",
            title="Currency out",
            unit="cents",
            formula="as a report would now state it, in whole dollars",
        ),
        Column(name="file_by", title="File by", unit="day"),
        Column(
            name="filing",
            title="Filing",
            formula=(
                "the latest filing of the report that was sent; if none was sent, the latest one that was not withdrawn"
            ),
        ),
        Column(
            name="status",
            title="Status",
            formula=(
                "due: not in any filing; accepted or rejected: FinCEN's answer; to_correct: sent, but amounts, lines, "
                "agents, principals or the person have changed since, an unidentified person has been identified, or "
                "it names another identifier than that of the previous report; to_withdraw: prepared but not sent "
                "(the report or a later amendment), and amounts, lines, agents, principals or the identifier that it "
                "names have changed, or another person's report now contains the whole amount"
            ),
        ),
        Column(
            name="why",
            title="Why it is no longer correct",
            formula="of the unsent amendment; if there is none, of the report",
        ),
        Column(
            name="filed_entry",
            title="Entry, as filed",
            formula="of an unidentified person's report that this person's report is to amend",
        ),
        Column(name="filed_in_cents", title="Currency in, as filed", unit="cents"),
        Column(name="filed_out_cents", title="Currency out, as filed", unit="cents"),
        Column(
            name="late",
            title="Late",
            formula=(
                "late: not sent by the due date, or sent after it; not prepared: no filing three days before the due "
                "date or later; for amendments that were not rejected, the date of the first report counts"
            ),
        ),
        *STEPS,
        Column(name="bsa_id", title="BSA identifier"),
        AMENDMENT,
        Column(name="amended_in_cents", title="Currency in, as amended", unit="cents"),
        Column(name="amended_out_cents", title="Currency out, as amended", unit="cents"),
        REJECTED,
    ),
)


NOT_PREPARED: Final = "not prepared"
UNPREPARED: Final = (LATE, NOT_PREPARED)
"""The remarks on a report without a filing, once filing is urgent."""

CHANGED: Final = ("to_correct", "to_withdraw")
"""The statuses of a filed report whose amounts no longer hold."""

MARGIN: Final = timedelta(days=3)
"""How long before the deadline a file should be prepared: the property's choice, not law."""

_ACCOUNT: Final = "account "
_Dollars = dict[Direction, int]


class _Now(NamedTuple):
    """The current content of a report: amounts in whole dollars, agents and principals, and a digest of its lines."""

    dollars: _Dollars
    others: frozenset[str]
    lines_sha256: str


class PersonsDay(NamedTuple):
    """The key of a currency report: name of the form, gaming day, and person (or unidentified person's entry)."""

    report: str
    gaming_day: date
    subject: FilingSubject

    @property
    def person(self) -> str:
        """Return the person as named in the currency report."""
        match self.subject.kind:
            case "entry":
                return "unknown"
            case "account":
                return f"{_ACCOUNT}{self.subject.reference}"
            case _:
                return self.subject.reference


@dataclass(frozen=True, slots=True)
class FiledReport:
    """A report in a filing that was not withdrawn.

    `amendment` is a later report of the same day that was not sent. `rejected` is a later report that was rejected and
    has not been filed again. `prior` is the previously sent report of the same day. If another person's report is to
    amend this one, `of_another` is the person, or the unidentified person's entry, about whom it was sent.
    """

    steps: FilingSteps
    report: PreparedReport
    amendment: "FiledReport | None" = None
    rejected: "FiledReport | None" = None
    prior: "FiledReport | None" = None
    of_another: FilingSubject | None = None

    @property
    def first(self) -> "FiledReport":
        """Return the first report of the day that was sent, to which the deadline applies; else this report."""
        return self if self.prior is None else self.prior.first

    @property
    def is_sent(self) -> bool:
        """Return whether the report was sent to the agency and not rejected."""
        return self.status in ("filed", "accepted")

    @property
    def status(self) -> str:
        """Return the status of the report in its filing."""
        return self.steps.status_of(self.report.report)

    @property
    def bsa_id(self) -> str | None:
        """Return FinCEN's identifier of the report (BSA identifier); None if the report was not accepted."""
        answer = self.steps.answers.get(self.report.report)
        return None if answer is None else answer.bsa_id

    @property
    def dollars(self) -> _Dollars:
        """Return the filed amounts in whole dollars, keyed by direction (in, out)."""
        return {"in": self.report.in_dollars or 0, "out": self.report.out_dollars or 0}

    @property
    def is_amended_next(self) -> bool:
        """Return whether the day's next report is an amendment: this report was sent, or is an amendment itself."""
        return self.is_sent or self.report.amends is not None

    def misnames(self, prior: "FiledReport | None") -> str:
        """Return an error text with both identifiers if the report does not amend `prior`; empty if it does.

        If no earlier report was accepted, any identifier may be amended, because it may precede this system.
        """
        last = None if prior is None else prior.bsa_id
        if last in (None, self.report.amends):
            return ""
        return f"it amends {self.report.amends or 'nothing'}, and {last} was accepted before it"


@dataclass(frozen=True, slots=True)
class Moved:
    """A person's currency on a gaming day: form, totals in and out, and the person whose report includes them."""

    form: str
    totals: Sequence[CurrencyTotal]
    reported_with: str = ""

    @property
    def reached(self) -> Sequence[CurrencyTotal]:
        """Return the totals that must be reported."""
        return [one for one in self.totals if one.standing == "reached"]

    def on_report(self, filed: FiledReport | None) -> Sequence[CurrencyTotal]:
        """Return the totals that a report of this person's gaming day would contain now.

        An amendment has a total for each direction (in, out) of the filed report, even below the threshold. A report
        that was not sent and amends nothing has totals below the threshold only if no total must be reported.
        """
        if filed is None or (self.reached and not filed.is_amended_next):
            return self.reached
        return [one for one in self.totals if one.standing == "reached" or filed.dollars[one.first.direction]]


def persons_day(total: CurrencyTotal) -> PersonsDay:
    """Return the key of the report to which a total belongs: form, gaming day and person."""
    one = total.first
    unknown = FilingSubject(kind="entry", reference=one.reference)
    subject = unknown if one.patron is None else _of_person(one.patron)
    return PersonsDay(total.held.report, total.held.gaming_day, subject)


def _of_person(person: str) -> FilingSubject:
    if person.startswith(_ACCOUNT):
        return FilingSubject(kind="account", reference=person.removeprefix(_ACCOUNT))
    return FilingSubject(kind="patron", reference=person)


def filed_reports(
    filings: Iterable[FilingSteps], reports: Iterable[str], first: date, last: date
) -> dict[PersonsDay, FiledReport]:
    """Return the current report for each person and gaming day between two days, inclusive, without withdrawn filings.

    The current report is the last one that was sent and not rejected; a later report is its `amendment` if unsent, or
    its `rejected` report if rejected. If none was sent, the current report is the last one prepared. A rejected report
    is current only if there is no other.

    A report about another person, or about an unidentified person's entry, is attributed to the person whose report
    amends it.
    """
    names = frozenset(reports)
    sent, unsent, rejected = (dict[PersonsDay, FiledReport]() for _ in range(3))
    for one in filings:
        prepared = one.prepared
        if prepared.form in names and first <= (day := date.fromisoformat(prepared.period)) <= last:
            for report in prepared.reports:
                subject = FilingSubject(kind=report.kind, reference=report.reference)
                key, filed = PersonsDay(prepared.form, day, subject), FiledReport(one, report)
                found = rejected if not _stands(filed) else unsent if filed.status in UNSENT else sent
                if found is sent and (other := _amended_of_another(key, filed, sent)) is not None:
                    sent[key] = sent.pop(other)
                found[key] = replace(filed, prior=sent.get(key)) if found is sent else filed
    for later in (rejected, unsent):
        for key, filed in later.items():
            if (other := _amended_of_another(key, filed, sent)) is not None:
                found_sent = sent.pop(other)
                sent[key] = replace(found_sent, of_another=found_sent.of_another or other.subject)
    reported = rejected | unsent
    for key, report_sent in sent.items():
        refused = None if key in unsent else rejected.get(key)
        if refused is not None and refused.steps.prepared.filing < report_sent.steps.prepared.filing:
            refused = None
        reported[key] = replace(report_sent, amendment=unsent.get(key), rejected=refused)
    return reported


def _amended_of_another(
    key: PersonsDay, filed: FiledReport, sent: Mapping[PersonsDay, FiledReport]
) -> PersonsDay | None:
    """Return the key of the accepted report, about another person or an unidentified one, that this report amends."""
    if key in sent or filed.report.amends is None:
        return None
    of_day = (
        other
        for other, one in sent.items()
        if other._replace(subject=key.subject) == key and one.bsa_id == filed.report.amends
    )
    return next(of_day, None)


def moved_days(judged: Iterable[tuple[str, CurrencyTotal, str]]) -> dict[PersonsDay, Moved]:
    """Return totals keyed by person and gaming day; `judged` are (form, total, person whose report contains it)."""
    found: dict[PersonsDay, Moved] = {}
    for form, total, reported_with in judged:
        key = persons_day(total)
        before = found.get(key)
        found[key] = Moved(form, (*(before.totals if before else ()), total), reported_with)
    return found


def sent_days(filed: Mapping[PersonsDay, FiledReport], report: str) -> set[tuple[str, date]]:
    """Return the (person, gaming day) pairs for which a report was sent."""
    return {(key.person, key.gaming_day) for key, one in filed.items() if key.report == report and one.is_sent}


def amended_by_others(
    moved: Mapping[PersonsDay, Moved], filed: Mapping[PersonsDay, FiledReport]
) -> tuple[dict[PersonsDay, Moved], dict[PersonsDay, FiledReport]]:
    """Attribute each sent report to the person whose report now contains all of its transactions.

    That person's report then amends the sent report, so that no money is reported twice. If the person's own report was
    sent as well, the other report's totals become empty. Return the changed currency and reports.
    """
    left, reports = dict(moved), dict(filed)
    for key, one in moved.items():
        found = reports.get(key)
        if one.reported_with and found is not None and found.is_sent:
            whole = key._replace(subject=_of_person(one.reported_with))
            own = reports.get(whole)
            if own is not None and own.is_sent:
                left[key] = replace(one, totals=())
                continue
            rejected = None if own is None or _stands(own) else own
            unsent = found.amendment if own is None or rejected else own
            reports[whole] = replace(reports.pop(key), amendment=unsent, rejected=rejected, of_another=key.subject)
    return left, reports


def filed_rows(
    books: Books, law: Pack, moved: Mapping[PersonsDay, Moved], filed: Mapping[PersonsDay, FiledReport]
) -> list[dict[str, Any]]:
    """Return a row for each person and gaming day that must be reported; in and out are one report.

    A filed report that is no longer required also has a row, unless it was rejected.
    """
    today = books.place.gaming_day(books.question.known_at)
    rows = []
    for key, one in moved.items():
        if one.reached or _stands(filed.get(key)):
            rows.append(_row(books, key, one, _reporting(key, one, moved, filed), today))
    for key, found in filed.items():
        if key not in moved and key.report in law.currency_reports and _stands(found):
            said = law.forms[law.currency_reports[key.report].form].on(key.gaming_day).value
            nothing = Moved(said.number or said.title, ())
            rows.append(_row(books, key, nothing, _Reporting(key, nothing, found), today))
    return rows


def _stands(filed: FiledReport | None) -> bool:
    return filed is not None and filed.status != "rejected"


class _Reporting(NamedTuple):
    """The report that covers a person's gaming day: its key, its currency, and the filed report, if any."""

    key: PersonsDay
    moved: Moved
    found: FiledReport | None


def _reporting(
    key: PersonsDay, one: Moved, moved: Mapping[PersonsDay, Moved], filed: Mapping[PersonsDay, FiledReport]
) -> _Reporting:
    """Return the report that covers a person's gaming day: the person's own, else the one that contains it."""
    whole = key._replace(subject=_of_person(one.reported_with)) if one.reported_with else key
    if whole == key or _stands(filed.get(key)):
        return _Reporting(key, one, filed.get(key))
    return _Reporting(whole, moved[whole], filed.get(whole))


def _row(books: Books, key: PersonsDay, one: Moved, reporting: _Reporting, today: date) -> dict[str, Any]:
    whole, found = reporting.moved, reporting.found
    totals = whole.on_report(found)
    dollars: _Dollars = {"in": 0, "out": 0}
    for total in totals:
        dollars[total.first.direction] += dollars_of(total)
    movements = [entry.movement for total in totals for entry in total.entries]
    now = _Now(dollars, _others(reporting.key, movements), digest_of_moved(reporting.key.person, movements))
    file_by = next((total.file_by for total in whole.reached), None if found is None else found.steps.prepared.file_by)
    row = {
        "form": one.form,
        "gaming_day": key.gaming_day,
        "person": key.person,
        "entry": key.subject.reference if key.subject.kind == "entry" else "",
        "reported_with": "" if whole is one else one.reported_with,
        "in_cents": dollars["in"] * 100,
        "out_cents": dollars["out"] * 100,
        "file_by": file_by,
    }
    if found is None:
        return row | {"status": "due", "late": _urgency(file_by, today)}
    steps, later = found.steps, found.amendment
    status, why = _status(whole, now, found)
    again = found if status == "rejected" else found.rejected if status == "to_correct" else None
    initial = (one for one in (found.first, later) if one is not None and one.report.amends is None)
    dated = (*initial, *((again,) if again else ()))
    return row | {
        **dict(steps.steps()),
        "status": Cell(status, (*steps.entries, *(later.steps.entries if later else ()))),
        "why": why,
        "filed_entry": found.of_another.reference if found.of_another and found.of_another.kind == "entry" else "",
        "filed_in_cents": found.dollars["in"] * 100,
        "filed_out_cents": found.dollars["out"] * 100,
        "late": next(filter(None, (one.steps.lateness(one.status, file_by, today, books) for one in dated)), ""),
        "bsa_id": found.bsa_id,
        **(_amended(later) if later else {}),
        **dict(again.steps.as_rejected() if again else ()),
    }


def _amended(later: FiledReport) -> dict[str, Any]:
    """Return the cells of an amendment that was not sent: its filing and its amounts."""
    cents = {f"amended_{way}_cents": dollars * 100 for way, dollars in later.dollars.items()}
    return dict(later.steps.as_amendment()) | cents


def _others(key: PersonsDay, movements: Iterable[CashMovement]) -> frozenset[str]:
    """Return the agents and principals that a patron's report names; empty for an unidentified person's report."""
    if key.subject.kind != "patron":
        return frozenset()
    named = {name for one in movements for name in (one.conductor, *one.on_behalf_of) if name is not None}
    return frozenset(named - {key.person})


def _status(whole: Moved, now: _Now, found: FiledReport) -> tuple[str, str]:
    """Return the status of a report whose current content is `now`, and why the report or its amendment is wrong."""
    later = found.amendment
    if later is not None and (why := _changed(now, later, found)):
        return "to_withdraw", why
    if found.status == "rejected":
        return found.status, ""
    why = _changed(now, found, found.prior)
    if found.of_another is not None:
        why = "; ".join(filter(None, (why, f"it is of {found.of_another.kind} {found.of_another.reference}")))
    if not why and not whole.reached and found.report.amends is None:
        why = "it need not be reported"
    is_redundant = not found.is_amended_next if whole.totals else bool(why)
    if whole.reported_with and is_redundant:
        why = f"all of it is in the report of {whole.reported_with}"
    if not why:
        return found.status, ""
    return "to_withdraw" if found.status in UNSENT else "to_correct", why


def _changed(now: _Now, one: FiledReport, prior: FiledReport | None) -> str:
    """Return in words why a report is wrong; empty if its content, and the identifier that it amends, are right."""
    wrong = ["other amounts hold now"] if now.dollars != one.dollars else []
    named = frozenset(one.report.with_others or ())
    for verb, others in (("does not name", now.others - named), ("should not name", named - now.others)):
        wrong += [f"it {verb} {', '.join(sorted(others))}"] if others else []
    filed = one.report.lines_sha256
    if not wrong and one.of_another is None and filed not in (None, now.lines_sha256):
        wrong = ["other types of transaction, purposes, countries or parts of persons hold now"]
    return "; ".join(filter(None, (*wrong, one.misnames(prior))))


def _urgency(file_by: date | None, today: date) -> str:
    """Return the remark on a report for which no file was prepared: late, not prepared, or empty if not urgent."""
    if file_by is None or today < file_by - MARGIN:
        return ""
    return LATE if file_by < today else NOT_PREPARED
