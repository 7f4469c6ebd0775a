"""A line of a settlement: one settled stake of a round, as it is computed, recorded and published."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

Outcome = Literal["win", "lose", "push", "void", "surrender"]
Payer = Literal["house", "bank"]
HOUSE: Final = "house"


@dataclass(frozen=True, slots=True)
class Line:
    """One settled stake, or one bonus without a stake of its own. All amounts are whole cents.

    `stake` was at risk. `payout` is paid in addition to `stake_returned`, and includes the award from a meter
    (`from_meter`). `vigorish` is taken from the player. `paragraph` is the rule that decided the line. `house_share` is
    the house's share of a co-banked surplus or shortage. `paid_by` is `bank` for lines against a banking player.
    """

    seat: int
    wager: str
    outcome: Outcome
    stake: int
    payout: int
    stake_returned: int
    paragraph: str
    hand: int | None = None
    category: str | None = None
    vigorish: int = 0
    from_meter: int = 0
    paid_by: Payer = HOUSE
    house_share: int | None = None

    @property
    def net(self) -> int:
        """Return the player's net result of the line, in cents."""
        return self.payout + self.stake_returned - self.stake - self.vigorish

    def as_document(self) -> dict[str, Any]:
        """Return the line with the field names of the round record, without default values."""
        document: dict[str, Any] = {
            "seat": self.seat,
            "wager": self.wager,
            "outcome": self.outcome,
            "stake": self.stake,
            "payout": self.payout,
            "stake_returned": self.stake_returned,
            "paragraph": self.paragraph,
        }
        if self.hand is not None:
            document["hand"] = self.hand
        if self.category is not None:
            document["category"] = self.category
        if self.vigorish:
            document["vigorish"] = self.vigorish
        if self.from_meter:
            document["from_meter"] = self.from_meter
        if self.paid_by != HOUSE:
            document["paid_by"] = self.paid_by
        if self.house_share is not None:
            document["house_share"] = self.house_share
        return document


@lru_cache(maxsize=1 << 14)
def line(
    seat: int,
    wager: str,
    outcome: Outcome,
    stake: int,
    payout: int,
    stake_returned: int,
    paragraph: str,
    hand: int | None = None,
    category: str | None = None,
    *,
    vigorish: int = 0,
    paid_by: Payer = "house",
) -> Line:
    """Return a line without an award from a meter; equal lines are the same object.

    Rounds repeat the same few amounts, and an immutable line is faster to look up than to create.
    """
    return Line(seat, wager, outcome, stake, payout, stake_returned, paragraph, hand, category, vigorish, 0, paid_by)
