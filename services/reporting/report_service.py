"""Answer a report query: find the property, query the read model in one snapshot, create the document."""

from dataclasses import replace
from datetime import date
from importlib.metadata import version
from typing import Final

from pydantic import AwareDatetime, BaseModel
from sqlalchemy import text

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Document, Filled, Header, Section, fill
from services.reporting.framework.figures import Cell, EntryRef, Value
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.explaining import entries_of
from services.reporting.read_model.reading import Books
from services.reporting.read_model.stages import Stage, open_exceptions, played_days, stage_of, through
from services.reporting.tables import properties
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.reports import ReportStatus
from shared.jurisdictions import period_of
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.snapshot_reader import SnapshotReader

RESTATEMENTS: Final = Section(
    name="restatements",
    title="What changed after the seal",
    key=("gaming_day", "version", "entry"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="version", title="Version", unit="count", formula="1 is the sealed day"),
        Column(name="recorded_at", title="Recorded at", unit="moment"),
        Column(name="kind", title="Kind"),
        Column(name="who", title="By"),
        Column(name="why", title="Reason"),
        Column(name="entry", title="Entry"),
    ),
)
"""The last section of every report of a restated day."""

_VERSION: Final = version("pitledger")


_KNOWN: Final = text("""
    SELECT min(gaming_day) AS first, max(gaming_day) AS last FROM reporting.day_moments
    WHERE property = :property AND first_recorded <= :known_at""")


async def ask(reader: SnapshotReader, day: date, question: ReportQuery) -> ReportQuery:
    """Return the query for the period that contains a gaming day, under the law of the property.

    Raises: Rejected if the property is unknown.
    """
    books = await books_of(reader, replace(question, first=day, last=day))
    first, last = period_of(books.place.law, question.period, day)
    return replace(question, first=first, last=last)


async def books_of(reader: SnapshotReader, question: ReportQuery, *, explain: bool = True) -> Books:
    """Return the read model of the question's property. Raises: Rejected if the property is unknown."""
    return Books(reader, question, await _places(reader, question), explain=explain)


async def answer(reader: SnapshotReader, report: Report, question: ReportQuery, *, explain: bool = False) -> Document:
    """Return a report as known at the query's moment; with `explain`, its figures have provenance.

    Raises: Rejected for unknown names, listing the known ones.
    """
    books = await books_of(reader, question, explain=explain)
    if question.period not in report.periods:
        raise Rejected(Reason.NOT_FOUND, f"{report.name} is a report of a {', '.join(report.periods)}")
    _check(books)
    played = await played_days(reader, question)
    if report.of_days and not played:
        raise Rejected(Reason.NOTHING_RECORDED, await _known_days(reader, question))
    stage = await stage_of(reader, question, played, of_ratings=report.of_ratings)
    content = await report.fill(books)
    exceptions, input_open = await open_exceptions(reader, question)
    document = books.place.document
    header = Header(
        report=report.name,
        title=report.title,
        property=question.property,
        property_title=document.title,
        jurisdiction=books.place.law.title,
        period=question.period,
        first_day=question.first,
        last_day=question.last,
        table=question.table,
        game=question.game,
        stage=_stage(stage, content),
        version=stage.version,
        known_at=question.known_at,
        generated_by=question.by,
        system_version=_VERSION,
        input_open=input_open,
        exceptions_open=exceptions,
        through=await through(reader, question),
    )
    sections = content.sections if not stage.restatements else (*content.sections, _restated(stage))
    return Document(header, sections, content.identities, content.marks, report.signatures, report.sheet)


class EntryOfCell(BaseModel):
    """An entry behind a cell; if the cell is a sum, with its contribution and measure."""

    service: str
    shard: int
    seq: int
    recorded_at: AwareDatetime | None = None
    round_id: str | None = None
    measure: str | None = None
    value: int | None = None


class Provenance(BaseModel):
    """A cell of a report: its value, its formula, and the entries behind it."""

    report: str
    cell: str
    title: str
    unit: str
    formula: str
    value: Value
    entries: list[EntryOfCell]


class SectionOfReport(BaseModel):
    """A table of a report."""

    name: str
    title: str
    key: list[str]
    columns: list[dict[str, str]]


class Definition(BaseModel):
    """The definition of a report."""

    name: str
    title: str
    about: str
    role: str
    periods: list[str]
    sections: list[SectionOfReport]

    @classmethod
    def of(cls, report: Report) -> "Definition":
        """Return the definition in the form in which it is listed."""
        listed = ("name", "title", "unit", "formula", "source")
        return cls(
            name=report.name,
            title=report.title,
            about=report.about,
            role=report.role.name,
            periods=list(report.periods),
            sections=[
                SectionOfReport(
                    name=section.name,
                    title=section.title,
                    key=list(section.key),
                    columns=[{name: getattr(column, name) for name in listed} for column in section.columns],
                )
                for section in report.sections
            ],
        )


def _stage(stage: Stage, content: Content) -> ReportStatus:
    """Return the stage of a report: at most preliminary while one of its identities is violated."""
    sealed = stage.status in (ReportStatus.FINAL, ReportStatus.RESTATED)
    fails = not all(one.holds for one in content.identities)
    return ReportStatus.PRELIMINARY if sealed and fails else stage.status


async def explain(reader: SnapshotReader, report: Report, question: ReportQuery, cell: str) -> Provenance:
    """Return the value of a cell (`section/row/column`) and the entries behind it, each with its contribution.

    Raises: Rejected if there is no such cell, listing the existing ones.
    """
    found = await answer(reader, report, question, explain=True)
    try:
        column, value, because = found.cell(cell)
    except LookupError as missing:
        raise Rejected(Reason.NOT_FOUND, str(missing.args[0])) from None
    books = await books_of(reader, question)
    entries: list[EntryOfCell] = []
    for one in because:
        if isinstance(one, EntryRef):
            entries.append(EntryOfCell(service=one.service, shard=one.shard, seq=one.seq))
        else:
            [measure] = one.measures
            entries.extend(EntryOfCell(**entry, measure=measure) for entry in await entries_of(books, one))
    return Provenance(
        report=report.name,
        cell=cell,
        title=column.title,
        unit=column.unit,
        formula=column.formula,
        value=value,
        entries=entries,
    )


def _restated(stage: Stage) -> Filled:
    return fill(
        RESTATEMENTS,
        (
            {
                "gaming_day": one.gaming_day,
                "version": one.version,
                "recorded_at": one.recorded_at,
                "kind": one.kind,
                "who": one.who,
                "why": one.why,
                "entry": Cell(f"{one.entry.service}/{one.entry.shard}/{one.entry.seq}", (one.entry,)),
            }
            for one in stage.restatements
        ),
    )


async def _places(reader: SnapshotReader, question: ReportQuery) -> list[PropertySnapshot]:
    places = await known_places(reader.connection, properties)
    found = [one for one in places.versions(question.property) if one.document.approved_at <= question.known_at]
    if not found:
        detail = f"property {question.property!r} is not known: GET /floors lists those that are"
        raise Rejected(Reason.NOT_FOUND, detail)
    return found


def _check(books: Books) -> None:
    """Raise Rejected if the question's table or game is unknown, listing the known ones."""
    question = books.question
    listed = books.place.document.tables
    for what, name, known in (
        ("table", question.table, [table.table for table in listed]),
        ("game", question.game, sorted({table.game for table in listed})),
    ):
        if name is not None and name not in known:
            raise Rejected(Reason.NOT_FOUND, f"{question.property} has no {what} {name!r}; it has {', '.join(known)}")


async def _known_days(reader: SnapshotReader, question: ReportQuery) -> str:
    row = (await reader.execute(_KNOWN, {"property": question.property, "known_at": question.known_at})).one()
    known = "of no day yet" if row.first is None else f"of gaming days from {row.first} to {row.last}"
    wanted = f"{question.first}" if question.first == question.last else f"{question.first} to {question.last}"
    return f"nothing is known of {wanted} at {question.property}; there are entries {known}"
