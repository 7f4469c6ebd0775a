"""Figures with provenance: sums that refer to their entries. Pure; amounts are cents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from shared.contracts.reports import Percent, percent_of

Value = int | str | date | datetime | None
"""The value of a cell: cents and counts are integers, percentages and exact cents texts."""


@dataclass(frozen=True, slots=True)
class EntryRef:
    """An entry of a service's journal."""

    service: str
    shard: int
    seq: int


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The selection of entries that are summed to a figure: `measures` of a `book`, filtered by dimensions.

    `book` is `rounds` (figures of settled rounds), `played` (their number, and that of their seats), `lines` (of their
    settlement lines) or `amounts` (of other facts). First and last gaming day are inclusive. `closed` limits rounds to
    those closed after the first and up to the second of its moments. `known_at` is the time as of which it was summed,
    if earlier than the report's.
    """

    book: Literal["rounds", "played", "lines", "amounts"]
    measures: tuple[str, ...]
    first: date
    last: date
    where: tuple[tuple[str, str], ...] = ()
    closed: tuple[datetime, datetime] | None = None
    known_at: datetime | None = None


Because = tuple[EntryRef | Aggregate, ...]
"""The provenance of a figure."""


class EntriesOf:
    """The entries of summed items, resolved on demand."""

    __slots__ = ("_entry_of", "_things")

    def __init__(self, things: Sequence[Any], entry_of: Callable[[Any], EntryRef]) -> None:
        self._things, self._entry_of = things, entry_of

    def __bool__(self) -> bool:
        return bool(self._things)

    def together(self) -> Because:
        """Return each entry once, in the order of the items."""
        return tuple(dict.fromkeys(map(self._entry_of, self._things)))


class _Parts:
    """Several provenances, merged on demand."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Origin, ...]) -> None:
        self.parts = parts

    def together(self) -> Because:
        """Return each source once, in the order of the parts."""
        found: dict[EntryRef | Aggregate, None] = {}
        left: list[Origin] = [self]
        seen: set[int] = set()
        while left:
            one = left.pop()
            if isinstance(one, EntriesOf):
                found.update(dict.fromkeys(one.together()))
            elif not isinstance(one, _Parts):
                found.update(dict.fromkeys(one))
            elif id(one) not in seen:  # a figure may be in many others
                seen.add(id(one))
                left.extend(reversed(one.parts))
        return tuple(found)


Origin = Because | EntriesOf | _Parts
"""The origin of a value, resolved or not yet."""


class Explained:
    """A value with its provenance, which is resolved on demand because most cells are never explained."""

    __slots__ = ("origin",)

    def __init__(self, origin: Origin = ()) -> None:
        self.origin = origin

    @property
    def because(self) -> Because:
        """Return the provenance without duplicates."""
        if not isinstance(self.origin, tuple):
            self.origin = self.origin.together()
        return self.origin


class Figure(Explained):
    """A number of cents or a count, with its provenance.

    >>> won = Figure(500, (EntryRef("table-inventory", 1, 7),)) - Figure(200, (EntryRef("table-inventory", 1, 9),))
    >>> won.value, len(won.because)
    (300, 2)
    """

    __slots__ = ("value",)

    def __init__(self, value: int = 0, because: Origin = ()) -> None:
        self.origin = because
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Figure) and (self.value, self.because) == (other.value, other.because)

    def __hash__(self) -> int:
        return hash((self.value, self.because))

    def __repr__(self) -> str:
        return f"Figure({self.value}, {self.because})"

    def __add__(self, other: Figure) -> Figure:
        return Figure(self.value + other.value, _of_both(self.origin, other.origin))

    def __sub__(self, other: Figure) -> Figure:
        return Figure(self.value - other.value, _of_both(self.origin, other.origin))

    def __neg__(self) -> Figure:
        return Figure(-self.value, self.origin)


NOTHING = Figure()


def total(figures: Iterable[Figure]) -> Figure:
    """Return the sum of figures."""
    listed = list(figures)
    return Figure(sum([one.value for one in listed]), _together([one.origin for one in listed if one.origin]))


class Cell(Explained):
    """A value that is computed from figures, such as a percentage, with their provenance."""

    __slots__ = ("value",)

    def __init__(self, value: Value, because: Origin | Explained = ()) -> None:
        super().__init__(because.origin if isinstance(because, Explained) else because)
        self.value = value


def share(part: Figure, whole: Figure) -> Cell:
    """Return a figure as a percentage of another, two decimals; empty if the whole is 0."""
    percent: Percent | None = percent_of(part.value, whole.value)
    return Cell(percent, explained_by(part, whole))


def explained_by(*explained: Explained) -> Explained:
    """Return the combined provenance of several values."""
    return Explained(_together([one.origin for one in explained if one.origin]))


def _together(origins: Sequence[Origin]) -> Origin:
    """Return several provenances as one, without resolving them."""
    return _Parts(tuple(origins)) if len(origins) > 1 else origins[0] if origins else ()


def _of_both(one: Origin, other: Origin) -> Origin:
    return _Parts((one, other)) if one and other else one or other
