"""A report as PDF, for signing. Texts are passed to the typesetter as data, never as markup."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from services.reporting.framework.document import Column, Document, Filled, Row, Section, fill
from services.reporting.framework.figures import Value
from services.reporting.rendering.wording import (
    header_lines,
    in_utc,
    is_finished,
    period_text,
    reached_text,
    stage_text,
    text_of,
)
from shared.runtime.cancellation import GoOn
from shared.runtime.typesetting import typeset

_TEMPLATE: Final = Path(__file__).with_name("report.typ")
_LINE_CHARACTERS_MAX: Final = 220
"""Maximum readable number of characters on a line."""
_BESIDE_CHARACTERS: Final = 2
"""The space between columns, in characters."""
_WIDTH_CHARACTERS_MAX: Final = 50
"""The maximum column width in characters; longer texts are wrapped, including long words."""
_LONG_WORD: Final = re.compile(rf"\S{{{_WIDTH_CHARACTERS_MAX - 5}}}(?=\S)")
_MAY_BREAK: Final = "\N{ZERO WIDTH SPACE}"
_TO_THE_LEFT: Final = {"text", "day", "moment"}
_DAGGER: Final = "†"
_AS_WIDE_AS_A_PARENTHESIS: Final = "\N{SIX-PER-EM SPACE}\N{THIN SPACE}"
"""Spaces after figures without a parenthesis, so that decimal points align."""


def as_pdf(document: Document, go_on: GoOn) -> bytes:
    """Return a document as a PDF file, in landscape on letter paper.

    Raises: the same errors as `typeset`.
    """
    header = document.header
    made_at = in_utc(header.known_at)
    return typeset(_TEMPLATE, _said(document), name=header.report, made_at=made_at, tagged=False, go_on=go_on)


def _said(document: Document) -> dict[str, Any]:
    """Return all texts of the pages, as the input of the typesetter's template."""
    header, sheets = document.header, list(_sheets(document))
    return {
        "title": header.title,
        "place": header.property_title,
        "period": period_text(header),
        "stage": stage_text(header),
        "finished": is_finished(header),
        "known_at": text_of(header.known_at, "moment"),
        "sha256": document.sha256,
        "lines": list(header_lines(document)),
        "through": reached_text(header),
        "sheets": sheets,
        "sections": [
            _section(document, filled)
            for filled in document.sections
            if not (sheets and _is_on_sheets(document, filled))
        ],
        "explained": [_explained(filled.section) for filled in document.sections],
        "identities": [
            {
                "name": one.name,
                "says": one.says,
                "left": text_of(one.left.value, one.unit),
                "right": text_of(one.right.value, one.unit),
                "holds": one.holds,
            }
            for one in document.identities
        ],
        "marks": [{"what": one.what, "source": one.source, "note": one.note} for one in document.marks],
        "signatures": list(document.signatures),
    }


@dataclass(frozen=True, slots=True)
class _Texts:
    """The cell texts of a section's rows and of its total, if any, keyed by column name; created once."""

    rows: Mapping[str, Sequence[str]]
    total: Mapping[str, str] | None

    @classmethod
    def of(cls, filled: Filled) -> Self:
        """Return the cell texts of a section."""
        columns = filled.section.columns
        rows = {one.name: [text_of(row.cells[one.name], one.unit) for row in filled.rows] for one in columns}
        if filled.total is None:
            return cls(rows, None)
        return cls(rows, {one.name: text_of(filled.total.cells[one.name], one.unit) for one in columns})

    def width(self, column: Column) -> int:
        """Return the width of a column in characters: its longest value, or the longest word in its heading."""
        values = map(len, self.rows[column.name])
        words = (len(word) + 1 for word in column.title.split())  # headings are bold, so wider
        total = 0 if self.total is None else len(self.total[column.name])
        return min(max(*words, total, max(values, default=0), 5), _WIDTH_CHARACTERS_MAX)


def _sheets(document: Document) -> Iterator[dict[str, Any]]:
    """Yield one sheet per combination of values in the sheet columns, with the matching rows of all sections."""
    together = [filled for filled in document.sections if _is_on_sheets(document, filled)]
    places = dict.fromkeys(_place(document, row) for filled in together for row in filled.rows)
    for place in places:
        titles = [column.title for column in together[0].section.columns if column.name in document.sheet]
        yield {
            "title": ", ".join(f"{title} {value}" for title, value in zip(titles, place, strict=True)),
            "sections": [_section(document, _of_sheet(document, filled, place)) for filled in together],
        }


def _is_on_sheets(document: Document, filled: Filled) -> bool:
    return bool(document.sheet) and filled.section.key[: len(document.sheet)] == document.sheet


def _place(document: Document, row: Row) -> tuple[Value, ...]:
    return tuple(row.cells[name] for name in document.sheet)


def _of_sheet(document: Document, filled: Filled, place: tuple[Value, ...]) -> Filled:
    """Return the rows of a section that belong to a sheet, without the sheet's columns."""
    section = replace(
        filled.section,
        columns=tuple(column for column in filled.section.columns if column.name not in document.sheet),
        key=filled.section.key[len(document.sheet) :],
    )
    rows = (row for row in filled.rows if _place(document, row) == place)
    return fill(section, ({name: row.given[name] for name in row.given if name not in document.sheet} for row in rows))


def _section(document: Document, filled: Filled) -> dict[str, Any]:
    texts = _Texts.of(filled)
    return {
        "title": filled.section.title,
        "parts": [_part(document, filled, part, texts) for part in _parts(filled, texts)],
    }


def _explained(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "formulas": [
            {"title": column.title, "formula": column.formula, "source": column.source}
            for column in section.columns
            if column.formula or column.source
        ],
    }


def _parts(filled: Filled, texts: _Texts) -> list[list[Column]]:
    """Return the columns in groups that fit the page width.

    The groups are printed one below the other, and each group repeats the columns of the row key. There are as few
    groups as possible, of about equal width.
    """
    widths = {column.name: texts.width(column) + _BESIDE_CHARACTERS for column in filled.section.columns}
    fewest = len(_broken(filled, widths, _LINE_CHARACTERS_MAX))
    limits = range(_LINE_CHARACTERS_MAX)  # the wider a line, the fewer the parts
    narrowest = bisect_left(limits, -fewest, key=lambda limit: -len(_broken(filled, widths, limit)))
    return _broken(filled, widths, narrowest)


def _broken(filled: Filled, widths: Mapping[str, int], characters_max: int) -> list[list[Column]]:
    key = [column for column in filled.section.columns if column.name in filled.section.key]
    parts: list[list[Column]] = [[]]
    for column in filled.section.columns:
        if column in parts[-1]:
            continue
        together = [*parts[-1], column]
        if len(parts[-1]) > len(key) and sum(widths[one.name] for one in together) > characters_max:
            together = [*key, column]
            parts.append(together)
        parts[-1] = together
    return parts


def _part(document: Document, filled: Filled, columns: list[Column], texts: _Texts) -> dict[str, Any]:
    marked = {reference for mark in document.marks for reference in mark.columns}
    total = None if texts.total is None else [_aligned(texts.total[column.name], column) for column in columns]
    cells = [[_aligned(text, column) for text in texts.rows[column.name]] for column in columns]
    if total and not total[0]:
        total[0] = "Total"
    return {
        "heads": [
            _aligned(column.title + (_DAGGER if f"{filled.section.name}/{column.name}" in marked else ""), column)
            for column in columns
        ],
        "widths": [texts.width(column) for column in columns],
        "left": [column.unit in _TO_THE_LEFT for column in columns],
        "rows": list(zip(*cells, strict=True)),
        "total": total,
    }


def _aligned(text: str, column: Column) -> str:
    if column.unit in _TO_THE_LEFT:
        return _LONG_WORD.sub(lambda word: word[0] + _MAY_BREAK, text)
    return text if not text or text.endswith(")") else text + _AS_WIDE_AS_A_PARENTHESIS
