"""Output of commands: data to stdout, messages to stderr; JSON one document per line, or tables."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from services.cli.exits import InputRefused, UsageWrong

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

_WIDTH_WITHOUT_TERMINAL = 160
_WIDTH_MAX = 400
_WORD_MAX = 24
"""Words up to this length are never wrapped, however narrow the terminal."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one document per line, instead of tables.")]
"""The option `--json`, which every command has."""


def print_json(document: Any) -> None:
    """Print a JSON document on one line of stdout."""
    text = json.dumps(document, ensure_ascii=False, separators=(", ", ": "), default=str)
    # Half of a surrogate pair, which JSON allows, goes out as the escape that was read.
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def print_line(text: str) -> None:
    """Print a line of data on stdout without wrapping."""
    sys.stdout.write(printable(text) + "\n")


def message(text: str) -> None:
    """Print a message line on stderr."""
    sys.stderr.write(printable(text) + "\n")


def write_bytes(content: bytes, output: Path | None, form: str, *, readable: bool) -> None:
    """Write a document to a file or stdout; refuse to write binary content (not `readable`) to a terminal.

    Raises: InputRefused if the file cannot be written; UsageWrong if a file is required.
    """
    if output is not None:
        try:
            output.write_bytes(content)
        except OSError as error:
            raise InputRefused(f"{output}: {error.strerror}") from error
        message(f"{output}: {len(content):,} bytes")
    elif readable or not sys.stdout.isatty():
        sys.stdout.buffer.write(content)
    else:
        raise UsageWrong(f"{form} is nothing for a terminal: name a file with --output")


def printable(text: str) -> str:
    """Return the text without terminal control characters."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def console(*, stderr: bool = False) -> "Console":
    """Return a Rich console for tables, as wide as the terminal; without a terminal, 160 columns wide."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    wide = None if stream.isatty() or "COLUMNS" in os.environ else _WIDTH_WITHOUT_TERMINAL
    return Console(file=stream, width=wide, markup=False, highlight=False, emoji=False)


Column = tuple[str, Literal["words", "number", "name"]]
"""A heading, and the kind of its cells: only words are wrapped."""


def names(*headings: str) -> list[Column]:
    """Return left-aligned columns for names, which do not wrap."""
    return [(heading, "name") for heading in headings]


def numbers(*headings: str) -> list[Column]:
    """Return right-aligned columns of numbers."""
    return [(heading, "number") for heading in headings]


def words(*headings: str) -> list[Column]:
    """Return columns of text, wrapped in a narrow terminal."""
    return [(heading, "words") for heading in headings]


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]], *, footer: bool = False) -> "Table":
    """Return a table; with `footer`, the last row is the sum of the others. Columns without names have no heading."""
    from rich import box
    from rich.table import Table

    named = any(name for name, _ in columns)
    built = Table(box=box.SIMPLE_HEAD, show_header=named, pad_edge=False, padding=(0, 1, 0, 0))
    listed = [[printable(cell) for cell in row] for row in rows]
    for number, (name, kind) in enumerate(columns):
        cells = [row[number] for row in listed]
        whole = [word for cell in cells for word in cell.split()] if kind == "words" else cells
        built.add_column(
            name,
            justify="right" if kind == "number" else "left",
            overflow="fold",
            no_wrap=kind != "words",
            min_width=min(max(map(len, [name, *whole])), _WORD_MAX if kind == "words" else _WIDTH_MAX),
        )
    for number, row in enumerate(listed):
        last = footer and number == len(listed) - 1
        built.add_row(*row, style="bold" if last else None, end_section=footer and number == len(listed) - 2)
    return built


def heading(text: str) -> "Text":
    """Return a heading to print above a table."""
    from rich.text import Text

    return Text(printable(text), style="bold")


def show(*parts: "RenderableType") -> None:
    """Print tables and text to stdout."""
    for part in parts:
        to = console()
        needed = to.measure(part, options=to.options.update(max_width=_WIDTH_MAX)).minimum
        to.width = max(needed, to.width)  # too wide is better than cut off
        to.print(part, crop=False)
