"""Answer a report query: find the property, query the read model in one snapshot, create the document."""

from dataclasses import asdict, replace
from datetime import date
from fractions import Fraction
from importlib.metadata import version
from typing import Final

from pydantic import AwareDatetime, BaseModel
from sqlalchemy import text

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Document, Filled, Header, Section, fill
from services.reporting.framework.figures import Cell, Part, Rounding, Value
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.explaining import EntryBehind, Explaining
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
    title="Changes after the seal",
    key=("gaming_day", "version", "entry"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="version", title="Version", unit="count", formula="1: as sealed; higher: a restatement"),
        Column(name="recorded_at", title="Recorded at", unit="moment"),
        Column(name="kind", title="Kind"),
        Column(name="who", title="Changed by"),
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
    """Return the query with the first and last day of the period that contains a gaming day, under the property's law.

    Raises: Rejected if the property is unknown.
    """
    books = await books_of(reader, replace(question, first=day, last=day))
    first, last = period_of(books.place.law, question.period, day)
    return replace(question, first=first, last=last)


async def books_of(reader: SnapshotReader, question: ReportQuery, *, explain: bool = True) -> Books:
    """Return the read model for a query about a property. Raises: Rejected if the property is unknown."""
    return Books(reader, question, await _places(reader, question), explain=explain)


async def answer(reader: SnapshotReader, report: Report, question: ReportQuery, *, explain: bool = False) -> Document:
    """Return a report as of the query's as-of time; only with `explain` do its figures have provenance.

    Raises: Rejected for an unknown property, table or game, for a period that the report does not have, or if nothing
    is recorded about the days.
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


def _exact(value: Fraction | None) -> int | str | None:
    return None if value is None else int(value) if value.denominator == 1 else str(value)


class LeadOfEntry(BaseModel):
    """A slip, box, count or pit event behind an entry (see services.reporting.read_model.explaining.Lead)."""

    what: str
    name: str
    table: str | None
    gaming_day: date | None


class EntryOfCell(BaseModel):
    """An entry behind a cell. If it has a `factor`, it adds `factor` times `value` to the cell; the product is `adds`.

    `value` is the entry's amount of the `measure`, if the cell is a sum. All three are exact: integers, or fractions
    such as `23/311`; amounts are cents. Without a factor, the entry is listed without adding an amount. `kind` and
    `leads` are given for entries of table inventory: what was recorded, and the slips, boxes and counts behind the
    entry.
    """

    service: str
    shard: int
    seq: int
    recorded_at: AwareDatetime | None = None
    kind: str | None = None
    round_id: str | None = None
    table: str | None = None
    measure: str | None = None
    value: int | str | None = None
    factor: str | None = None
    adds: str | None = None
    leads: list[LeadOfEntry] = []

    @classmethod
    def of(cls, one: EntryBehind) -> "EntryOfCell":
        """Return an entry as the API lists it."""
        exact = ("value", "factor", "adds")
        said = {name: getattr(one, name) for name in cls.model_fields if name not in (*exact, "leads")}
        return cls(
            **said,
            value=_exact(one.value),
            factor=None if one.factor is None else str(one.factor),
            adds=None if one.adds is None else str(one.adds),
            leads=[LeadOfEntry(**asdict(lead)) for lead in one.leads],
        )


class Provenance(BaseModel):
    """A cell of a report: its value, its formula, and the entries behind it.

    `adds_up_to` is the exact sum of the entries, and `rounding` the difference due to rounding; their sum is the value.
    Both are absent if the value is not a sum of entries but, for example, a percentage, an average or a text.
    """

    report: str
    cell: str
    title: str
    unit: str
    formula: str
    value: Value
    entries: list[EntryOfCell]
    adds_up_to: str | None = None
    rounding: str | None = None


class SectionOfReport(BaseModel):
    """A section of a report: its key and its columns."""

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
        """Return the definition of a report as the API lists it."""
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
    """Return the stage of a report; it is at most preliminary while an identity of the report is violated."""
    sealed = stage.status in (ReportStatus.FINAL, ReportStatus.RESTATED)
    fails = not all(one.holds for one in content.identities)
    return ReportStatus.PRELIMINARY if sealed and fails else stage.status


async def explain(reader: SnapshotReader, report: Report, question: ReportQuery, cell: str) -> Provenance:
    """Return the value of a cell (`section/row/column`), and the entries behind it with the amount that each adds.

    Raises: Rejected if there is no such cell; the message lists the existing cells.
    """
    found = await answer(reader, report, question, explain=True)
    return await explain_cell(found, Explaining(await books_of(reader, question)), cell)


async def explain_cell(document: Document, explaining: Explaining, cell: str) -> Provenance:
    """Return the provenance of a cell; the document must have provenance. Raises: Rejected if there is no such cell."""
    try:
        column, value, because = document.cell(cell)
    except LookupError as missing:
        raise Rejected(Reason.NOT_FOUND, str(missing.args[0])) from None
    entries = await explaining.entries_of(because)
    adds = [one.adds for one in entries]
    is_sum = bool(because) and None not in adds and all(one.factor is not None for one in because)
    rounding = sum((_times(one) for one in because if isinstance(one.source, Rounding)), Fraction(0))
    return Provenance(
        report=document.header.report,
        cell=cell,
        title=column.title,
        unit=column.unit,
        formula=column.formula,
        value=value,
        entries=list(map(EntryOfCell.of, entries)),
        adds_up_to=str(sum((one for one in adds if one is not None), Fraction(0))) if is_sum else None,
        rounding=str(rounding) if is_sum else None,
    )


def _times(part: Part) -> Fraction:
    return Fraction(part.factor or 0) * Fraction(part.value or 0)


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
    """Raise Rejected if the queried table or game is unknown; the message lists the known ones."""
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
