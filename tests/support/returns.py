"""What comes back of a wager, as counting says it, and how far from that the mean of many hands may lie."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, log, log1p
from typing import Final

from shared.rules.catalogue import PaytableRow
from shared.rules.odds import Odds
from shared.rules.submission import Offer, Selection

LEAST_STAKE: Final = 100
"""The stake of a wager with a meter whose paytable is for no particular stake, cents."""

Payback = Callable[[Selection, Offer], Fraction]
"""Returns what comes back of one cent of an offered wager, its stake included."""

Value = Callable[[PaytableRow], Fraction]
"""What a hand of a paytable row is worth for one cent staked."""


@dataclass(frozen=True, slots=True)
class Returns:
    """What comes back of one cent staked on one hand. All of it counts up to `cut`, and no more than that."""

    mean: float
    square: float
    most: float
    cut: float = inf

    @property
    def variance(self) -> float:
        """Return the variance of one hand."""
        return self.square - self.mean**2

    @classmethod
    def of(cls, ways: Iterable[tuple[Fraction, Fraction]], *, cut: float = inf) -> "Returns":
        """Return those of the probabilities of what comes back; the rest loses."""
        cut_ways = [(probability, min(float(back), cut)) for probability, back in ways]
        return cls(
            mean=sum(float(probability) * back for probability, back in cut_ways),
            square=sum(float(probability) * back**2 for probability, back in cut_ways),
            most=max(back for _, back in cut_ways),
            cut=cut,
        )


def counted(
    selection: Selection, offer: Offer, payback: Payback, *, cut: float = inf, value: Value | None = None
) -> Returns:
    """Return the returns of a wager, by its paybacks on paytables on which each hand returns something else.

    That is what a hand returns altogether, or else its `value`.
    """
    worth = value or (lambda row: _whole(offer, row))

    def exact(power: int) -> float:
        rows = tuple(_rows(offer, worth, cut, power))
        other = replace(offer, paytable=offer.paytable.model_copy(update={"rows": rows}))
        return float(payback(replace(selection, offers={**selection.offers, offer.name: other}), other))

    most = max(min(worth(row), _number(cut)) for row in offer.paytable.rows)
    return Returns(mean=exact(1), square=exact(2), most=float(most), cut=cut)


def row_returns(offer: Offer, row: PaytableRow) -> Fraction:
    """Return what a row returns of one cent while the meter shows its reset amount."""
    table = offer.paytable
    if row.push:
        return Fraction(1)
    back = Fraction(0)
    if (text := row.odds or row.odds_with_wild) is not None:
        back += Odds.parse(text).returns
    if row.amount is not None:
        assert table.stake is not None
        back += Fraction(row.amount, table.stake) + table.stake_returned
    if row.meter is not None:
        assert offer.meter is not None
        back += row.meter_share * Fraction(offer.meter.reset, table.stake or LEAST_STAKE)
    return back


def allowed(expected: Returns, hands: int, squares: float, false_alarm: float) -> tuple[float, float]:
    """Return how far the mean of the hands may lie below and above the exact one, by Bennett's inequality.

    `squares` is the sum of the squares of the deviations of each round: hands of one round depend on each other, which
    multiplies variance and deviations by the design effect. P(sum of deviations >= t) <= exp(-V / B^2 h(tB / V)) with
    h(u) = (1 + u) log(1 + u) - u, for the variance V of the sum and deviations of B at most.
    """
    effect = max(1.0, squares / (hands * expected.variance))
    variance = hands * expected.variance * effect
    below = sum_reached(variance, expected.mean * effect, false_alarm / 2)
    above = sum_reached(variance, (expected.most - expected.mean) * effect, false_alarm / 2)
    return below / hands, above / hands


def sum_reached(variance: float, most: float, probability: float) -> float:
    """Return the sum of deviations that is reached with this probability at most."""
    wanted = -log(probability) * most**2 / variance
    low, high = 0.0, 1.0
    while _h(high) < wanted:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _h(middle) < wanted else (low, middle)
    return high * variance / most


def _h(u: float) -> float:
    return (1 + u) * log1p(u) - u


def _rows(offer: Offer, worth: Value, cut: float, power: int) -> Iterable[PaytableRow]:
    """Yield the rows on which each hand returns a power of what it is worth, after a cut."""

    def other(back: Fraction) -> Fraction:
        return min(back, _number(cut)) ** power

    for row in offer.paytable.rows:
        back = other(worth(row))
        if _comes_on_top(row):
            back -= other(row_returns(offer, _row(offer, row.of)))
        wild = row.odds_with_wild
        yield row.model_copy(
            update={
                "odds": None if row.push or (wild is not None and row.odds is None) else _as_odds(back),
                "odds_with_wild": None if wild is None else _as_odds(other(Odds.parse(wild).returns)),
                "amount": None,
                "meter": None,
            }
        )


def _whole(offer: Offer, row: PaytableRow) -> Fraction:
    """Return what a hand of a row returns altogether."""
    base = row_returns(offer, _row(offer, row.of)) if _comes_on_top(row) else 0
    return row_returns(offer, row) + base


def _comes_on_top(row: PaytableRow) -> bool:
    return row.of is not None and row.line is not None


def _row(offer: Offer, category: str | None) -> PaytableRow:
    return next(row for row in offer.paytable.rows if row.category == category)


def _number(cut: float) -> Fraction:
    return Fraction(10**12) if cut == inf else Fraction(cut)


def _as_odds(back: Fraction) -> str:
    if back < 1:
        return f"{back.numerator} for {back.denominator}"
    return f"{back.numerator - back.denominator} to {back.denominator}"
