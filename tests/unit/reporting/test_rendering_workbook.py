"""Reports as workbooks, read back with another library than the one that writes them."""

import io
from datetime import date, datetime
from decimal import Decimal
from zipfile import ZipFile

from hypothesis import given, settings
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from services.reporting.framework.document import Column, Document, Row, Section, fill
from services.reporting.framework.figures import Figure, Value
from services.reporting.rendering import render
from services.reporting.rendering.wording import DECIMALS, in_utc, text_of, whole
from services.reporting.rendering.workbook import sheet_names
from tests.unit.reporting.rendering_documents import AWKWARD, KNOWN_AT, any_documents, header, report


def _book(document: Document, *, cached: bool = False) -> Workbook:
    return load_workbook(io.BytesIO(render(document, "xlsx")), data_only=cached)


def _sheet(document: Document, title: str, *, cached: bool = False) -> Worksheet:
    sheet = _book(document, cached=cached)[title]
    assert isinstance(sheet, Worksheet)
    return sheet


def test_cells_have_types() -> None:
    """Amounts are dollars, percentages shares of 1, days and moments dates; what looks like a formula is text."""
    sheet = _sheet(report(), "Tables")
    assert [
        "BJ-002",
        datetime(2026, 11, 20),  # noqa: DTZ001 - a workbook knows no offsets
        24690.02,
        -0.03,
        -0.0307,
        1002,
        0.02000000001,
        datetime(2026, 11, 21, 5, 2, 2),  # noqa: DTZ001
        "=1+1",
    ] == [cell.value for cell in sheet[3]]
    assert ["s", "d", "n", "n", "n", "n", "n", "d", "s"] == [cell.data_type for cell in sheet[3]]
    assert AWKWARD == sheet["I2"].value
    assert ("#,##0.00_);(#,##0.00)", "0.00%_);(0.00%)") == (sheet["C3"].number_format, sheet["E3"].number_format)


def test_totals_are_formulas_with_their_values() -> None:
    """An auditor sees the addition, and a reader that computes nothing the sum."""
    formulas, values = _sheet(report(), "Tables"), _sheet(report(), "Tables", cached=True)
    assert ["Total", None, "=ROUND(SUM(C2:C4),2)", "=ROUND(SUM(D2:D4),2)"] == [cell.value for cell in formulas[5]][:4]
    assert "=SUM(F2:F4)" == formulas["F5"].value
    assert [74070.06, -0.09, 0.0444, 3006] == [values[f"{column}5"].value for column in "CDEF"]


def test_a_total_that_is_no_sum_of_its_column_is_a_value() -> None:
    """What the report says stands there; a formula would say something else."""
    section = Section(
        name="pits",
        title="Pits",
        key=("pit",),
        columns=(Column(name="pit", title="Pit"), Column(name="win_cents", title="Win", unit="cents", added=True)),
    )
    filled = fill(section, [{"pit": "1", "win_cents": 500}], win_cents=Figure(700))
    assert 7 == _sheet(Document(header(), (filled,)), "Pits")["B3"].value


def test_a_number_that_no_spreadsheet_holds_is_text() -> None:
    """Sixteen digits would be rounded; so they are written out, and nothing adds them up wrongly."""
    section = Section(
        name="pits",
        title="Pits",
        key=("pit",),
        columns=(Column(name="pit", title="Pit"), Column(name="win_cents", title="Win", unit="cents", added=True)),
    )
    rows: list[dict[str, Value]] = [{"pit": "1", "win_cents": 1_234_567_890_123_456}, {"pit": "2", "win_cents": 4}]
    sheet = _sheet(Document(header(), (fill(section, rows),)), "Pits")
    assert ["12,345,678,901,234.56", 0.04, 12345678901234.6] == [sheet[f"B{row}"].value for row in (2, 3, 4)]


def test_a_sheet_can_be_worked_with_and_printed() -> None:
    """The head stays in sight and on every page; a filter, notes with the formulas, landscape, page n of m."""
    sheet = _sheet(report(), "Tables")
    assert ("A2", "A1:I4") == (sheet.freeze_panes, sheet.auto_filter.ref)
    assert ("$1:$1", "landscape") == (sheet.print_title_rows, sheet.page_setup.orientation)
    assert [
        "Master Game Report, Riverside && Sons, 2026-11-20",
        "Preliminary",
        "Page &P of &N",
    ] == [getattr(sheet.oddFooter, part).text for part in ("left", "center", "right")]
    note = sheet["C1"].comment
    assert note is not None
    assert "what the box held\n§ 1" == note.text
    assert (sheet.column_dimensions["A"].width or 0) < (sheet.column_dimensions["I"].width or 0)


def test_the_first_sheet_says_what_the_report_is() -> None:
    """Header, identities with their verdicts, unconfirmed values and lines to sign on."""
    document = report()
    rows = [[cell.value for cell in row] for row in _sheet(document, "Report", cached=True).iter_rows()]
    said = {row[0]: row[1] for row in rows}
    assert ("Riverside & Sons (riverside)", "2026-11-20", document.sha256) == (
        said["Property"],
        said["Gaming day"],
        said["SHA-256 of the content"],
    )
    assert "round-settlement 1: 4,711 (2 missing)" == said["Read through"]
    assert ["PRELIMINARY: figures may still change", None, None, None, None] in rows
    assert ["slips", "The slips are what the cage gave.", 499.95, 499.95, "holds"] in rows
    assert ["rounds", "Each round is counted once.", 7, 8, "FAILS"] in rows
    assert ["rate of tax", "Counsel has not confirmed it.", "§ 2, unofficial copy", "tables/win_cents", None] in rows
    assert {"Prepared by", "Controller"} <= said.keys()
    assert "figures may still change" not in str(
        [cell.value for row in _sheet(report(stage="final"), "Report").iter_rows() for cell in row]
    )


def test_a_workbook_is_dated_by_the_report() -> None:
    """Neither its properties nor the files within it say when it was written."""
    content = render(report(), "xlsx")
    said = load_workbook(io.BytesIO(content)).properties
    moment = KNOWN_AT.replace(microsecond=0, tzinfo=None)
    assert (moment, moment, "Master Game Report") == (said.created, said.modified, said.title)
    with ZipFile(io.BytesIO(content)) as archive:
        assert {(1980, 1, 31, 0, 0, 0)} == {one.date_time for one in archive.infolist()}


def test_sheets_get_names_that_spreadsheets_allow() -> None:
    """Not longer than 31 characters, without signs of paths, and none twice, whatever the case of its letters."""
    long = "Counter Checks, issued and redeemed"
    assert [
        "Report",
        "REPORT 2",
        "Counter Checks, issued and rede",
        "Counter Checks, issued and re 2",
        "Section",
        "a b",
    ] == sheet_names(["REPORT", long, long, "'", "a:b"])


@settings(max_examples=20)
@given(any_documents())
def test_a_workbook_carries_every_value(document: Document) -> None:
    """Each figure is the number that a spreadsheet shows, or its text where that would not be exact."""
    book = _book(document, cached=True)
    for number, filled in enumerate(document.sections, start=1):
        sheet = book.worksheets[number]
        rows: list[Row] = [*filled.rows, *([] if filled.total is None else [filled.total])]
        for at, row in enumerate(rows, start=2):
            for place, column in enumerate(filled.section.columns, start=1):
                value, read = row.cells[column.name], sheet.cell(at, place).value
                match column.unit:
                    case _ if value is None:
                        assert read in {None, "Total"}
                    case "text":
                        assert str(value) == read
                    case "day":
                        assert isinstance(value, date)
                        assert isinstance(read, datetime)
                        assert value == read.date()
                    case "moment":
                        assert isinstance(value, datetime)
                        assert in_utc(value).replace(tzinfo=None) == read
                    case unit if isinstance(read, int | float):
                        assert whole(value, unit) == Decimal(f"{read:.15g}") * 10 ** DECIMALS[unit]
                    case unit:
                        assert text_of(value, unit) == read
