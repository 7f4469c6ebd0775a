"""What became of what is to be reported: the filing of each person's gaming day, or that there is none."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any, Final

from services.reporting.domain.federal.currency import CurrencyTotal
from services.reporting.framework.document import Column, Section
from services.reporting.framework.figures import Cell
from services.reporting.read_model.filings import LATE, STEPS, FilingSteps, filings_of
from services.reporting.read_model.reading import Books
from services.reporting.reports.currency.sections import DAY, FORM, PERSON, REPORTED_WITH
from shared.contracts.filings import FilingSubject

FILED: Final = Section(
    name="filed",
    title="What became of what is to be reported",
    key=("form", "gaming_day", "person", "entry"),
    columns=(
        FORM,
        DAY,
        PERSON,
        REPORTED_WITH,
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
        *STEPS,
        Column(name="bsa_id", title="BSA identifier"),
    ),
)


NOT_PREPARED: Final = "not prepared"
UNPREPARED: Final = (LATE, NOT_PREPARED)
"""What is said of a report that has no filing, once that is urgent."""

MARGIN: Final = timedelta(days=3)
"""How long before the last day a file should be there: the property's choice, not law."""


async def filed_rows(books: Books, reached: Iterable[tuple[str, CurrencyTotal, str]]) -> list[dict[str, Any]]:
    """Return what became of each reportable total; in and out of a person are one report.

    Each is given with its form and, where all of it is in another person's report, with that person.
    """
    by_subject = {
        (one.prepared.period, report.kind, report.reference): (one, report.report)
        for one in await filings_of(books)
        if one.prepared.form == "ctr"
        for report in one.prepared.reports
    }
    today = books.place.gaming_day(books.question.known_at)
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for form, total, reported_with in reached:
        subject = _subject(total, reported_with or total.first.patron)
        entry = subject.reference if subject.kind == "entry" else ""
        key = (form, total.held.gaming_day, total.first.patron, entry)
        if key not in rows:
            found = by_subject.get((total.held.gaming_day.isoformat(), subject.kind, subject.reference))
            rows[key] = {
                "form": form,
                "gaming_day": total.held.gaming_day,
                "person": total.first.patron or "unknown",
                "entry": entry,
                "file_by": total.file_by,
                "reported_with": reported_with,
            } | dict(_became(found, total.file_by, today, books))
    return list(rows.values())


def _subject(total: CurrencyTotal, person: str | None) -> FilingSubject:
    """Return whom the report of a total is about, as filings name it."""
    if person is None:
        return FilingSubject(kind="entry", reference=total.first.reference)
    if person.startswith("account "):
        return FilingSubject(kind="account", reference=person.removeprefix("account "))
    return FilingSubject(kind="patron", reference=person)


def _became(
    found: tuple[FilingSteps, int] | None, file_by: date | None, today: date, books: Books
) -> Iterator[tuple[str, Any]]:
    if found is None:
        yield "status", "due"
        yield "late", _urgency(file_by, today)
        return
    one, report = found
    status, answer = one.status_of(report), one.answers.get(report)
    yield from one.steps()
    yield "status", Cell(status, one.entries)
    yield "late", one.lateness(status, file_by, today, books)
    yield "bsa_id", None if answer is None else answer.bsa_id


def _urgency(file_by: date | None, today: date) -> str:
    """Return what is said of a report without a filing."""
    if file_by is None or today < file_by - MARGIN:
        return ""
    return LATE if file_by < today else NOT_PREPARED
