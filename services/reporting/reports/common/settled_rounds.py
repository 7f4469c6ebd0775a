"""Sums of settled rounds used by several reports, with the house edges of their wagers."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import starmap
from operator import add
from typing import Final, NamedTuple, Self

from services.reporting.domain.house_edges import HouseEdge, Rates
from services.reporting.framework.figures import NOTHING, Aggregate, Figure
from services.reporting.framework.figures import Part as SourceOf
from services.reporting.read_model.reading import Books
from services.reporting.read_model.rounds import BANK
from services.reporting.read_model.sums import HANDOVER_SHIFT
from services.reporting.reports.common.settled_win import ADDED, SettledWin
from services.reporting.reports.common.theoretical_win import Errors, StatedEdge, TheoreticalWin, stated_edge

_TABLE: Final = "table_name"
DIMENSIONS: Final = (_TABLE, "game", HANDOVER_SHIFT, "version", "submission", "wager")
"""The dimensions by which settled wins are summed; the shift is empty unless rounds are summed by shift."""
_SHIFT: Final = DIMENSIONS.index(HANDOVER_SHIFT)

_OFFERED: Final = ("game", "version", "submission", "wager")
_WON: Final = {"handle_cents": 1, "vigorish_cents": 1, "house_in_bank_cents": 1, "payout_cents": -1}
_SIGNS: Final = tuple((ADDED.index(name), sign) for name, sign in _WON.items())
_HANDLE, _PAYOUT, _VIGORISH, _SQUARED = map(ADDED.index, ("handle_cents", "payout_cents", "vigorish_cents", "squared"))

Offered = tuple[str, str, str, str]
"""Game, version, hash of the rules submission, and wager."""

Where = tuple[tuple[str, str], ...]


class Part(NamedTuple):
    """The sums of rounds (`values`, in the order of ADDED) for one combination of values of DIMENSIONS (`place`)."""

    place: tuple[str, ...]
    values: tuple[int, ...]
    offered: Offered

    @classmethod
    def of(cls, place: tuple[str, ...], values: tuple[int, ...]) -> Self:
        """Return the part for a place (values of DIMENSIONS, which include the wager) with the given sums."""
        _, game, _, version, submission, wager = place
        return cls(place, values, (game, version, submission, wager))

    @property
    def handle_cents(self) -> int:
        """Return the handle, in cents."""
        return self.values[_HANDLE]

    @property
    def payout_cents(self) -> int:
        """Return the payout: the amount that players received, in cents."""
        return self.values[_PAYOUT]

    @property
    def wager(self) -> str:
        """Return the name of the wager as text: `game/wager`."""
        return "/".join(self.offered[:: len(_OFFERED) - 1])

    @property
    def win_cents(self) -> int:
        """Return the house's win in cents, before progressive meters."""
        return sum([sign * self.values[index] for index, sign in _SIGNS])


@dataclass(frozen=True)
class SettledRounds:
    """The settled rounds of some gaming days, summed by all of DIMENSIONS, with the house edges of their wagers.

    Figures have provenance only if `explained` is true.
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
        """Return, for each wager without an exact distribution, the reason for its absence."""
        return self._said_of(lambda edge: edge.reason)

    @cached_property
    def lacks(self) -> Mapping[Offered, str]:
        """Return, for each wager without a house edge, the reason for its absence, even if the wager's handle is zero.

        A payout without a stake of its own, such as a bonus on another wager, is left out, because no win is expected
        of it.
        """
        return self._said_of(lambda edge: edge.why_none)

    def _said_of(self, says: Callable[[HouseEdge], str | None]) -> Mapping[Offered, str]:
        found, come = {}, {submission for submission, _ in self.edges}
        for part in self.parts:
            _, version, submission, wager = part.offered
            edge = self.edges.get((submission, wager))
            if edge is not None:
                if (said := says(edge)) is not None:
                    found[part.offered] = said
            elif part.handle_cents or not part.payout_cents:
                found[part.offered] = (
                    "it is a part of another wager of the catalogue"
                    if submission in come
                    else f"version {version} of the rules submission has not come from the registry"
                )
        return found

    def __add__(self, later: "SettledRounds") -> "SettledRounds":
        """Return the sum of these rounds and of `later`, rounds of later gaming days."""
        parts = _added((part.place, part.values) for part in (*self.parts, *later.parts))
        return replace(self, last=later.last, parts=parts, edges={**self.edges, **later.edges}, _known={})

    def by(self, *names: str) -> Mapping[tuple[str, ...], SettledWin]:
        """Return the settled win keyed by the values of the named DIMENSIONS, in order."""
        if names not in self._known:
            self._known[names] = self._by(*names)
        return self._known[names]

    def _by(self, *names: str) -> "_Wins":
        indexes = [DIMENSIONS.index(name) for name in names]
        grouped: defaultdict[tuple[str, ...], list[Part]] = defaultdict(list)
        for part in self.parts if _TABLE in names else self._of_all_tables:
            grouped[tuple([part.place[index] for index in indexes])].append(part)
        return _Wins(grouped, lambda place: self._together(tuple(zip(names, place, strict=True)), grouped[place]))

    @cached_property
    def _of_all_tables(self) -> Sequence[Part]:
        """Return the parts summed over tables: only few, because the tables of a property offer the same wagers."""
        return _added((("", *part.place[1:]), part.values) for part in self.parts)

    def whole(self) -> SettledWin:
        """Return the total settled win over all parts."""
        return self.by().get((), SettledWin())

    def _together(self, where: Where, parts: Sequence[Part]) -> SettledWin:
        where += tuple(one for one in self.narrowed if one[0] not in dict(where))
        values = map(sum, zip(*(part.values for part in parts), strict=True))
        exact = [part for part in parts if part.offered not in self.reasons]
        known = [part for part in parts if part.offered not in self.lacks]
        without: defaultdict[str, int] = defaultdict(int)
        stated: defaultdict[StatedEdge, int] = defaultdict(int)
        for part in parts:
            if part.offered in self.lacks:
                without[part.wager] += part.handle_cents
            elif (own := self._stated.get(part.offered)) is not None:
                stated[own] += part.handle_cents
        return SettledWin(
            dict(zip(ADDED, self._figures(values, where), strict=True)),
            self._of_banks(where, parts),
            replace(self._theoretical(known, where), errors=self._errors(known), without=without, stated=stated),
            self._theoretical(exact, where),
            self._variances.of([(part.offered[2:], part.values[_SQUARED]) for part in exact]),
        )

    def _theoretical(self, parts: Sequence[Part], where: Where) -> TheoreticalWin:
        listed = dict.fromkeys(part.offered for part in parts) if self.explained else ()
        wheres = [_narrower(where, tuple(zip(_OFFERED, offered, strict=True))) for offered in listed]
        return TheoreticalWin(
            self._sum(sum([part.handle_cents for part in parts]), wheres, {"handle_cents": 1}),
            self._sum(sum([part.win_cents for part in parts]), wheres, _WON),
            self._keeps.of([(part.offered[2:], part.handle_cents) for part in parts]),
            tuple(self._kept(parts, listed, wheres)),
        )

    def _errors(self, parts: Iterable[Part]) -> Errors:
        handles: defaultdict[Offered, int] = defaultdict(int)
        for part in parts:
            if part.offered[2:] in self._uncertain:
                handles[part.offered] += part.handle_cents
        found: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction)
        for (game, _, *wager), cents in handles.items():
            edge = self._uncertain[wager[0], wager[1]]
            found[game, edge.counted_with] += cents * edge.standard_error
        return found

    @cached_property
    def _uncertain(self) -> Mapping[tuple[str, str], HouseEdge]:
        """Return the house edges that have a standard error, keyed by submission and wager."""
        return {wager: edge for wager, edge in self.edges.items() if edge.standard_error}

    @cached_property
    def _stated(self) -> Mapping[Offered, StatedEdge]:
        """Return the house edges that are the licensee's own values, keyed by `Offered`."""
        edges = ((part, self.edges.get(part.offered[2:])) for part in self._of_all_tables)
        found = ((part.offered, stated_edge(part.wager, edge)) for part, edge in edges if edge is not None)
        return {offered: own for offered, own in found if own is not None}

    def _of_banks(self, where: Where, parts: Sequence[Part]) -> Figure:
        """Return the vigorish that players paid while banking, in cents."""
        if dict(where).get("wager", BANK) != BANK:
            return NOTHING
        cents = sum([part.values[_VIGORISH] for part in parts if part.offered[-1] == BANK])
        return self._figure(cents, _narrower(where, (("wager", BANK),)), "vigorish_cents")

    def _kept(
        self, parts: Iterable[Part], listed: Iterable[Offered], wheres: Iterable[Where]
    ) -> Iterator[tuple[Fraction, Figure]]:
        """Yield (house edge, handle) for each wager that has a house edge."""
        handle: defaultdict[Offered, int] = defaultdict(int)
        for part in parts:
            handle[part.offered] += part.handle_cents
        for offered, where in zip(listed, wheres, strict=True):
            edge = self.edges.get(offered[2:])
            if edge is not None and edge.house_edge is not None:
                yield edge.house_edge, self._figure(handle[offered], where, "handle_cents")

    def _figures(self, values: Iterable[int], where: Where) -> Iterable[Figure]:
        if not self.explained:
            return map(Figure, values)
        return (self._figure(value, where, name) for value, name in zip(values, ADDED, strict=True))

    def _figure(self, value: int, where: Where, name: str) -> Figure:
        return Figure(value, (Aggregate("rounds", (name,), self.first, self.last, where),) if self.explained else ())

    def _sum(self, value: int, wheres: Sequence[Where], signs: Mapping[str, int]) -> Figure:
        """Return `value` as a figure: a sum of signed figures under several conditions (`wheres`), with provenance."""
        return Figure(
            value,
            tuple(
                SourceOf(Aggregate("rounds", (name,), self.first, self.last, where), sign)
                for where in wheres
                for name, sign in signs.items()
            ),
        )

    @cached_property
    def _keeps(self) -> Rates:
        """Return the house edges as exact rates, keyed by submission and wager."""
        edges = {wager: edge.house_edge for wager, edge in self.edges.items()}
        return Rates.of_all({wager: keeps for wager, keeps in edges.items() if keeps is not None})

    @cached_property
    def _variances(self) -> Rates:
        """Return the variances of returns as exact rates, keyed by submission and wager."""
        edges = self.edges.items()
        return Rates.of_all({wager: edge.returns.variance for wager, edge in edges if edge.returns is not None})


class _Wins(Mapping[tuple[str, ...], SettledWin]):
    """Settled wins keyed by values of dimensions, in order; each win is summed when it is first accessed."""

    def __init__(self, places: Iterable[tuple[str, ...]], make: Callable[[tuple[str, ...]], SettledWin]) -> None:
        self._found: dict[tuple[str, ...], SettledWin | None] = dict.fromkeys(sorted(places))
        self._make = make

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._found)

    def __getitem__(self, place: tuple[str, ...]) -> SettledWin:
        win = self._found[place]
        if win is None:
            win = self._found[place] = self._make(place)
        return win


def _added(several: Iterable[tuple[tuple[str, ...], tuple[int, ...]]]) -> list[Part]:
    """Return one part for each place, with the sums of all values given for it."""
    found: dict[tuple[str, ...], tuple[int, ...]] = {}
    for place, values in several:
        found[place] = tuple(map(add, found[place], values)) if place in found else values
    return list(starmap(Part.of, found.items()))


def _narrower(where: Where, more: Where) -> Where:
    return where + tuple(one for one in more if one[0] not in dict(where))


async def settled_rounds(
    books: Books, first: date | None = None, last: date | None = None, *, by_shift: bool = False
) -> SettledRounds:
    """Return the settled rounds of the queried gaming days, or from `first` to `last`.

    With `by_shift`, rounds are also summed by shift, according to the table's hand-overs.
    """
    first, last = first or books.question.first, last or books.question.last
    if by_shift:
        known = await books.round_sums(DIMENSIONS, first=first, last=last)
    else:
        others = [name for name in DIMENSIONS if name != HANDOVER_SHIFT]
        sums = await books.round_sums(others, first=first, last=last)
        known = {(*place[:_SHIFT], "", *place[_SHIFT:]): values for place, values in sums.items()}
    parts = list(starmap(Part.of, known.items()))
    edges = await books.house_edges({part.offered[2] for part in parts})
    asked = (("table_name", books.question.table), ("game", books.question.game))
    narrowed = tuple((name, value) for name, value in asked if value is not None)
    return SettledRounds(first, last, parts, edges, narrowed, books.explains)
