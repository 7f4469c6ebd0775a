"""The columns and rows of a report that a person chooses to see: on the page, in its address, and as CSV.

A choice is part of the address, so that it works without a script and can be sent to somebody. The browser remembers
the columns, but not the rows, in a cookie for each report.
"""

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from services.console.views import cell, dollars
from shared.contracts.spreadsheet_text import guarded

CHOSEN: Final = "choose"
"""The query parameter that marks an address with chosen columns, also where none is chosen."""
COLUMN: Final = "column"
"""The query parameter, once for each chosen column, as `section:name`."""
ROWS: Final = "find"
"""The query parameter with the text that the shown rows contain."""
_PLAIN: Final = str.maketrans({"−": "-", "$": None, ",": None, "≈": None, " ": None})
_SHOWN: Final = "+"
"""The beginning of a remembered text that has the shown columns; without it, the text has the hidden ones."""
_BETWEEN: Final = "~"
_REMEMBERED_MAX: Final = 3000
"""Maximum number of characters of the cookie: a browser takes 4,096 with its name and attributes."""

Columns = Mapping[str, Sequence[Mapping[str, Any]]]
"""The columns of a report, by section."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The hidden columns, as `section:name`, and the text that the shown rows contain; both may be empty."""

    hidden: frozenset[str] = frozenset()
    find: str = ""

    @classmethod
    def of(cls, columns: Columns, query: Collection[tuple[str, str]], remembered: str) -> "Choice":
        """Return the choice in an address or, if the address chooses no columns, the remembered columns.

        `remembered` is a text that `remember` returned. Unknown columns are ignored. The first column of a section,
        which names the row, is never hidden.

        >>> columns = {"tables": [{"name": "table"}, {"name": "drop_cents"}, {"name": "win_cents"}]}
        >>> sorted(Choice.of(columns, [("choose", "1"), ("column", "tables:win_cents")], "").hidden)
        ['tables:drop_cents']
        >>> Choice.of(columns, [("find", " bj ")], "tables:win_cents~tables:table~gone:x")
        Choice(hidden=frozenset({'tables:win_cents'}), find='bj')
        """
        asked: dict[str, set[str]] = {}
        for name, value in query:
            asked.setdefault(name, set()).add(value.strip())
        can_hide = {f"{section}:{one['name']}" for section, each in columns.items() for one in each[1:]}
        if CHOSEN in asked:
            shown = asked.get(COLUMN, set())
        else:
            kept = set(remembered.lstrip(_SHOWN).split(_BETWEEN))
            shown = kept if remembered.startswith(_SHOWN) else can_hide - kept
        return cls(frozenset(can_hide - shown), next(iter(asked.get(ROWS, ())), ""))

    def columns_of(self, section: str, columns: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the shown columns of a section."""
        return [one for one in columns if self.shows(section, one["name"])]

    def shows(self, section: str, name: str) -> bool:
        """Return whether a column is shown."""
        return f"{section}:{name}" not in self.hidden

    def rows_of(
        self, rows: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, Any]], zone: str | None
    ) -> list[Mapping[str, Any]]:
        """Return the rows that contain the text in a shown column, as the page shows it, in any case."""
        wanted = self.find.casefold()
        return [
            row
            for row in rows
            if not wanted
            or any(wanted in str(cell(row.get(one["name"]), one["unit"], zone)).casefold() for one in columns)
        ]

    def remember(self, columns: Columns) -> str:
        """Return the choice among a report's columns as a text for a cookie: the hidden ones or, if shorter, the shown.

        It is empty if no column is hidden, or if both texts are too long for a cookie.

        >>> columns = {"t": [{"name": "table"}, {"name": "drop"}, {"name": "win"}]}
        >>> Choice(frozenset({"t:drop", "t:win"})).remember(columns), Choice(frozenset({"t:win"})).remember(columns)
        ('+', 't:win')
        >>> Choice.of(columns, [], "+t:drop").hidden
        frozenset({'t:win'})
        """
        if not self.hidden:
            return ""
        shown = [value for name, value in self._parts(columns) if name == COLUMN]
        text = min(_BETWEEN.join(sorted(self.hidden)), _SHOWN + _BETWEEN.join(shown), key=len)
        return text if len(text) <= _REMEMBERED_MAX else ""

    def query(self, columns: Columns) -> str:
        """Return the choice among these columns as part of an address."""
        return urlencode(list(self._parts(columns)))

    def _parts(self, columns: Columns) -> Iterator[tuple[str, str]]:
        yield CHOSEN, "1"
        for section, each in columns.items():
            for one in self.columns_of(section, each)[1:]:
                yield COLUMN, f"{section}:{one['name']}"
        if self.find:
            yield ROWS, self.find


def choose(shown: dict[str, Any], choice: Choice, zone: str | None) -> Columns:
    """Reduce a report, as JSON, to the chosen columns and rows, and return all columns that it had.

    A section whose rows are chosen has no total, which would be that of all rows, and says `found_of`: the number of
    its rows.
    """
    every: Columns = dict(shown["columns"])
    for section in shown["content"]["sections"]:
        name, rows = section["name"], section["rows"]
        shown["columns"][name] = columns = choice.columns_of(name, every[name])
        if choice.find:
            section.update(rows=choice.rows_of(rows, columns, zone), total=None, found_of=len(rows))
    return every


def csv_of(section: Mapping[str, Any], columns: Sequence[Mapping[str, Any]], zone: str | None) -> str:
    r"""Return the rows of a section as CSV (RFC 4180), with the headings of the page; amounts are in dollars.

    >>> columns = [{"name": "table", "title": "Table", "unit": "text"}, {"name": "c", "title": "Win", "unit": "cents"}]
    >>> csv_of({"rows": [{"table": "=BJ01", "c": -123450}, {"table": "BJ02", "c": None}]}, columns, None)
    "Table,Win\r\n'=BJ01,-1234.50\r\nBJ02,\r\n"
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(one["title"] for one in columns)
    writer.writerows(_cells(row, columns, zone) for row in section["rows"])
    return text.getvalue()


def _cells(row: Mapping[str, Any], columns: Sequence[Mapping[str, Any]], zone: str | None) -> Iterator[str]:
    for one in columns:
        name, unit = one["name"], one["unit"]
        value = row.get(name)
        if value is None:
            yield ""
        elif unit in ("cents", "exact_cents"):
            yield dollars(value).translate(_PLAIN)
        elif unit in ("count", "percent", "decimal", "number"):
            yield str(value)
        else:
            yield guarded(_text(cell(value, unit, zone, name), value))


def _text(shown: Any, value: Any) -> str:
    """Return the text of a cell without its markup: a moment or a hash on a page is HTML."""
    striptags = getattr(shown, "striptags", None)
    whole = str(shown) if striptags is None else str(striptags())
    return str(value) if whole.endswith("…") else whole
