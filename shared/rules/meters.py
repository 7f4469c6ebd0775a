"""Progressive meters during one settlement: contributions, awards in settlement order, resets."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from shared.rules.line import Line
from shared.rules.settlement import Contribution, Notice, Settlement, contribution


class MeterBoard:
    """The displays of the meters while a round is settled, with the causes of their changes. Whole cents.

    The contributions of the round come first, then the awards in settlement order. Fractions of a cent are dropped. The
    contributions to a meter are first summed, so that a fraction is dropped only once.
    """

    __slots__ = ("_before", "_contributions", "_fractions", "_resets", "_shows")

    def __init__(self, before: Mapping[str, int]) -> None:
        self._before = before
        self._shows = dict(before)
        self._contributions: list[Contribution] = []
        self._resets: dict[str, int] = {}
        self._fractions: dict[str, Fraction] = {}

    def contribute(self, seat: int, wager: str, meter: str, stake: int, rate: Fraction) -> None:
        """Add the share `rate` of a wager of `stake` cents to its meter; fractions of a cent are carried over."""
        numerator, denominator = rate.as_integer_ratio()
        cents, rest = divmod(stake * numerator, denominator)
        if rest:
            share = self._fractions.get(meter, Fraction()) + Fraction(rest, denominator)
            whole = share.numerator // share.denominator
            self._fractions[meter] = share - whole
            cents += whole
        self._shows[meter] += cents
        self._contributions.append(contribution(seat, wager, meter, cents))

    def award(self, meter: str, share: Fraction, reset: int, *, winners: int = 1) -> int:
        """Deduct `share` of the current meter, in equal parts for the winners; return the cents of each winner.

        An award of the whole meter restores the meter to `reset` cents; a share of 0 changes nothing.
        """
        if share == 1:
            return self.award_all(meter, [1] * winners, reset)[0]
        cents = self._shows[meter] * share.numerator // (share.denominator * winners) if share else 0
        self._shows[meter] -= cents * winners
        return cents

    def award_all(self, meter: str, weights: Sequence[int], reset: int) -> list[int]:
        """Divide the whole meter in proportion to `weights`, then restore it to `reset` cents.

        Return the cents for each weight, in the same order. The house adds the amount needed to restore the meter.
        Fractions of a cent that the division drops stay on the meter, so they reduce the amount that the house adds.
        """
        shown, total = self._shows[meter], sum(weights)
        cents = [shown * weight // total for weight in weights]
        left = shown - sum(cents)
        self._resets[meter] = self._resets.get(meter, 0) + reset - left
        self._shows[meter] = reset
        return cents

    def award_amount(self, meter: str, most: int, *, reset: int = 0) -> int:
        """Deduct `most` cents from the meter, or all that it has; return the cents deducted.

        If the meter then shows less than `reset` cents, the house restores it to that amount.
        """
        cents = min(most, self._shows[meter])
        left = self._shows[meter] - cents
        if left < reset:
            self._resets[meter] = self._resets.get(meter, 0) + reset - left
            left = reset
        self._shows[meter] = left
        return cents

    @property
    def shows(self) -> Mapping[str, int]:
        """Return the current display of each meter."""
        return self._shows

    def settlement(self, lines: Sequence[Line], notices: Sequence[Notice] = ()) -> Settlement:
        """Return the settlement of a round with these lines, and with the changes of its meters."""
        return Settlement(
            lines=tuple(lines),
            meters=self._shows,
            contributions=tuple(self._contributions),
            meter_resets=self._resets,
            meters_before=self._before,
            notices=tuple(notices),
        )
