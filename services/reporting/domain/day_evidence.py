"""The evidence of a single gaming day: its rounds in order, and the counts of its tables. Pure.

A round is one observation of each test, because its seats share cards. For speed, rounds that do not hit a paytable row
are only counted, and are added to the row's evidence at its next hit. The delay does not bias the test.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from services.reporting.domain.carried_evidence import Subject
from services.reporting.domain.evidence import Evidence
from services.reporting.domain.house_edges import HouseEdge
from services.reporting.domain.raised_stakes import RaisedStakes
from services.reporting.domain.statistics import (
    SHOE_TOLERANCE,
    Wagers,
    hit_factors,
    observe_count,
    observe_returns,
)
from shared.rules import Returns

ANY_ROW: Final = ""

Edges = Mapping[tuple[str, str], HouseEdge]
"""The house edges of wagers, with their distributions, keyed by submission (its hash) and wager."""


@dataclass(frozen=True, slots=True)
class ShownRound:
    """The part of a settled round that is tested: its dealer, rules submission, settlement lines, and stakes by seat.

    `lines` are the lines that the house pays: (wager, category, number, stake, sum of squared stakes, payout), in
    cents. `stakes` are (wager, seat, cents); the cents are negative if the stake lost.
    """

    game: str
    dealer: str
    submission: str
    lines: Sequence[tuple[str, str, int, int, int, int]]
    stakes: Sequence[tuple[str, int, int]]


class Odds:
    """The probabilities of a wager's paytable rows, and the factors by which their hits change a test's wealth."""

    def __init__(self, returns: Returns) -> None:
        """Use the wager's exact distribution; the row `ANY_ROW` exists only if every win has a category."""
        categories = {name for hit in returns.hits for name in (hit.won.category, hit.won.bonus) if name is not None}
        self.returns = returns
        self.rows: Mapping[str, Fraction] = {row: returns.probability(row) for row in sorted(categories)}
        if all(hit.won.category is not None for hit in returns.hits):
            self.rows = {ANY_ROW: returns.hit_frequency, **self.rows}
        self._factors: dict[tuple[str, int, int], tuple[float, ...]] = {}

    def factors(self, row: str, hits: int, number: int) -> tuple[float, ...]:
        """Return the log wealth multipliers for `hits` of a paytable row in `number` wagers; cached."""
        key = (row, hits, number)
        if key not in self._factors:
            self._factors[key] = hit_factors(self.rows[row], hits, number, tolerance=SHOE_TOLERANCE)
        return self._factors[key]


class HitRows:
    """The evidence that a wager's paytable rows are hit too often: at a table, with a dealer, or overall."""

    def __init__(self) -> None:
        """Start without evidence."""
        self._blocks: Counter[tuple[Odds, int]] = Counter()
        self._done: defaultdict[str, Counter[tuple[Odds, int]]] = defaultdict(Counter)
        self._evidence: defaultdict[str, Evidence] = defaultdict(Evidence)

    def add(self, odds: Odds, number: int, hits: Mapping[str, int]) -> None:
        """Add a round with `number` wagers; `hits` is the number of hits by paytable row."""
        block = (odds, number)
        for row, count in hits.items():
            if row in odds.rows:
                self._catch_up(row)
                self._evidence[row] = self._evidence[row].multiplied(odds.factors(row, count, number))
                self._done[row][block] += 1
        self._blocks[block] += 1

    def found(self, row: str) -> Evidence:
        """Return the evidence that a paytable row is hit too often."""
        self._catch_up(row)
        return self._evidence[row]

    def _catch_up(self, row: str) -> None:
        """Add the rounds since a paytable row's last hit to the row's evidence, as rounds without a hit."""
        done = self._done[row]
        for block, number in self._blocks.items():
            odds, wagers = block
            missed = number - done[block]
            if missed and row in odds.rows:
                self._evidence[row] = self._evidence[row].multiplied(odds.factors(row, 0, wagers), missed)
                done[block] = number


class DayEvidence:
    """Computes the evidence of a gaming day: first add each table's rounds in order, then its counts."""

    def __init__(self, edges: Edges) -> None:
        """Start without evidence, for the wagers in `edges`.

        Wagers with `offered` equal to `always` (Insurance, raises) are not tested, because they are made after cards
        are seen.
        """
        blind = {key: edge for key, edge in edges.items() if edge.offered != "always"}
        self._blind = frozenset(blind)
        self._odds = {key: Odds(edge.returns) for key, edge in blind.items() if edge.returns is not None}
        self._earners = {
            (submission, line): wager for (submission, wager), edge in edges.items() for line in edge.bonus_lines
        }
        self._any_row: defaultdict[Subject, HitRows] = defaultdict(HitRows)
        self._rows: defaultdict[tuple[str, str], tuple[HitRows, set[str]]] = defaultdict(lambda: (HitRows(), set()))
        self._returns: dict[Subject, Evidence] = {}
        self._raised: dict[Subject, RaisedStakes] = {}
        self._counts: dict[Subject, Evidence] = {}

    def add_table(self, table: str, rounds: Iterable[ShownRound]) -> None:
        """Add a table's rounds of the gaming day, in order."""
        for one in rounds:
            for wager, (wagers, paid, hits) in self._shown(one).items():
                odds = self._odds[one.submission, wager]
                any_row = {ANY_ROW: hits[ANY_ROW]} if hits[ANY_ROW] else {}
                self._any_row[Subject("hits", table=table, game=one.game, wager=wager)].add(
                    odds, wagers.number, any_row
                )
                if one.dealer:
                    by_dealer = Subject("hits", dealer=one.dealer, game=one.game, wager=wager)
                    self._any_row[by_dealer].add(odds, wagers.number, any_row)
                rows, named = self._rows[one.game, wager]
                rows.add(odds, wagers.number, hits)
                named.update(odds.rows)
                tested = Subject("returns", table=table, game=one.game, wager=wager)
                known = self._returns.get(tested, Evidence())
                self._returns[tested] = observe_returns(known, odds.returns, wagers, paid, tolerance=SHOE_TOLERANCE)
            self._add_stakes(table, one)

    def _shown(self, one: ShownRound) -> dict[str, tuple[Wagers, int, Counter[str]]]:
        """Return (stakes, payout, hits by row) by tested wager type; a row's hits never exceed the wagers."""
        found: dict[str, tuple[Wagers, int, Counter[str]]] = {}
        for line, category, lines, stake, squares, payout in one.lines:
            wager = self._earners.get((one.submission, line), line)
            if (one.submission, wager) not in self._odds:
                continue
            wagers, paid, hits = found.get(wager, (Wagers(0, 0, 0), 0, Counter()))
            if category:
                hits[category] += lines
            if line == wager:
                wagers += Wagers(lines, stake, squares)
                hits[ANY_ROW] += lines if category else 0
            found[wager] = (wagers, paid + payout, hits)
        return {
            wager: (wagers, paid, Counter({row: min(count, wagers.number) for row, count in hits.items() if count}))
            for wager, (wagers, paid, hits) in found.items()
            if wagers.number
        }

    def _add_stakes(self, table: str, one: ShownRound) -> None:
        for wager, seat, cents in one.stakes:
            key, won = (one.submission, wager), cents > 0
            if key in self._blind:
                tested = Subject("raised", table=table, seat=seat, game=one.game, wager=wager)
                known = self._raised.get(tested) or RaisedStakes()
                self._raised[tested] = known.after(abs(cents), won=won)
            if key in self._odds:
                at_seat = Subject("hits", table=table, seat=seat, game=one.game, wager=wager)
                self._any_row[at_seat].add(self._odds[key], 1, {ANY_ROW: 1} if won else {})

    def add_count(self, dealers: Iterable[str], variance_cents: int) -> None:
        """Add the variance of a table's count (counted less expected) for all dealers since the previous count."""
        for dealer in dealers:
            tested = Subject("counts", dealer=dealer)
            self._counts[tested] = observe_count(self._counts.get(tested, Evidence()), variance_cents)

    def found(self) -> dict[Subject, Evidence]:
        """Return the gaming day's evidence by test subject, omitting tests without observations."""
        return {tested: evidence for tested, evidence in self._found() if evidence.n}

    def _found(self) -> Iterator[tuple[Subject, Evidence]]:
        for tested, hits in self._any_row.items():
            yield tested, hits.found(ANY_ROW)
        for (game, wager), (rows, named) in self._rows.items():
            for row in sorted(named - {ANY_ROW}):
                yield Subject("row", game=game, wager=wager, row=row), rows.found(row)
        yield from self._returns.items()
        for tested, known in self._raised.items():
            yield tested, known.evidence
        yield from self._counts.items()
