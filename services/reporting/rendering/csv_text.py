"""The rows of a report as CSV (RFC 4180), with each amount both in cents and in dollars."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from services.reporting.framework.document import Column, Filled, plain
from services.reporting.framework.figures import Value
from services.reporting.rendering.wording import DECIMALS, decimal, whole
from shared.contracts.spreadsheet_text import guarded
from shared.runtime.cancellation import GoOn

_AMOUNTS = {"cents", "exact_cents"}


def write_csv(sections: Sequence[Filled], file: BinaryIO, go_on: GoOn) -> None:
    """Write the rows of sections, with empty cells for missing values.

    Totals are left out, so that no reader adds them to the rows. Several sections are written one after the other; then
    the first column names the section, and the other columns are the columns of all sections. A text that a spreadsheet
    would evaluate gets an apostrophe as a prefix. To get the original text back, a reader of the file removes one
    apostrophe from any text that begins with apostrophes followed by one of ``= + - @``, a tab or a line break.
    """
    headers = list(dict.fromkeys(name for one in sections for column in one.section.columns for name in _names(column)))
    several = len(sections) > 1
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text)
    writer.writerow([*(["section"] if several else []), *headers])
    for filled in sections:
        columns = filled.section.columns
        for row in filled.each():
            go_on()
            cells = {name: cell for column in columns for name, cell in _cells(column, row.cells[column.name])}
            writer.writerow([*([filled.section.name] if several else []), *(cells.get(name) for name in headers)])
    text.detach()


def _names(column: Column) -> tuple[str, ...]:
    if column.unit not in _AMOUNTS:
        return (column.name,)
    return column.name, f"{column.name.removesuffix('_cents').removesuffix('_exact')}_dollars"


def _cells(column: Column, value: Value) -> Iterator[tuple[str, int | str | None]]:
    name, *in_dollars = _names(column)
    yield name, guarded(value) if column.unit == "text" and isinstance(value, str) else plain(value)
    for other in in_dollars:
        yield other, None if value is None else decimal(whole(value, column.unit), DECIMALS[column.unit])
