"""Settled rounds as several reports add them up, with the house edges of their wagers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from operator import add
from typing import Final, NamedTuple

from services.reporting.books.reading import Books
from services.reporting.books.rounds import BANK
from services.reporting.domain.house_edges import HouseEdge
from services.reporting.kit.figures import AddedUp, Figure
from services.reporting.reports.settled_win import ADDED, SettledWin

DIMENSIONS: Final = ("table_name", "game", "shift", "version", "submission", "wager")
"""What settled wins can be added up by."""

_OFFERED: Final = ("game", "version", "submission", "wager")
_WON: Final = {"handle_cents": 1, "vigorish_cents": 1, "house_in_bank_cents": 1, "payout_cents": -1}
_SIGNS: Final = tuple((ADDED.index(name), sign) for name, sign in _WON.items())
_HANDLE, _VIGORISH, _SQUARED = map(ADDED.index, ("handle_cents", "vigorish_cents", "squared"))

Offered = tuple[str, str, str, str]
"""Game, version, hash of the rules submission, and wager."""

Where = tuple[tuple[str, str], ...]


class Part(NamedTuple):
    """What was added up by all of DIMENSIONS, whose values are `place`: whole numbers in the order of ADDED."""

    place: tuple[str, ...]
    values: tuple[int, ...]

    @property
    def offered(self) -> Offered:
        """Return what was wagered on."""
        _, game, _, version, submission, wager = self.place
        return game, version, submission, wager

    @property
    def handle_cents(self) -> int:
        """Return the handle."""
        return self.values[_HANDLE]

    @property
    def win_cents(self) -> int:
        """Return the win, before meters."""
        return sum(sign * self.values[index] for index, sign in _SIGNS)


@dataclass(frozen=True)
class SettledRounds:
    """The settled rounds of some gaming days, added up by all of DIMENSIONS, with the house edges of their wagers.

    Where they are not `explained`, figures do not say where they come from.
    """

    first: date
    last: date
    parts: Sequence[Part]
    edges: Mapping[tuple[str, str], HouseEdge]
    narrowed: Where = ()
    explained: bool = True
    _known: dict[tuple[str, ...], Mapping[tuple[str, ...], SettledWin]] = field(default_factory=dict, compare=False)

    @cached_property
    def reasons(self) -> Mapping[Offered, str]:
        """Return why what has a handle has no exact house edge, where it has none."""
        found, come = {}, {submission for submission, _ in self.edges}
        for part in self.parts:
            _, version, submission, wager = part.offered
            edge = self.edges.get((submission, wager))
            if part.handle_cents and submission not in come:
                found[part.offered] = f"version {version} of the rules submission has not come from the registry"
            elif part.handle_cents and edge is None:
                found[part.offered] = "it is a part of another wager of the catalogue"
            elif part.handle_cents and edge is not None and edge.reason is not None:
                found[part.offered] = edge.reason
        return found

    def __add__(self, later: "SettledRounds") -> "SettledRounds":
        """Return these and the rounds of the gaming days that follow."""
        values = {part.place: part.values for part in self.parts}
        for place, more in later.parts:
            values[place] = tuple(map(add, values[place], more)) if place in values else more
        parts = [Part(place, sums) for place, sums in values.items()]
        return replace(self, last=later.last, parts=parts, edges={**self.edges, **later.edges}, _known={})

    def by(self, *names: str) -> Mapping[tuple[str, ...], SettledWin]:
        """Return the win by some of DIMENSIONS, in the order of their values."""
        if names not in self._known:
            self._known[names] = self._by(*names)
        return self._known[names]

    def _by(self, *names: str) -> dict[tuple[str, ...], SettledWin]:
        indexes = [DIMENSIONS.index(name) for name in names]

        def key(part: Part) -> tuple[str, ...]:
            return tuple(part.place[index] for index in indexes)

        grouped = groupby(sorted(self.parts, key=key), key)
        return {place: self._together(tuple(zip(names, place, strict=True)), list(parts)) for place, parts in grouped}

    def whole(self) -> SettledWin:
        """Return the win of everything."""
        return self.by().get((), SettledWin())

    def _together(self, where: Where, parts: Sequence[Part]) -> SettledWin:
        where += tuple(one for one in self.narrowed if one[0] not in dict(where))
        values = map(sum, zip(*(part.values for part in parts), strict=True))
        exact: dict[Offered, list[Part]] = {}
        without = set()
        for part in parts:
            if part.offered not in self.reasons:
                exact.setdefault(part.offered, []).append(part)
            elif part.handle_cents:
                without.add("/".join(part.offered[:: len(_OFFERED) - 1]))
        wheres = [_narrower(where, tuple(zip(_OFFERED, offered, strict=True))) for offered in exact if self.explained]
        return SettledWin(
            {name: self._figure(value, where, name) for name, value in zip(ADDED, values, strict=True)},
            self._figure(
                sum(part.values[_VIGORISH] for part in parts if part.offered[-1] == BANK),
                _narrower(where, (("wager", BANK),)),
                "vigorish_cents",
            ),
            self._exact(wheres, exact, "handle_cents"),
            self._exact(wheres, exact, *_WON),
            sum((self._theoretical(offered, found) for offered, found in exact.items()), Fraction(0)),
            sum((self._variance(offered, found) for offered, found in exact.items()), Fraction(0)),
            frozenset(without),
        )

    def _figure(self, value: int, where: Where, name: str) -> Figure:
        return Figure(value, (AddedUp("rounds", (name,), self.first, self.last, where),) if self.explained else ())

    def _exact(self, wheres: Sequence[Where], exact: Mapping[Offered, Sequence[Part]], *names: str) -> Figure:
        """Return what figures of parts come to, with their signs in the win, and where each comes from."""
        columns = [(ADDED.index(name), _WON[name]) for name in names]
        value = sum(sign * part.values[index] for parts in exact.values() for part in parts for index, sign in columns)
        because = (AddedUp("rounds", (name,), self.first, self.last, where) for where in wheres for name in names)
        return Figure(value, tuple(because))

    def _theoretical(self, offered: Offered, parts: Sequence[Part]) -> Fraction:
        edge = self.edges.get(offered[2:])
        keeps = None if edge is None else edge.house_edge
        return Fraction(0) if keeps is None else sum(part.handle_cents for part in parts) * keeps

    def _variance(self, offered: Offered, parts: Sequence[Part]) -> Fraction:
        edge = self.edges.get(offered[2:])
        if edge is None or edge.returns is None:
            return Fraction(0)
        return sum(part.values[_SQUARED] for part in parts) * edge.returns.variance


def _narrower(where: Where, more: Where) -> Where:
    return where + tuple(one for one in more if one[0] not in dict(where))


async def settled_rounds(books: Books, first: date | None = None, last: date | None = None) -> SettledRounds:
    """Return the settled rounds of the gaming days of the question, or of others."""
    first, last = first or books.question.first, last or books.question.last
    known = await books.round_sums(DIMENSIONS, first=first, last=last)
    parts = [Part(place, values) for place, values in known.items()]
    edges = await books.house_edges({part.offered[2] for part in parts})
    asked = (("table_name", books.question.table), ("game", books.question.game))
    narrowed = tuple((name, value) for name, value in asked if value is not None)
    return SettledRounds(first, last, parts, edges, narrowed, books.explains)
