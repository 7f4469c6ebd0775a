"""A report as a workbook (XLSX): a sheet for the header, and one per section with typed cells."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from itertools import islice
from typing import BinaryIO, Final

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from services.reporting.framework.document import Document, Filled, Unit
from services.reporting.framework.figures import Value
from services.reporting.rendering.wording import (
    DECIMALS,
    header_lines,
    in_utc,
    is_finished,
    period_text,
    reached_text,
    stage_text,
    text_of,
    whole,
)
from shared.runtime.cancellation import GoOn

_LETTER_PAPER: Final = 1
_SIGNIFICANT_DIGITS_MAX: Final = 15
"""The maximum number of significant digits in a spreadsheet; longer numbers are written exactly, as text."""
_CELL_CHARACTERS_MAX: Final = 32_767
_SHEET_NAME_CHARACTERS_MAX: Final = 31
_FOOTER_CHARACTERS_MAX: Final = 100
_NOT_IN_A_SHEET_NAME: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f\U00010000-\U0010ffff]")
_WIDTHS: Final = range(8, 61)
_MEASURED_ROWS: Final = 1_000
"""Number of rows from which column widths are computed."""
_NUMBER_FORMATS: Final[dict[Unit, str]] = {
    "text": "",
    "cents": "#,##0.00_);(#,##0.00)",
    "exact_cents": "#,##0.00#########_);(#,##0.00#########)",
    "count": "#,##0_);(#,##0)",
    "decimal": "#,##0.00_);(#,##0.00)",
    "percent": "0.00%_);(0.00%)",
    "day": "yyyy-mm-dd",
    "moment": 'yyyy-mm-dd hh:mm:ss" UTC"',
}


class _Formats:
    """The cell formats of a workbook: for texts, for headings, and, by unit, for values and totals."""

    def __init__(self, book: Workbook) -> None:
        self.title: Format = book.add_format({"bold": True, "font_size": 16})
        self.warning: Format = book.add_format({"bold": True, "font_color": "#A61B1B"})
        self.label: Format = book.add_format({"bold": True, "valign": "top"})
        self.words: Format = book.add_format({"text_wrap": True, "valign": "top"})
        self.head: Format = book.add_format(
            {"bold": True, "text_wrap": True, "valign": "top", "bottom": 1, "bg_color": "#E8ECEF"}
        )
        self.signature: Format = book.add_format({"bottom": 1})
        looks = {unit: {"num_format": code} if code else {} for unit, code in _NUMBER_FORMATS.items()}
        self.cells = {unit: book.add_format(look) for unit, look in looks.items()}
        self.totals = {unit: book.add_format(look | {"bold": True, "top": 1}) for unit, look in looks.items()}


def write_xlsx(document: Document, file: BinaryIO, go_on: GoOn) -> None:
    """Write a document as a workbook, row by row to disk with constant memory.

    Amounts are numbers in dollars, percentages are fractions, and times are in UTC. The total of a summed column is a
    formula with its value. A number that a spreadsheet cannot represent exactly is written as text.
    """
    with Workbook(file, {"constant_memory": True}) as book:
        created = in_utc(document.header.known_at).replace(tzinfo=None)
        book.set_properties({"title": document.header.title, "author": "Pitledger", "created": created})
        formats = _Formats(book)
        front, *sheets = (
            book.add_worksheet(name) for name in sheet_names([one.section.title for one in document.sections])
        )
        _write_front(front, document, formats)
        for sheet, filled in zip(sheets, document.sections, strict=True):
            _write_section(sheet, filled, formats, go_on)
        for sheet in (front, *sheets):
            _set_up_print(sheet, document)


def sheet_names(titles: Iterable[str]) -> list[str]:
    """Return valid, unique sheet names: Report, then one for each section.

    >>> sheet_names(["Tables", "Fills/Credits", "tables", "History"])
    ['Report', 'Tables', 'Fills Credits', 'tables 2', 'History 2']
    """
    names = ["Report"]
    taken = {"report", "history"}  # spreadsheets reserve the name History
    for title in titles:
        plain = _NOT_IN_A_SHEET_NAME.sub(" ", title).strip("' ") or "Section"
        name, number = plain[:_SHEET_NAME_CHARACTERS_MAX].rstrip("' "), 1
        while name.casefold() in taken:
            number += 1
            ending = f" {number}"
            name = plain[: _SHEET_NAME_CHARACTERS_MAX - len(ending)] + ending
        taken.add(name.casefold())
        names.append(name)
    return names


def _write_front(sheet: Worksheet, document: Document, formats: _Formats) -> None:
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, 1, 60)
    sheet.set_column(2, 4, 18)
    sheet.write_string(0, 0, document.header.title, formats.title)
    at = 1
    if not is_finished(document.header):
        sheet.write_string(at, 0, f"{stage_text(document.header).upper()}: figures may still change", formats.warning)
    for label, text in (*header_lines(document), ("Read through", reached_text(document.header))):
        at += 1
        sheet.write_string(at, 0, label, formats.label)
        _write_text(sheet, at, 1, text, formats.words)
    if document.identities:
        at = _write_head(sheet, at + 2, ("Reconciliation", "What must be equal", "Left", "Right", "Holds"), formats)
        for one in document.identities:
            at += 1
            _write_text(sheet, at, 0, one.name, formats.words)
            _write_text(sheet, at, 1, one.says, formats.words)
            for column, figure in ((2, one.left), (3, one.right)):
                _write(sheet, at, column, figure.value, one.unit, formats.cells)
            left, right = xl_rowcol_to_cell(at, 2), xl_rowcol_to_cell(at, 3)
            look = formats.label if one.holds else formats.warning
            verdict = "holds" if one.holds else "FAILS"
            sheet.write_formula(at, 4, f'=IF({left}={right},"holds","FAILS")', look, verdict)
    if document.marks:
        at = _write_head(sheet, at + 2, ("† Unconfirmed", "Note", "Source", "Columns"), formats)
        for mark in document.marks:
            at += 1
            for column, text in enumerate((mark.what, mark.note, mark.source, ", ".join(mark.columns))):
                _write_text(sheet, at, column, text, formats.words)
    if document.signatures:
        at = _write_head(sheet, at + 2, ("Signed by", "Name and signature", "Title", "Date"), formats)
        for line in document.signatures:
            at += 1
            sheet.set_row(at, 30)
            _write_text(sheet, at, 0, line, formats.words)
            for column in (1, 2, 3):
                sheet.write_blank(at, column, None, formats.signature)


def _write_head(sheet: Worksheet, at: int, titles: Iterable[str], formats: _Formats) -> int:
    for column, title in enumerate(titles):
        sheet.write_string(at, column, title, formats.head)
    return at


def _write_section(sheet: Worksheet, filled: Filled, formats: _Formats, go_on: GoOn) -> None:
    columns = filled.section.columns
    measured = [*islice(filled.each(), _MEASURED_ROWS), *([] if filled.total is None else [filled.total])]
    for number, column in enumerate(columns):
        texts = (line for row in measured for line in text_of(row.cells[column.name], column.unit).splitlines())
        width = max(len(word) for word in (*column.title.split(), *texts, ""))
        sheet.set_column(number, number, min(max(width + 3, _WIDTHS.start), _WIDTHS.stop - 1))
        _write_text(sheet, 0, number, column.title, formats.head)
        if said := "\n".join(text for text in (column.formula, column.source) if text):
            sheet.write_comment(0, number, said[:_CELL_CHARACTERS_MAX], {"author": "Pitledger"})
    sums = {column.name: _Sum() for column in columns if column.added}
    for at, row in enumerate(filled.each(), start=1):
        go_on()
        for number, column in enumerate(columns):
            value = row.cells[column.name]
            _write(sheet, at, number, value, column.unit, formats.cells)
            if column.name in sums and value is not None:
                sums[column.name].add(whole(value, column.unit), column.unit)
    sheet.freeze_panes(1, 0)
    if columns:
        sheet.autofilter(0, 0, len(filled.given), len(columns) - 1)
    if filled.total is not None:
        _write_total(sheet, filled, sums, formats)


class _Sum:
    """The sum of a column's cells, and whether a spreadsheet can represent each cell exactly."""

    def __init__(self) -> None:
        self._parts = 0
        self._is_exact = True

    def add(self, parts: int, unit: Unit) -> None:
        """Add a cell's value, in smallest units, to the sum."""
        self._parts += parts
        self._is_exact &= _number(parts, unit) is not None

    def of(self, parts: int, unit: Unit) -> float | None:
        """Return a total as a spreadsheet number if the sum formula gives exactly this total; else None."""
        return _number(parts, unit) if self._is_exact and self._parts == parts else None


def _write_total(sheet: Worksheet, filled: Filled, sums: Mapping[str, _Sum], formats: _Formats) -> None:
    assert filled.total is not None
    at = len(filled.given) + 1
    for number, column in enumerate(filled.section.columns):
        value, unit, cached = filled.total.cells[column.name], column.unit, None
        if column.name in sums and value is not None and filled.given:
            cached = sums[column.name].of(whole(value, unit), unit)
        if number == 0 and value is None:
            sheet.write_string(at, number, "Total", formats.totals["text"])
        elif cached is not None:
            added = f"SUM({xl_rowcol_to_cell(1, number)}:{xl_rowcol_to_cell(at - 1, number)})"
            formula = f"=ROUND({added},{DECIMALS[unit]})" if DECIMALS[unit] else f"={added}"
            sheet.write_formula(at, number, formula, formats.totals[unit], cached)
        else:
            _write(sheet, at, number, value, unit, formats.totals)


def _write(sheet: Worksheet, at: int, number: int, value: Value, unit: Unit, looks: dict[Unit, Format]) -> None:
    match unit:
        case _ if value is None:
            sheet.write_blank(at, number, None, looks[unit])
        case "text":
            _write_text(sheet, at, number, str(value), looks[unit])
        case "moment" if isinstance(value, datetime):
            sheet.write_datetime(at, number, in_utc(value).replace(tzinfo=None), looks[unit])
        case "day" if isinstance(value, date):
            sheet.write_datetime(at, number, value, looks[unit])
        case _ if (exact := _number(whole(value, unit), unit)) is not None:
            sheet.write_number(at, number, exact, looks[unit])
        case _:
            _write_text(sheet, at, number, text_of(value, unit), looks[unit])


def _number(parts: int, unit: Unit) -> float | None:
    """Return an integer number of smallest units as a spreadsheet number; None if that would not be exact."""
    if len(str(abs(parts)).rstrip("0")) > _SIGNIFICANT_DIGITS_MAX:
        return None
    return float(parts / 10 ** DECIMALS[unit])


def _write_text(sheet: Worksheet, at: int, number: int, text: str, look: Format) -> None:
    """Write a text to a cell, never as a formula; a text that is too long is cut and ends with an ellipsis."""
    if len(text) > _CELL_CHARACTERS_MAX:
        text = f"{text[: _CELL_CHARACTERS_MAX - 1]}…"
    sheet.write_string(at, number, text, look)


def _set_up_print(sheet: Worksheet, document: Document) -> None:
    header = document.header
    said = f"{header.title}, {header.property_title}, {period_text(header)}".replace("&", "&&")
    sheet.set_landscape()
    sheet.set_paper(_LETTER_PAPER)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer(f"&L{said[:_FOOTER_CHARACTERS_MAX]}&C{stage_text(header)}&RPage &P of &N")
    if sheet.get_name() != "Report":
        sheet.repeat_rows(0)
