"""Payouts of settled rounds by submission and wager, compared with their exact distributions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Final, NamedTuple

from services.reporting.domain.house_edges import HouseEdge, Rates
from services.reporting.domain.statistics import compared
from services.reporting.framework.figures import NOTHING, Cell, Figure, Weights, explained_by, weighted
from services.reporting.read_model.reading import Books
from services.reporting.read_model.weights import Weighed, Weight
from shared.rules import Returns

_FIGURES: Final = ("stakes", "handle_cents", "payout_cents")
_PART: Final = ("game", "version", "submission", "wager")


class Part(NamedTuple):
    """The sums (stakes, handle, payout) of a wager or bonus line under a submission, given by version and hash."""

    game: str
    version: str
    submission: str
    wager: str
    figures: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class Against:
    """The payout of wagers with an exact distribution, compared with expectation; the variance is in cents squared."""

    stakes: Figure = NOTHING
    handle: Figure = NOTHING
    payout: Figure = NOTHING
    expected_cents: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)
    expects: Weights = ()
    """The terms of `expected_cents`: exact paybacks, each with its handle."""

    def cells(self) -> dict[str, Figure | Cell]:
        """Return the cells of the columns _AGAINST."""
        handle, payout = self.handle, self.payout
        found = compared(self.stakes.value, payout.value, self.expected_cents, self.variance)
        expected = weighted(round(found.expected_cents), self.expects)
        return {
            "wagers": self.stakes,
            "handle_cents": handle,
            "expected_cents": expected,
            "payout_cents": payout,
            "difference_cents": payout - expected,
            "deviation_cents": Cell(_root(found.variance), handle),
            "z_score": Cell(found.z_shown if found.variance > 0 else None, explained_by(payout, handle)),
        }


def _root(variance: Fraction) -> int:
    """Return the rounded square root of a variance; 0 if it is negative because reversals exceed the posted rounds."""
    return (isqrt(max(int(4 * variance), 0)) + 1) // 2


class Exact:
    """The wagers with an exact distribution, and bonus lines with the wagers that earn them."""

    def __init__(self, edges: Mapping[tuple[str, str], HouseEdge]) -> None:
        """Use the house edges of offered wagers, keyed by submission and wager."""
        self._edges = edges
        self._earners = {
            (submission, line): edge for (submission, _), edge in edges.items() for line in edge.bonus_lines
        }

    def of(self, submission: str, wager: str) -> tuple[str, Returns | None] | None:
        """Return the wager whose distribution covers a line, and the distribution, which is None for a bonus line.

        Return None if there is no exact distribution, or if it is valid only for a full deck: a wager that is `always`
        on offer, such as Insurance, is made after cards are seen.
        """
        earner = self._earners.get((submission, wager))
        if earner is not None:
            return None if earner.returns is None else (earner.wager, None)
        edge = self._edges.get((submission, wager))
        if edge is None or edge.returns is None or edge.offered == "always":
            return None
        return wager, edge.returns

    def reason(self, submission: str, wager: str) -> str:
        """Return why a wager or line has no exact distribution."""
        edge = self._edges.get((submission, wager))
        if edge is not None:
            return edge.reason or "made with cards in sight: full decks do not say what is expected of it"
        if any(known == submission for known, _ in self._edges):
            return "lines of their own, which no wager's distribution counts"
        return "the rules submission has not come from the registry"

    @cached_property
    def _counted(self) -> Mapping[tuple[str, str], tuple[str, Returns | None]]:
        known = {key: self.of(*key) for key in (*self._edges, *self._earners)}
        return {key: counted for key, counted in known.items() if counted is not None}

    @cached_property
    def _rates(self) -> tuple[Rates, Rates]:
        """Return (means, variances) of returns as exact rates, keyed by submission and wager."""
        found = {key: returns for key, (_, returns) in self._counted.items() if returns is not None}
        means = {key: returns.mean for key, returns in found.items()}
        return Rates.of_all(means), Rates.of_all({key: returns.variance for key, returns in found.items()})

    @cached_property
    def weights(self) -> Sequence[Weight]:
        """Return the weights with which rounds are summed, to compare payouts with expectation."""
        (means, _), (variances, _) = self._rates
        return [
            Weight(*key, earner, int(key in means), means.get(key, 0), variances.get(key, 0))
            for key, (earner, _) in self._counted.items()
        ]

    def expected(self, weighed: Weighed) -> tuple[Fraction, Fraction]:
        """Return (expected payout in cents, variance in cents squared) from the weighted sums of rounds."""
        means, variances = self._rates
        return Fraction(weighed.by_mean, means.unit), Fraction(weighed.by_variance, variances.unit)


async def parts_of(books: Books) -> list[Part]:
    """Return the sums of settled rounds, one item per submission and wager."""
    found = await books.rounds(_PART, figures=_FIGURES)
    return [
        Part(game, version, submission, wager, figures)
        for (game, version, submission, wager), figures in sorted(found.items())
    ]


async def against(books: Books, exact: Exact, *by: str) -> dict[tuple[str, ...], Against]:
    """Return payouts compared with expectation, keyed by and ordered by dimensions (see `Books.weighed`)."""
    found: dict[tuple[str, ...], Against] = {}
    origins = await _origins(books, exact, by) if books.explains else {}
    for place, weighed in sorted((await books.weighed(by, exact.weights)).items()):
        stakes, handle, payout = (
            Figure(value, explained_by(*of).origin)
            for value, of in zip(weighed[:3], origins.get(place, _Origins())[:3], strict=True)
        )
        expects = tuple(origins[place].expects) if place in origins else ()
        found[place] = Against(stakes, handle, payout, *exact.expected(weighed), expects)
    return found


class _Origins(NamedTuple):
    """The figures behind one group's stakes, handle and payout, and its exact paybacks, each with a handle."""

    stakes: Sequence[Figure] = ()
    handle: Sequence[Figure] = ()
    payout: Sequence[Figure] = ()
    expects: Sequence[tuple[Fraction, Figure]] = ()


async def _origins(books: Books, exact: Exact, by: Sequence[str]) -> Mapping[tuple[str, ...], _Origins]:
    """Return the figures that make up each group's sums, keyed by the values of the dimensions `by`."""
    added_up = books.dealers if "dealer" in by else books.rounds
    dimensions = (*(name for name in by if name not in ("game", "earner")), *_PART)
    found: defaultdict[tuple[str, ...], tuple[list[Figure], list[Figure], list[Figure], list[tuple[Fraction, Figure]]]]
    found = defaultdict(lambda: ([], [], [], []))
    for key, figures in (await added_up(dimensions, figures=_FIGURES)).items():
        about = dict(zip(dimensions, key, strict=True))
        counted = exact.of(about["submission"], about["wager"])
        if counted is not None:
            earner, returns = counted
            stakes, handle, payout, expects = found[tuple((about | {"earner": earner})[name] for name in by)]
            payout.append(figures["payout_cents"])
            if returns is not None:
                stakes.append(figures["stakes"])
                handle.append(figures["handle_cents"])
                expects.append((returns.mean, figures["handle_cents"]))
    return {place: _Origins(*of) for place, of in found.items()}
