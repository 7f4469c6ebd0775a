"""Figures with provenance: sums that refer to their entries, with sign and factor. Pure; amounts are cents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Literal

from shared.contracts.reports import Percent, percent_of

Value = int | str | date | datetime | None
"""The value of a cell: cents and counts are integers; percentages and exact cents are texts."""


@dataclass(frozen=True, slots=True)
class EntryRef:
    """A reference to an entry of a service's journal."""

    service: str
    shard: int
    seq: int


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A query for the entries that a figure sums: `measures` of a `book`, filtered by dimensions (`where`).

    `book` is `rounds` (figures of settled rounds), `played` (numbers of rounds and of their seats), `lines` (figures of
    settlement lines) or `amounts` (measures of other facts). First and last gaming day are inclusive. `closed` is a
    pair of times: only rounds closed after the first and up to the second are included. `known_at` is the as-of time of
    the sum, if it differs from the report's.
    """

    book: Literal["rounds", "played", "lines", "amounts"]
    measures: tuple[str, ...]
    first: date
    last: date
    where: tuple[tuple[str, str], ...] = ()
    closed: tuple[datetime, datetime] | None = None
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Rounding:
    """A source that stands for the amount that rounding added to an exact sum; there is no journal entry for it."""


Source = EntryRef | Aggregate | Rounding
Factor = int | Fraction


@dataclass(frozen=True, slots=True)
class Part:
    """A source of a figure, which contributes its value times `factor`, or no amount if `factor` is None.

    `value` is set for an entry or rounding. The value of an aggregate is queried together with its entries.
    """

    source: Source
    factor: Factor | None = 1
    value: Factor | None = None

    def as_of(self, moment: datetime) -> Part:
        """Return this part with its source as of an earlier time."""
        source = self.source
        return replace(self, source=replace(source, known_at=moment)) if isinstance(source, Aggregate) else self


Because = tuple[Part, ...]
"""The provenance of a figure. The parts add up to the figure, unless one of them has no factor."""

Sources = tuple[Source | Part, ...]
"""Provenance in the form in which callers pass it; see `Figure` for sources without a factor."""


def stated(value: Factor, *entries: EntryRef) -> tuple[Part, ...]:
    """Return the provenance of a value that the first entry states; further entries are listed with an amount of 0."""
    return tuple(Part(entry, 1, 0 if number else value) for number, entry in enumerate(entries))


def counted_each(entries: Iterable[EntryRef]) -> tuple[Part, ...]:
    """Return the provenance of a number of entries: each entry adds 1."""
    return tuple(Part(entry, 1, 1) for entry in entries)


class EntriesOf:
    """The entries of summed items, resolved on demand. Each adds `value_of(item)`; without `value_of`, no amount."""

    __slots__ = ("_entry_of", "_things", "_value_of")

    def __init__(
        self, things: Sequence[Any], entry_of: Callable[[Any], EntryRef], value_of: Callable[[Any], int] | None = None
    ) -> None:
        self._things, self._entry_of, self._value_of = things, entry_of, value_of

    def __bool__(self) -> bool:
        return bool(self._things)

    def parts(self) -> Iterator[Part]:
        """Yield one part for each item."""
        for one in self._things:
            if self._value_of is None:
                yield Part(self._entry_of(one), None)
            else:
                yield Part(self._entry_of(one), 1, self._value_of(one))


class _Given:
    """Sources without factors, as callers pass them: an aggregate adds its sum, a single entry `value`, if given."""

    __slots__ = ("_sources", "_value")

    def __init__(self, sources: Sources, value: int | None = None) -> None:
        self._sources, self._value = sources, value

    def parts(self) -> Iterator[Part]:
        """Yield one part for each source."""
        for one in self._sources:
            match one:
                case Part():
                    yield one
                case EntryRef() if len(self._sources) == 1 and self._value is not None:
                    yield Part(one, 1, self._value)
                case EntryRef():
                    yield Part(one, None)
                case _:
                    yield Part(one)


class _Sum:
    """A weighted sum of provenances, merged on demand; a factor of None means that no amount is contributed."""

    __slots__ = ("factors", "origins")

    def __init__(self, origins: tuple[Origin, ...], factors: tuple[Factor | None, ...]) -> None:
        self.origins, self.factors = origins, factors

    def parts(self) -> Iterator[Part]:
        """Yield the parts of the provenances in their order.

        A provenance that several others contain is visited only once, after all of these.
        """
        sums, leaves = self._in_order()
        factors: dict[int, Factor] = {id(self): 1}
        behind: set[int] = set()
        for one in sums:
            for factor, origin in zip(one.factors, one.origins, strict=True):
                if factor is None or id(one) in behind:
                    behind.add(id(origin))
                else:
                    factors[id(origin)] = factors.get(id(origin), 0) + factor * factors[id(one)]
        for leaf in leaves:
            times = None if id(leaf) in behind else factors[id(leaf)]
            for part in _parts_of(leaf):
                yield replace(part, factor=None if times is None or part.factor is None else times * part.factor)

    def _in_order(self) -> tuple[list[_Sum], list[Origin]]:
        """Return all nested sums, outer sums before inner ones, and the leaves (other provenances) in their order."""
        sums: list[_Sum] = []
        leaves: list[Origin] = []
        seen = {id(self)}
        left: list[tuple[_Sum, Iterator[Origin]]] = [(self, iter(self.origins))]
        while left:
            one, origins = left[-1]
            for origin in origins:
                if id(origin) in seen:
                    continue
                seen.add(id(origin))
                if isinstance(origin, _Sum):
                    left.append((origin, iter(origin.origins)))
                    break
                leaves.append(origin)
            else:
                sums.append(one)
                left.pop()
        return sums[::-1], leaves


Origin = Sources | EntriesOf | _Given | _Sum
"""The provenance of a value: its sources, or an object that resolves to parts on demand."""


def _parts_of(origin: Origin) -> Iterable[Part]:
    return _Given(origin).parts() if isinstance(origin, tuple) else origin.parts()


def _merged(parts: Iterable[Part]) -> Because:
    """Merge parts with the same source: add the factors of aggregates, and the values of entries with equal factors."""
    found: dict[object, Part] = {}
    for part in parts:
        is_sum = isinstance(part.source, Aggregate) and part.factor is not None
        key = part.source if is_sum else (part.source, part.factor)
        before = found.get(key)
        if before is None:
            found[key] = part
        elif is_sum:
            found[key] = replace(part, factor=(before.factor or 0) + (part.factor or 0))
        elif part.value is not None:
            found[key] = replace(part, value=(before.value or 0) + part.value)
    return tuple(part for part in found.values() if part.factor != 0)


class Explained:
    """A value with provenance; it is resolved on demand, because users ask for the provenance of few cells."""

    __slots__ = ("_because", "origin")

    def __init__(self, origin: Origin = ()) -> None:
        self.origin = origin
        self._because: Because | None = None

    @property
    def because(self) -> Because:
        """Return the provenance with parts of the same source merged; computed once."""
        if self._because is None:
            self._because = _merged(_parts_of(self.origin))
        return self._because

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the distinct sources in the value's provenance."""
        return tuple(dict.fromkeys(part.source for part in self.because))


class Figure(Explained):
    """A sum, in cents or a count, with its provenance.

    Sources may be given without a factor: aggregates then add their sums, and a single entry adds the whole value.
    Several entries are listed without adding an amount, unless they are given as parts.

    >>> won = Figure(500, (EntryRef("table-inventory", 1, 7),)) - Figure(200, (EntryRef("table-inventory", 1, 9),))
    >>> won.value, [(part.factor, part.value) for part in won.because]
    (300, [(1, 500), (-1, 200)])
    """

    __slots__ = ("value",)

    def __init__(self, value: int = 0, because: Origin = ()) -> None:
        super().__init__(_Given(because, value) if because and isinstance(because, tuple) else because)
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Figure) and (self.value, self.because) == (other.value, other.because)

    def __hash__(self) -> int:
        return hash((self.value, self.because))

    def __repr__(self) -> str:
        return f"Figure({self.value}, {self.because})"

    def __add__(self, other: Figure) -> Figure:
        return Figure(self.value + other.value, _together((self.origin, other.origin), (1, 1)))

    def __sub__(self, other: Figure) -> Figure:
        return Figure(self.value - other.value, _together((self.origin, other.origin), (1, -1)))

    def __neg__(self) -> Figure:
        return self * -1

    def __mul__(self, factor: int) -> Figure:
        return Figure(self.value * factor, _together((self.origin,), (factor,)))


NOTHING = Figure()


def total(figures: Iterable[Figure]) -> Figure:
    """Return the sum of figures, with the provenance of all of them."""
    listed = list(figures)
    origins = [one.origin for one in listed if one.origin]
    return Figure(sum([one.value for one in listed]), _together(origins, (1,) * len(origins)))


Weights = tuple[tuple[Fraction, Figure], ...]
"""The terms of a weighted sum: pairs of factor and figure."""


def weighted(value: int, parts: Iterable[tuple[Factor, Figure]]) -> Figure:
    """Return a weighted sum of figures; `parts` are (factor, figure), `value` is their exact sum after rounding."""
    listed = list(parts)
    origin = _together([figure.origin for _, figure in listed], [factor for factor, _ in listed])
    return _rounded(value, Fraction(sum(factor * figure.value for factor, figure in listed)), origin)


def rounded(value: int, exact: Fraction, figure: Explained) -> Figure:
    """Return a figure with the rounded `value` of an exact sum, and the provenance of `figure` and of the rounding."""
    return _rounded(value, exact, figure.origin)


def _rounded(value: int, exact: Fraction, origin: Origin) -> Figure:
    rest = value - exact
    return Figure(value, _together((origin, (Part(Rounding(), 1, rest),)), (1, 1)) if origin and rest else origin)


def computed(value: int, because: Origin | Explained) -> Figure:
    """Return a figure that is computed from other figures but is not their sum, such as a tax rounded each day."""
    return Figure(value, _behind(because))


class Cell(Explained):
    """A value that is computed from figures, such as a percentage, with its provenance.

    If the value is an integer, a single entry adds the whole value, as in `Figure`.
    """

    __slots__ = ("value",)

    def __init__(self, value: Value, because: Origin | Explained = ()) -> None:
        is_stated = isinstance(value, int) and isinstance(because, tuple) and because
        super().__init__(_Given(because, value) if is_stated else _behind(because))  # type: ignore[arg-type]
        self.value = value


def exact_sum(value: str, parts: Iterable[Explained]) -> Cell:
    """Return a cell with an exact amount (a decimal text), which is the sum of `parts`, and their provenance."""
    cell, origins = Cell(value), [one.origin for one in parts if one.origin]
    cell.origin = _together(origins, (1,) * len(origins))
    return cell


def share(part: Figure, whole: Figure) -> Cell:
    """Return `part` as a percentage of `whole`, with two decimals; empty if `whole` is 0."""
    percent: Percent | None = percent_of(part.value, whole.value)
    return Cell(percent, explained_by(part, whole))


def explained_by(*explained: Explained) -> Explained:
    """Return the combined provenance of several values."""
    origins = [one.origin for one in explained if one.origin]
    return Explained(_together(origins, (1,) * len(origins)))


def _behind(because: Origin | Explained) -> Origin:
    return _together((because.origin if isinstance(because, Explained) else because,), (None,))


def _together(origins: Sequence[Origin], factors: Sequence[Factor | None]) -> Origin:
    """Return several provenances as one, without resolving them."""
    listed = [(origin, factor) for origin, factor in zip(origins, factors, strict=True) if origin]
    if len(listed) == 1 and listed[0][1] == 1:
        return listed[0][0]
    return _Sum(*map(tuple, zip(*listed, strict=True))) if listed else ()
