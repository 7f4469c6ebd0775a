"""A sheet that patrons read, before it has a form: sections of sentences and tables, each line with its paragraph."""

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["sign", "guide"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence, and the paragraph that says so."""

    text: str
    paragraph: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: its cells, one for each heading; the `category` that settles by it; and the paragraph."""

    category: str
    cells: tuple[str, ...]
    paragraph: str


@dataclass(frozen=True, slots=True)
class Table:
    """What a wager pays: a caption, headings, rows in the order of the paytable."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a sheet: of one wager, by its name, or of what holds for all of them (`wager` is None)."""

    title: str
    wager: str | None
    stated: tuple[Stated, ...]
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sign or a guide. `about` says what it belongs to (label, value), such as the version of the submission.

    `warning` stands across its head where it must not be posted.
    """

    kind: Kind
    title: str
    game: str
    regulation: str
    about: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    warning: str | None = None

    def as_document(self) -> dict[str, Any]:
        """Return it as JSON has it: what a typesetter reads."""
        return {
            "kind": self.kind,
            "title": self.title,
            "game": self.game,
            "about": [list(pair) for pair in self.about],
            "warning": self.warning,
            "sections": [
                {
                    "title": section.title,
                    "stated": [[one.text, one.paragraph] for one in section.stated],
                    "tables": [
                        {
                            "caption": table.caption,
                            "headings": list(table.headings),
                            "rows": [[*row.cells, row.paragraph] for row in table.rows],
                        }
                        for table in section.tables
                    ],
                }
                for section in self.sections
            ],
        }
