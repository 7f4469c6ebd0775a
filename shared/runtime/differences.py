"""What a comparison of tables with what they follow from comes to: rows that differ, entries that do not fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

DIFFERENCES_MAX = 10
"""Most differences of a table, and most entries that do not fit, that are shown; all are counted."""


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that was not as it should be: its key, and its values as texts; None where there is no such row."""

    key: Mapping[str, str]
    was: Mapping[str, str | None] | None
    should_be: Mapping[str, str | None] | None

    @property
    def columns(self) -> list[str]:
        """Return the columns that differ, where there is a row on both sides."""
        if self.was is None or self.should_be is None:
            return []
        return [name for name, value in self.was.items() if value != self.should_be[name]]


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """A table as it was, compared with what it should be: the rows there should be, and how many differed."""

    table: str
    rows: int
    different: int
    first: tuple[RowDifference, ...]


@dataclass(frozen=True, slots=True)
class InapplicableEntry:
    """An entry that does not follow from what was recorded before it, such as more paid out than there was."""

    shard: int
    seq: int
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class UncomparedTable:
    """What could not be compared, and why.

    `altered`: the database is not as a release made it, such as a table that is gone. Otherwise something is away that
    is needed, such as the first records of a topic.
    """

    what: str
    why: str
    altered: bool


@dataclass(frozen=True, slots=True)
class TableComparison:
    """What a comparison came to: the tables, the entries that do not fit, and what could not be compared."""

    tables: Sequence[ComparedTable]
    unfit: Sequence[InapplicableEntry]
    uncompared: Sequence[UncomparedTable] = ()

    @property
    def different(self) -> int:
        """Return how many rows differ and entries do not fit, and how much is so altered that neither is known."""
        altered = sum(one.altered for one in self.uncompared)
        return sum(one.different for one in self.tables) + len(self.unfit) + altered

    @property
    def wrong(self) -> tuple[Sequence[InapplicableEntry], Sequence[UncomparedTable], Sequence[RowDifference]]:
        """Return what is shown of what is wrong: entries that do not fit, what was not compared, rows that differ."""
        return self.unfit, self.uncompared, [row for one in self.tables for row in one.first]

    @property
    def first(self) -> str:
        """Return the first thing that is wrong, by its key and never by its values; empty where nothing is."""
        for unfit in self.unfit:
            return f"entry {unfit.shard}/{unfit.seq} ({unfit.kind}) does not follow from what was recorded before"
        for each in self.uncompared:
            if each.altered:
                return f"{each.what} cannot be compared"
        for one in self.tables:
            for row in one.first:
                key = ", ".join(f"{name} {value}" for name, value in row.key.items())
                return f"{one.table} {key}: {', '.join(row.columns) or 'the whole row'}"
        return ""


Rows = Mapping[tuple[Any, ...], Mapping[str, Any]]
"""Rows by their keys, whose values sort."""


def compare_rows(table: str, key: Sequence[str], was: Rows, should_be: Rows) -> ComparedTable:
    """Compare rows as they were with what they should be; a value is the same where its text is.

    >>> compare_rows("counts", ["count"], {(1,): {"by": "kim"}}, {(1,): {"by": "lee"}}).first[0].columns
    ['by']
    """
    first, different = list[RowDifference](), 0
    for each in sorted({*was, *should_be}):
        before, after = (
            None if row is None else {name: None if value is None else str(value) for name, value in row.items()}
            for row in (was.get(each), should_be.get(each))
        )
        if before == after:
            continue
        different += 1
        if len(first) < DIFFERENCES_MAX:
            first.append(RowDifference(dict(zip(key, map(str, each), strict=True)), before, after))
    return ComparedTable(table, len(should_be), different, tuple(first))
