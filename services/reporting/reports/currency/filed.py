"""What became of what is to be reported: the filing of each person's gaming day, or that there is none."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, Final

from services.reporting.domain.federal.currency import CurrencyTotal
from services.reporting.framework.document import Column, Section
from services.reporting.framework.figures import Cell, EntryRef
from services.reporting.read_model.reading import Books
from services.reporting.reports.currency.sections import DAY, FORM, PERSON
from shared.contracts.filings import (
    AboutFiling,
    FilingAcknowledged,
    FilingFiled,
    FilingPrepared,
    FilingReleased,
    FilingSubject,
    FilingWithdrawn,
)

FILINGS: Final = (FilingPrepared, FilingReleased, FilingFiled, FilingAcknowledged, FilingWithdrawn)
"""The facts about filings."""

FILED: Final = Section(
    name="filed",
    title="What became of what is to be reported",
    key=("form", "gaming_day", "person", "entry"),
    columns=(
        FORM,
        DAY,
        PERSON,
        Column(name="entry", title="First entry"),
        Column(name="file_by", title="File by", unit="day"),
        Column(name="filing", title="Filing", formula="the last one of it that was not withdrawn"),
        Column(
            name="status",
            title="Status",
            formula="due while there is no filing; accepted or rejected as FinCEN answered of this report",
        ),
        Column(
            name="late",
            title="Late",
            formula="not sent by the last day, or sent after it; not prepared, within three days of the last day",
        ),
        Column(name="prepared_by", title="Prepared by"),
        Column(name="released_by", title="Released by"),
        Column(name="filed_by", title="Filed by"),
        Column(name="filed_at", title="Filed", unit="moment"),
        Column(name="bsa_id", title="BSA identifier"),
    ),
)


LATE: Final = "late"
NOT_PREPARED: Final = "not prepared"
UNPREPARED: Final = (LATE, NOT_PREPARED)
"""What is said of a report that has no filing, once that is urgent."""

MARGIN: Final = timedelta(days=3)
"""How long before the last day a file should be there: the property's choice, not law."""


@dataclass(frozen=True, slots=True)
class _Filing:
    """A filing with the entries about it; `identifiers` are by the number of the report."""

    prepared: FilingPrepared
    entries: tuple[EntryRef, ...]
    status: str = "prepared"
    released_by: str | None = None
    filed_by: str | None = None
    filed_at: datetime | None = None
    identifiers: dict[int, str | None] = field(default_factory=dict)

    def after(self, fact: AboutFiling, entry: EntryRef) -> "_Filing":
        """Return the filing after another fact about it."""
        known = replace(self, entries=(*self.entries, entry))
        match fact:
            case FilingReleased():
                return replace(known, status="released", released_by=fact.by)
            case FilingFiled():
                return replace(known, status="filed", filed_by=fact.by, filed_at=fact.filed_at)
            case FilingAcknowledged():
                return replace(known, status="answered", identifiers={one.report: one.bsa_id for one in fact.reports})
            case _:
                return replace(known, status="withdrawn")


async def filed_rows(books: Books, reached: Iterable[tuple[str, CurrencyTotal]]) -> list[dict[str, Any]]:
    """Return what became of each reportable total, given with its form; in and out of a person are one report."""
    filings: dict[int, _Filing] = {}
    for listed in await books.facts(*FILINGS, last=date.max):
        fact = listed.fact
        if isinstance(fact, FilingPrepared):
            filings[fact.filing] = _Filing(fact, (listed.entry,))
        elif fact.filing in filings:  # of another period, it was prepared before
            filings[fact.filing] = filings[fact.filing].after(fact, listed.entry)
    by_subject = {
        (one.prepared.reported_day, report.kind, report.reference): (one, report.report)
        for one in filings.values()
        if one.status != "withdrawn"
        for report in one.prepared.reports
    }
    today = books.place.gaming_day(books.question.known_at)
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for form, total in reached:
        subject = _subject(total)
        entry = subject.reference if subject.kind == "entry" else ""
        key = (form, total.held.gaming_day, total.first.patron, entry)
        if key not in rows:
            found = by_subject.get((total.held.gaming_day, subject.kind, subject.reference))
            rows[key] = {
                "form": form,
                "gaming_day": total.held.gaming_day,
                "person": total.first.patron or "unknown",
                "entry": entry,
                "file_by": total.file_by,
            } | dict(_became(found, total.file_by, today, books))
    return list(rows.values())


def _subject(total: CurrencyTotal) -> FilingSubject:
    """Return whom a total is about, as filings name it."""
    person = total.first.patron
    if person is None:
        return FilingSubject(kind="entry", reference=total.first.reference)
    if person.startswith("account "):
        return FilingSubject(kind="account", reference=person.removeprefix("account "))
    return FilingSubject(kind="patron", reference=person)


def _became(
    found: tuple[_Filing, int] | None, file_by: date | None, today: date, books: Books
) -> Iterator[tuple[str, Any]]:
    if found is None:
        yield "status", "due"
        yield "late", _urgency(file_by, today)
        return
    one, report = found
    bsa_id, status = one.identifiers.get(report), one.status
    if status == "answered":
        status = "rejected" if bsa_id is None else "accepted"
    sent = None if one.filed_at is None or status == "rejected" else one.filed_at.astimezone(books.place.zone).date()
    yield "filing", Cell(str(one.prepared.filing), one.entries)
    yield "status", Cell(status, one.entries)
    yield "late", LATE if file_by is not None and file_by < (sent or today) else ""
    yield "prepared_by", one.prepared.by
    yield "released_by", one.released_by
    yield "filed_by", one.filed_by
    yield "filed_at", one.filed_at
    yield "bsa_id", bsa_id


def _urgency(file_by: date | None, today: date) -> str:
    """Return what is said of a report without a filing."""
    if file_by is None or today < file_by - MARGIN:
        return ""
    return LATE if file_by < today else NOT_PREPARED
