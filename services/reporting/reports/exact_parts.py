"""What settled rounds paid, in parts by submission and wager, against the exact distribution of each."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final

from services.reporting.books.reading import Books
from services.reporting.domain.house_edges import HouseEdge
from services.reporting.domain.statistics import AgainstExpectation, Wagers, together
from services.reporting.kit.figures import Cell, Figure, explained_by, total
from shared.rules import Returns

_FIGURES: Final = ("handle_cents", "payout_cents", "stakes", "squared")


@dataclass(frozen=True, slots=True)
class Part:
    """What was added up of a wager under a submission at a place: stakes, squares of them, handle and payout."""

    place: str
    game: str
    version: str
    submission: str
    wager: str
    figures: Mapping[str, Figure]

    @classmethod
    def of(cls, place: Sequence[str], figures: Mapping[str, Figure]) -> "Part":
        """Return what was added up at a place, under a game, version and hash of its submission, for a wager."""
        where, game, version, submission, wager = place
        return cls(where, game, version, submission, wager, figures)


Key = Callable[[Part, str], tuple[str, ...]]
"""What a part belongs to, whose wager, or that which earns its line, is given."""


@dataclass(frozen=True)
class Against:
    """Parts with an exact distribution together, against what is expected of them."""

    parts: Sequence[tuple[Part, Returns | None]]

    def cells(self) -> dict[str, Figure | Cell]:
        """Return the cells of _AGAINST."""
        handle = total(part.figures["handle_cents"] for part, returns in self.parts if returns is not None)
        stakes = total(part.figures["stakes"] for part, returns in self.parts if returns is not None)
        payout = total(part.figures["payout_cents"] for part, _ in self.parts)
        found = self.against(payout.value)
        expected = round(found.expected_cents)
        return {
            "wagers": stakes,
            "handle_cents": handle,
            "expected_cents": Cell(expected, handle),
            "payout_cents": payout,
            "difference_cents": Cell(payout.value - expected, explained_by(payout, handle)),
            "deviation_cents": Cell(_root(found.variance), handle),
            "z_score": Cell(found.z_shown if found.variance > 0 else None, explained_by(payout, handle)),
        }

    def against(self, payout_cents: int) -> AgainstExpectation:
        """Return how a payout stands to what is expected of the parts."""
        staked: dict[int, tuple[Returns, Wagers]] = {}
        for part, returns in self.parts:  # many of few distributions
            if returns is not None:
                _, before = staked.get(id(returns), (returns, Wagers(0, 0, 0)))
                staked[id(returns)] = returns, before + _wagers(part)
        return together(staked.values(), payout_cents)


def _wagers(part: Part) -> Wagers:
    figures = part.figures
    return Wagers(figures["stakes"].value, figures["handle_cents"].value, figures["squared"].value)


def _root(variance: Fraction) -> int:
    """Return the square root, to the nearest whole number; 0 while less has come than what takes it back."""
    return (isqrt(max(int(4 * variance), 0)) + 1) // 2


class Exact:
    """Which wagers have an exact distribution, and which lines belong to the wager that earns them."""

    def __init__(self, edges: Mapping[tuple[str, str], HouseEdge]) -> None:
        """Take what the submissions of the question offer."""
        self._edges = edges
        self._earners = {
            (submission, line): edge for (submission, _), edge in edges.items() for line in edge.bonus_lines
        }

    def of(self, submission: str, wager: str) -> tuple[str, Returns | None] | None:
        """Return the wager whose distribution counts a line, and the distribution; None of it for a bonus line.

        None alone where there is no exact distribution, or one of full decks alone: a wager that is `always` on offer,
        as Insurance, is made with cards in sight.
        """
        earner = self._earners.get((submission, wager))
        if earner is not None:
            return None if earner.returns is None else (earner.wager, None)
        edge = self._edges.get((submission, wager))
        if edge is None or edge.returns is None or edge.offered == "always":
            return None
        return wager, edge.returns

    def reason(self, submission: str, wager: str) -> str:
        """Return why there is none."""
        edge = self._edges.get((submission, wager))
        if edge is not None:
            return edge.reason or "made with cards in sight: full decks do not say what is expected of it"
        if any(known == submission for known, _ in self._edges):
            return "lines of their own, which no wager's distribution counts"
        return "the rules submission has not come from the registry"


def grouped(exact: Exact, parts: Iterable[Part], key: Key) -> dict[tuple[str, ...], Against]:
    grouped: defaultdict[tuple[str, ...], list[tuple[Part, Returns | None]]] = defaultdict(list)
    for part in parts:
        counted = exact.of(part.submission, part.wager)
        if counted is not None:
            wager, returns = counted
            grouped[key(part, wager)].append((part, returns))
    return {place: Against(of_place) for place, of_place in sorted(grouped.items())}


async def parts_of(books: Books, dimension: str) -> list[Part]:
    """Return what was added up by a dimension of rounds, or by dealer, and by submission and wager."""
    added_up = books.dealers if dimension == "dealer" else books.rounds
    found = await added_up((dimension, "game", "version", "submission", "wager"), figures=_FIGURES)
    return [Part.of(place, figures) for place, figures in found.items()]


def everywhere(parts: Iterable[Part]) -> list[Part]:
    """Return parts by submission and wager alone."""
    found: defaultdict[tuple[str, ...], list[Part]] = defaultdict(list)
    for part in parts:
        found[part.game, part.version, part.submission, part.wager].append(part)
    return [
        Part.of(("", *key), {name: total(part.figures[name] for part in of_key) for name in _FIGURES})
        for key, of_key in sorted(found.items())
    ]
