"""Payout odds: exact fractions of the stake, and whether the stake is returned in addition."""

import re
from dataclasses import dataclass
from fractions import Fraction

_ODDS = re.compile(r"(\d+(?:\.\d+)?) (to|for) (\d+)")


@dataclass(frozen=True, slots=True)
class Odds:
    """`N to 1` pays N times the stake and returns it; `N for 1` pays N times the stake and keeps the stake."""

    ratio: Fraction
    stake_returned: bool

    @classmethod
    def parse(cls, text: str) -> "Odds":
        """Read odds as the regulations write them; raise `ValueError` otherwise.

        >>> Odds.parse("2.5 to 1").pay(500)
        1250
        >>> Odds.parse("1000 for 1")
        Odds(ratio=Fraction(1000, 1), stake_returned=False)
        """
        match = _ODDS.fullmatch(text)
        if match is None or int(match[3]) == 0:
            raise ValueError(f"odds are written like '3 to 2' or '10 for 1', not {text!r}")
        return cls(ratio=Fraction(match[1]) / int(match[3]), stake_returned=match[2] == "to")

    def pay(self, stake: int) -> int:
        """Return the payout on `stake` cents, without the stake itself; a fraction of a cent is dropped."""
        return stake * self.ratio.numerator // self.ratio.denominator

    @property
    def returns(self) -> Fraction:
        """Return the return of a winning wager per unit staked, its stake included."""
        return self.ratio + self.stake_returned

    def plus(self, other: "Odds") -> "Odds":
        """Return the odds that pay both these odds and `other` on one stake."""
        return Odds(self.ratio + other.ratio, self.stake_returned and other.stake_returned)

    def __str__(self) -> str:
        between = "to" if self.stake_returned else "for"
        number, per = self.ratio.numerator, self.ratio.denominator
        if per == 2 and number > 3:  # the regulations write 3 to 2, but 2.5 to 1
            return f"{number / per:g} {between} 1"
        return f"{number:,} {between} {per}"
