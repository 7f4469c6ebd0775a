"""Divide the tips of a pool by dealers' hours, to the cent. Pure; amounts are cents, times are minutes."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.contracts.properties import TipsPool


@dataclass(frozen=True, slots=True)
class TipShare:
    """A dealer's share of a tips pool: the part by minutes, rounded down, plus 0 or 1 cents of the remainder."""

    dealer: str
    minutes: int
    part_cents: int
    remainder_cents: int

    @property
    def cents(self) -> int:
        """Return the dealer's whole share, in cents."""
        return self.part_cents + self.remainder_cents


def shares_of(pooled_cents: int, minutes: Mapping[str, int], pool: TipsPool) -> list[TipShare]:
    """Return each dealer's share of a tips pool, ordered by name; the shares add up to `pooled_cents`.

    Raises: ValueError if no dealer has minutes, or if `pooled_cents` is negative.

    >>> [(one.dealer, one.cents) for one in shares_of(100, {"ann": 60, "bob": 60, "cyd": 60}, TipsPool(period="day"))]
    [('ann', 34), ('bob', 33), ('cyd', 33)]
    """
    whole = sum(minutes.values())
    if whole <= 0 or pooled_cents < 0:
        raise ValueError(f"{pooled_cents} cents are not shared by {whole} minutes")
    parts = {dealer: divmod(pooled_cents * worked, whole) for dealer, worked in minutes.items()}
    left = pooled_cents - sum(part for part, _ in parts.values())
    weight = {dealer: lost for dealer, (_, lost) in parts.items()} if pool.remainder == "largest_fraction" else minutes
    in_order = sorted(minutes, key=lambda dealer: (-weight[dealer], dealer))
    cents = {dealer: int(rank < left) for rank, dealer in enumerate(in_order)}
    return [TipShare(dealer, minutes[dealer], parts[dealer][0], cents[dealer]) for dealer in sorted(minutes)]
