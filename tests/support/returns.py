"""What comes back of a wager, as counting says it: the mean, the mean square and the most, with large returns cut."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from shared.rules.catalogue import PaytableRow
from shared.rules.odds import Odds
from shared.rules.submission import Offer, Selection

LEAST_STAKE: Final = 100
"""The stake of a wager with a meter whose paytable is for no particular stake, cents."""

Payback = Callable[[Selection, str], Fraction]


@dataclass(frozen=True, slots=True)
class Returns:
    """What comes back of one cent staked on one hand. All of it counts up to `cut`, and no more than that."""

    mean: float
    square: float
    most: float
    cut: float = float("inf")

    @property
    def variance(self) -> float:
        """Of one hand."""
        return self.square - self.mean**2

    @classmethod
    def of(cls, ways: Iterable[tuple[Fraction, Fraction]], *, cut: float) -> "Returns":
        """From the probabilities of what comes back; the rest loses."""
        cut_ways = [(probability, min(float(back), cut)) for probability, back in ways]
        return cls(
            mean=sum(float(probability) * back for probability, back in cut_ways),
            square=sum(float(probability) * back**2 for probability, back in cut_ways),
            most=max(back for _, back in cut_ways),
            cut=cut,
        )


def counted(selection: Selection, offer: Offer, payback: Payback, *, cut: float) -> Returns:
    """The returns of a wager, by its paybacks on paytables on which each hand returns something else."""

    def exact(power: int) -> float:
        other = replace(offer, paytable=offer.paytable.model_copy(update={"rows": tuple(_rows(offer, cut, power))}))
        return float(payback(replace(selection, offers={**selection.offers, offer.name: other}), offer.name))

    most = max(min(_whole(offer, row), _number(cut)) for row in offer.paytable.rows)
    return Returns(mean=exact(1), square=exact(2), most=float(most), cut=cut)


def row_returns(offer: Offer, row: PaytableRow) -> Fraction:
    """What a row returns of one cent while the meter shows its reset amount."""
    table = offer.paytable
    if row.push:
        return Fraction(1)
    back = Fraction(0)
    if (text := row.odds or row.odds_with_wild) is not None:
        back += _of_odds(text)
    if row.amount is not None:
        assert table.stake is not None
        back += Fraction(row.amount, table.stake) + table.stake_returned
    if row.meter is not None:
        assert offer.meter is not None
        back += row.meter_share * Fraction(offer.meter.reset, table.stake or LEAST_STAKE)
    return back


def _rows(offer: Offer, cut: float, power: int) -> Iterable[PaytableRow]:
    """The rows on which each hand returns a power of what it returns on those of the offer, after a cut."""

    def other(back: Fraction) -> Fraction:
        return min(back, _number(cut)) ** power

    for row in offer.paytable.rows:
        back = other(_whole(offer, row))
        if _comes_on_top(row):
            back -= other(row_returns(offer, _row(offer, row.of)))
        wild = row.odds_with_wild
        yield row.model_copy(
            update={
                "odds": None if row.push or (wild is not None and row.odds is None) else _as_odds(back),
                "odds_with_wild": None if wild is None else _as_odds(other(_of_odds(wild))),
                "amount": None,
                "meter": None,
            }
        )


def _whole(offer: Offer, row: PaytableRow) -> Fraction:
    """What a hand of a row returns altogether."""
    beside = row_returns(offer, _row(offer, row.of)) if _comes_on_top(row) else 0
    return row_returns(offer, row) + beside


def _comes_on_top(row: PaytableRow) -> bool:
    return row.of is not None and row.line is not None


def _row(offer: Offer, category: str | None) -> PaytableRow:
    return next(row for row in offer.paytable.rows if row.category == category)


def _number(cut: float) -> Fraction:
    return Fraction(10**12) if cut == float("inf") else Fraction(cut)


def _of_odds(text: str) -> Fraction:
    odds = Odds.parse(text)
    return odds.ratio + odds.stake_returned


def _as_odds(back: Fraction) -> str:
    if back < 1:
        return f"{back.numerator} for {back.denominator}"
    return f"{back.numerator - back.denominator} to {back.denominator}"
