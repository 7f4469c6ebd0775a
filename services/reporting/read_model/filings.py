"""A property's filings with agencies and the steps of each filing, read from the facts of the wagering accounts."""

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
"""The remark on a report that missed its deadline, even if it was sent later."""

STEPS: Final = (
    Column(name="prepared_by", title="Prepared by"),
    Column(name="released_by", title="Released by"),
    Column(name="filed_by", title="Filed by"),
    Column(name="filed_at", title="Filed", unit="moment"),
)
"""The columns for the people who took the steps of a filing, and for the time of filing."""

AMENDMENT: Final = Column(
    name="amendment",
    title="Amended by",
    formula="number of the filing with an amendment of this report that is prepared or released, but not yet sent",
)
"""The column for the number of the filing that amends a sent report."""

REJECTED: Final = Column(
    name="rejected",
    title="Rejected in",
    formula=(
        "number of the filing with the latest version of this report, if the agency rejected that "
        "version and the report must be filed again"
    ),
)
"""The column for the number of a rejected filing, filled while its report must be filed again."""


@dataclass(frozen=True, slots=True)
class FilingSteps:
    """A filing with the entries about it; `answers` are the agency's answers, keyed by the report's number."""

    prepared: FilingPrepared
    entries: tuple[EntryRef, ...]
    status: str = "prepared"
    released_by: str | None = None
    filed_by: str | None = None
    filed_at: datetime | None = None
    answers: Mapping[int, AnsweredReport] = field(default_factory=dict)

    def after(self, fact: AboutFiling, entry: EntryRef) -> "FilingSteps":
        """Return the filing updated by a further fact, which `entry` recorded."""
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
        """Return the status of a report: the filing's status or, after an answer, `accepted` or `rejected`."""
        if self.status != "answered":
            return self.status
        answer = self.answers.get(report)
        return "accepted" if answer is not None and answer.accepted else "rejected"

    def steps(self) -> Iterator[tuple[str, Any]]:
        """Yield the report cells of the filing's steps (columns `STEPS`), and the cell with its number."""
        yield "filing", Cell(str(self.prepared.filing), self.entries)
        yield "prepared_by", self.prepared.by
        yield "released_by", self.released_by
        yield "filed_by", self.filed_by
        yield "filed_at", self.filed_at

    def as_amendment(self) -> Iterator[tuple[str, Any]]:
        """Yield the cell of the column `AMENDMENT`, with the number of this filing, which amends another one."""
        yield AMENDMENT.name, Cell(str(self.prepared.filing), self.entries)

    def as_rejected(self) -> Iterator[tuple[str, Any]]:
        """Yield the cell of the column `REJECTED`, with the number of this filing, whose report must be filed again."""
        yield REJECTED.name, Cell(str(self.prepared.filing), self.entries)

    def lateness(self, status: str, file_by: date | None, today: date, books: Books) -> str:
        """Return `LATE` if a report missed its deadline, else an empty text."""
        sent = None if status == "rejected" else self.filed_at
        day = today if sent is None else sent.astimezone(books.place.zone).date()
        return LATE if file_by is not None and file_by < day else ""


async def filings_of(books: Books) -> list[FilingSteps]:
    """Return the property's filings since the first queried gaming day, keyed by number, without withdrawn ones."""
    filings: dict[int, FilingSteps] = {}
    for listed in await books.facts(*FILINGS, last=date.max):
        fact = listed.fact
        if isinstance(fact, FilingPrepared):
            filings[fact.filing] = FilingSteps(fact, (listed.entry,))
        elif fact.filing in filings:  # other filings were prepared before the first day
            filings[fact.filing] = filings[fact.filing].after(fact, listed.entry)
    return [one for one in filings.values() if one.status != "withdrawn"]
