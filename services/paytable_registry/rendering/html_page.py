"""Render a sheet as one self-contained HTML file, with its style and without scripts."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import Final

from shared.rules.signs import Section, Sheet, Stated, Table

_STYLE: Final = files(__package__).joinpath("sheet.css").read_text(encoding="utf-8")


def as_html(sheet: Sheet) -> str:
    """Return a sheet as an HTML document: sections with headings, tables with captions and scopes."""
    return "\n".join(_lines(sheet)) + "\n"


def _lines(sheet: Sheet) -> Iterator[str]:
    title = escape(f"{sheet.game}: {sheet.title}")
    yield "<!DOCTYPE html>"
    yield '<html lang="en-US">'
    yield '<head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>'
    yield f"<title>{title}</title>"
    yield f"<style>\n{_STYLE}</style></head>"
    yield f'<body class="{sheet.kind}">'
    yield f"<header><p>{escape(sheet.title)}</p><h1>{escape(sheet.game)}</h1></header>"
    if sheet.warning is not None:
        yield f'<p class="warning" role="note">{escape(sheet.warning)}</p>'
    yield "<main>"
    for number, section in enumerate(sheet.sections, 1):
        yield from _section(section, number, explained_first=sheet.kind == "guide")
    yield "</main>"
    yield "<footer><dl>"
    for label, value in sheet.about:
        yield f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>"
    yield "</dl></footer>"
    yield "</body>"
    yield "</html>"


def _section(section: Section, number: int, *, explained_first: bool) -> Iterator[str]:
    yield f'<section aria-labelledby="section-{number}">'
    yield f'<h2 id="section-{number}">{escape(section.title)}</h2>'
    if explained_first:
        yield from _stated(section.stated)
    for table in section.tables:
        yield from _table(table)
    if not explained_first:
        yield from _stated(section.stated)
    yield "</section>"


def _stated(stated: Sequence[Stated]) -> Iterator[str]:
    if stated:
        yield "<ul>"
        for one in stated:
            yield f"<li><span>{escape(one.text)}</span> <cite>{escape(one.paragraph)}</cite></li>"
        yield "</ul>"


def _table(table: Table) -> Iterator[str]:
    yield f"<table><caption>{escape(table.caption)}</caption>"
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in (*table.headings, "Paragraph"))
    yield f"<thead><tr>{heads}</tr></thead>"
    yield "<tbody>"
    for row in table.rows:
        first, *rest = (escape(cell) for cell in row.cells)
        cells = "".join(f"<td>{cell}</td>" for cell in rest)
        yield f'<tr><th scope="row">{first}</th>{cells}<td><cite>{escape(row.paragraph)}</cite></td></tr>'
    yield "</tbody></table>"
