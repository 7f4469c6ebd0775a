"""What was filed with agencies: the filings of a property with their steps, by the facts of the wagering accounts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final

from services.reporting.framework.document import Column
from services.reporting.framework.figures import Cell, EntryRef
from services.reporting.read_model.reading import Books
from shared.contracts.filings import (
    AboutFiling,
    AnsweredReport,
    FilingAcknowledged,
    FilingFiled,
    FilingPrepared,
    FilingReleased,
    FilingWithdrawn,
)

FILINGS: Final = (FilingPrepared, FilingReleased, FilingFiled, FilingAcknowledged, FilingWithdrawn)
"""The facts about filings."""

LATE: Final = "late"
"""What is said of a report that was not sent by its last day, or sent after it."""

STEPS: Final = (
    Column(name="prepared_by", title="Prepared by"),
    Column(name="released_by", title="Released by"),
    Column(name="filed_by", title="Filed by"),
    Column(name="filed_at", title="Filed", unit="moment"),
)
"""The columns of who took which step."""

AMENDMENT: Final = Column(
    name="amendment",
    title="Amended by",
    formula="the filing of a later report that amends it, is prepared or released, and was not sent yet",
)
"""The column that names an amendment of what was sent."""


@dataclass(frozen=True, slots=True)
class FilingSteps:
    """A filing with the entries about it; `answers` are by the number of the report."""

    prepared: FilingPrepared
    entries: tuple[EntryRef, ...]
    status: str = "prepared"
    released_by: str | None = None
    filed_by: str | None = None
    filed_at: datetime | None = None
    answers: Mapping[int, AnsweredReport] = field(default_factory=dict)

    def after(self, fact: AboutFiling, entry: EntryRef) -> "FilingSteps":
        """Return the filing after another fact about it."""
        known = replace(self, entries=(*self.entries, entry))
        match fact:
            case FilingReleased():
                return replace(known, status="released", released_by=fact.by)
            case FilingFiled():
                return replace(known, status="filed", filed_by=fact.by, filed_at=fact.filed_at)
            case FilingAcknowledged():
                return replace(known, status="answered", answers={one.report: one for one in fact.reports})
            case _:
                return replace(known, status="withdrawn")

    def status_of(self, report: int) -> str:
        """Return the status of a report in it: once answered, whether that report was accepted."""
        if self.status != "answered":
            return self.status
        answer = self.answers.get(report)
        return "accepted" if answer is not None and answer.accepted else "rejected"

    def steps(self) -> Iterator[tuple[str, Any]]:
        """Yield the cells of `STEPS`, and that of the filing."""
        yield "filing", Cell(str(self.prepared.filing), self.entries)
        yield "prepared_by", self.prepared.by
        yield "released_by", self.released_by
        yield "filed_by", self.filed_by
        yield "filed_at", self.filed_at

    def as_amendment(self) -> Iterator[tuple[str, Any]]:
        """Yield the cell of `AMENDMENT`, if this filing amends another one."""
        yield AMENDMENT.name, Cell(str(self.prepared.filing), self.entries)

    def lateness(self, status: str, file_by: date | None, today: date, books: Books) -> str:
        """Return `LATE` for a report that is, nothing for another one."""
        sent = None if status == "rejected" else self.filed_at
        day = today if sent is None else sent.astimezone(books.place.zone).date()
        return LATE if file_by is not None and file_by < day else ""


async def filings_of(books: Books) -> list[FilingSteps]:
    """Return the property's filings from the first day of the question on, by number; without those withdrawn."""
    filings: dict[int, FilingSteps] = {}
    for listed in await books.facts(*FILINGS, last=date.max):
        fact = listed.fact
        if isinstance(fact, FilingPrepared):
            filings[fact.filing] = FilingSteps(fact, (listed.entry,))
        elif fact.filing in filings:  # of another period, it was prepared before
            filings[fact.filing] = filings[fact.filing].after(fact, listed.entry)
    return [one for one in filings.values() if one.status != "withdrawn"]
