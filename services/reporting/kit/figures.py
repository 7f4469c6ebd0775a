"""Figures that lead to their entries: what was added up carries where to find it. Pure; amounts are cents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from shared.contracts.reports import Percent, percent_of

Value = int | str | date | datetime | None
"""What stands in a cell: cents and counts are whole numbers, percentages and exact shares of a cent texts."""


@dataclass(frozen=True, slots=True)
class EntryRef:
    """An entry of a service's journal."""

    service: str
    shard: int
    seq: int


@dataclass(frozen=True, slots=True)
class AddedUp:
    """The entries that were added up to a figure: those of `measures` in `book` where each dimension has its value.

    `book` is `rounds` (figures of settled rounds), `played` (how many of them), `lines` (of their settlement lines) or
    `amounts` (of other facts). The first and the last gaming day are both included. `closed` limits rounds to those
    that were closed after the first and up to the second of its moments. `known_at` is the moment as of which it was
    added up, where that is before the moment of the question.
    """

    book: Literal["rounds", "played", "lines", "amounts"]
    measures: tuple[str, ...]
    first: date
    last: date
    where: tuple[tuple[str, str], ...] = ()
    closed: tuple[datetime, datetime] | None = None
    known_at: datetime | None = None


Because = tuple[EntryRef | AddedUp, ...]
"""Where a figure comes from."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of cents or a count, and where it comes from.

    >>> won = Figure(500, (EntryRef("table-inventory", 1, 7),)) - Figure(200, (EntryRef("table-inventory", 1, 9),))
    >>> won.value, len(won.because)
    (300, 2)
    """

    value: int = 0
    because: Because = ()

    def __add__(self, other: Figure) -> Figure:
        return Figure(self.value + other.value, _together(self.because, other.because))

    def __sub__(self, other: Figure) -> Figure:
        return Figure(self.value - other.value, _together(self.because, other.because))

    def __neg__(self) -> Figure:
        return Figure(-self.value, self.because)


NOTHING = Figure()


def total(figures: Iterable[Figure]) -> Figure:
    """Return the sum of figures."""
    listed = list(figures)
    because = dict.fromkeys(one for figure in listed for one in figure.because)
    return Figure(sum(figure.value for figure in listed), tuple(because))


@dataclass(frozen=True, slots=True)
class Cell:
    """Any other value that follows from figures, such as a percentage, and where it comes from."""

    value: Value
    because: Because = ()


def share(part: Figure, whole: Figure) -> Cell:
    """Return a figure as a percentage of another, two decimals; nothing where the whole is 0."""
    percent: Percent | None = percent_of(part.value, whole.value)
    return Cell(percent, _together(part.because, whole.because))


def _together(one: Because, other: Because) -> Because:
    if not one or not other or one == other:
        return one or other
    return tuple(dict.fromkeys((*one, *other)))
