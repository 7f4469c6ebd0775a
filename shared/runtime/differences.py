"""The result of comparing tables with their source: differing rows, inapplicable entries, uncompared tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

DIFFERENCES_MAX = 10
"""Maximum number of differences and of inapplicable entries listed per table; all are counted."""


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that differs: its key, and its actual and expected values as text. A missing row is None."""

    key: Mapping[str, str]
    was: Mapping[str, str | None] | None
    should_be: Mapping[str, str | None] | None

    @property
    def columns(self) -> list[str]:
        """Return the columns that differ; empty if the actual or the expected row is missing."""
        if self.was is None or self.should_be is None:
            return []
        return [name for name, value in self.was.items() if value != self.should_be[name]]


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """A compared table: the number of expected rows, the number of differing rows, and the first differing rows."""

    table: str
    rows: int
    different: int
    first: tuple[RowDifference, ...]


@dataclass(frozen=True, slots=True)
class InapplicableEntry:
    """An entry that is inconsistent with earlier ones, such as a payment that exceeds what was owed."""

    shard: int
    seq: int
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class UncomparedTable:
    """A table or a step that could not be compared, with the reason.

    `altered` is true if the database is not as a release created it, for example if a table is missing. Otherwise the
    comparison needs something that is unavailable, such as the first records of a topic.
    """

    what: str
    why: str
    altered: bool


@dataclass(frozen=True, slots=True)
class TableComparison:
    """The result of a comparison: compared tables, inapplicable entries, and tables that could not be compared."""

    tables: Sequence[ComparedTable]
    unfit: Sequence[InapplicableEntry]
    uncompared: Sequence[UncomparedTable] = ()

    @property
    def different(self) -> int:
        """Return the number of differing rows and of inapplicable entries, plus one for each altered table."""
        altered = sum(one.altered for one in self.uncompared)
        return sum(one.different for one in self.tables) + len(self.unfit) + altered

    @property
    def wrong(self) -> tuple[Sequence[InapplicableEntry], Sequence[UncomparedTable], Sequence[RowDifference]]:
        """Return everything to report: inapplicable entries, uncompared tables, and the first differing rows."""
        return self.unfit, self.uncompared, [row for one in self.tables for row in one.first]

    @property
    def first(self) -> str:
        """Return a description of the first problem, with key but without values; empty if there is none."""
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
"""Key -> row (a mapping by column name); the keys can be sorted."""


def compare_rows(table: str, key: Sequence[str], was: Rows, should_be: Rows) -> ComparedTable:
    """Compare actual with expected rows; values are equal if they are equal as text.

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
