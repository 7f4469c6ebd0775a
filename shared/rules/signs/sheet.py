"""A sheet for patrons, independent of format: sections of sentences and tables, each line with its paragraph."""

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["sign", "guide"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence, and the paragraph on which it is based."""

    text: str
    paragraph: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: its cells, one per heading; the `category` whose payout it shows; and the paragraph."""

    category: str
    cells: tuple[str, ...]
    paragraph: str


@dataclass(frozen=True, slots=True)
class Table:
    """The payouts of a wager: a caption, headings, rows in the order of the paytable."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a sheet: about one wager, by its name, or about the game (`wager` is None)."""

    title: str
    wager: str | None
    stated: tuple[Stated, ...]
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sign or a guide.

    `about` has pairs of label and value that identify its source, such as the version of the submission. `warning` is
    printed across the top of a sheet that must not be posted.
    """

    kind: Kind
    title: str
    game: str
    regulation: str
    about: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    warning: str | None = None

    def as_document(self) -> dict[str, Any]:
        """Return the sheet as JSON, for the typesetter."""
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
