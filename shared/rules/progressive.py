"""The payback of a wager with a progressive meter as an exact function of the meter reading."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, Final, NamedTuple, TypeAlias

from shared.rules.paytable import Row
from shared.rules.play import CARDS_ALONE, End, Play, exact
from shared.rules.record import Meter
from shared.rules.submission import Offer

LEAST_STAKE_CENTS: Final = 100
"""The stake assumed for a wager whose paytable states no stake: the least amount that a machine accepts."""


Hands: TypeAlias = tuple[int | Fraction, Row | None]
"""The number of hands (or their probability), and the row that they win."""


class MeterHit(NamedTuple):
    """A winning hand: its return per unit staked at its odds, its share of the meter, and its probability.

    A payout `off_meter` is deducted from the meter.
    """

    category: str
    back: Fraction
    meter: Fraction
    off_meter: bool
    probability: Fraction


@dataclass(frozen=True)
class Progressive:
    """The payback of one wager of `stake_cents` with a meter, as a function of the meter's reading.

    One winner is assumed for each share of the meter: if several hands win a share in one round, each gets less.
    """

    wager: str
    assumed: str
    stake_cents: int
    meter: Meter
    hits: tuple[MeterHit, ...]
    by_model: bool = False

    @classmethod
    def counted(
        cls, offer: Offer, hands: Iterable[Hands], assumed: str = CARDS_ALONE, *, by_model: bool = False
    ) -> "Progressive":
        """Return the payback function for hands, each given by its number (or probability) and the row that it wins."""
        assert offer.meter is not None
        number: int | Fraction = 0
        found: dict[Row, int | Fraction] = {}
        for ways, row in hands:
            number += ways
            if row is not None and ways:
                found[row] = found.get(row, 0) + ways
        hits = tuple(
            MeterHit(row.category, row.odds.returns, row.meter, row.off_meter, Fraction(ways) / number)
            for row, ways in found.items()
        )
        return cls(offer.name, assumed, offer.paytable.stake or LEAST_STAKE_CENTS, offer.meter, hits, by_model)

    @property
    def reset_cents(self) -> int:
        """Return the initial and reset amount, in cents."""
        return self.meter.reset

    @cached_property
    def fixed(self) -> Fraction:
        """Return the part of the return per unit staked that does not depend on the meter."""
        return sum((hit.probability * hit.back for hit in self.hits), Fraction(0))

    @cached_property
    def by_meter_cent(self) -> Fraction:
        """Return the increase of the return per unit staked for each cent on the meter."""
        return sum((hit.probability * hit.meter for hit in self.hits), Fraction(0)) / self.stake_cents

    @property
    def added(self) -> Fraction:
        """Return the share of each wager that is added to the meter and to its reserve."""
        return Fraction(self.meter.rate) + Fraction(self.meter.reserve_rate or 0)

    @property
    def break_even_cents(self) -> int | None:
        """Return the lowest reading in cents with a payback of 100%; None if the payback is the same at any reading."""
        return max(0, ceil((1 - self.fixed) / self.by_meter_cent)) if self.by_meter_cent else None

    @property
    def in_the_long_run(self) -> Fraction | None:
        """Return the payback averaged over all successive readings, which pays out all contributions to the meter.

        The average is the sum of the fixed part, the rate of progression, and the reset amounts after awards of the
        whole meter; a reserve only funds the reset amount. None if fixed amounts are deducted from the meter, because
        the average then depends on the readings.
        """
        if any(hit.off_meter for hit in self.hits):
            return None
        whole = sum((hit.probability for hit in self.hits if hit.meter == 1), Fraction(0))
        return self.fixed + Fraction(self.meter.rate) + whole * self.reset_cents / self.stake_cents

    def at(self, meter_cents: int) -> Play:
        """Return the result of the wager at a meter reading, in cents."""
        shown = Fraction(meter_cents, self.stake_cents)
        ends = [(hit.probability, End(hit.category, Fraction(1), hit.back + hit.meter * shown)) for hit in self.hits]
        lost = 1 - sum((probability for probability, _ in ends), Fraction(0))
        hands = [*ends, (lost, End(None, Fraction(1), Fraction(0)))]
        return Play.counted([self.wager], self.assumed, hands, by_model=self.by_model)

    def as_document(self) -> dict[str, Any]:
        """Return the function as JSON; amounts are cents."""
        long_run = self.in_the_long_run
        return {
            "stake_cents": self.stake_cents,
            "reset_cents": self.reset_cents,
            "rate": self.meter.rate,
            "reserve_rate": self.meter.reserve_rate,
            "fixed": exact(self.fixed),
            "by_meter_cent": exact(self.by_meter_cent),
            "break_even_cents": self.break_even_cents,
            "in_the_long_run": None if long_run is None else exact(long_run),
        }


def with_bonus(hands: Iterable[Hands], bonus: Row | None, chance: Fraction) -> list[Hands]:
    """Return `hands` with a bonus of probability `chance`, paid even if the wager loses; None: no bonus."""
    if bonus is None:
        return list(hands)
    return [
        each for ways, row in hands for each in ((ways * (1 - chance), row), (ways * chance, _with_row(row, bonus)))
    ]


def _with_row(row: Row | None, bonus: Row) -> Row:
    if row is None:
        return bonus
    return replace(row, category=f"{row.category}_with_{bonus.category}", odds=row.odds.plus(bonus.odds))
