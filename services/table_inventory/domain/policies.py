"""The figures by which the ledger judges on a gaming day, as the jurisdiction's pack fixes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, Literal, TypeVar

from shared.jurisdictions import DeckHours, Provision, gaming_pack

PACK: Final = "us-pa"
"""The pack of every property, until properties name theirs."""

Level = Literal["noted", "report", "authority"]
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds on a gaming day, all of it since `effective_from`."""

    effective_from: date
    variance_report_cents: int
    variance_authority_cents: int
    adjustment_listed_cents: int
    prepaid_is_drop: bool
    stub_rounds: int
    stub_regulations: tuple[str, ...]
    dice_hours: int
    deck_hours: Mapping[str, DeckHours]

    def level(self, cents: int) -> Level:
        """Return how serious a variance is."""
        if abs(cents) >= self.variance_authority_cents:
            return "authority"
        return "report" if abs(cents) > self.variance_report_cents else "noted"

    def deck_life(self, regulation: str, dealing: str) -> timedelta:
        """Return how long cards may stay on a table under a chapter; the shortest time, where it is not of the pack."""
        games = [self.deck_hours[regulation]] if regulation in self.deck_hours else self.deck_hours.values()
        return timedelta(hours=min(game.hand if dealing == "hand" else game.shoe for game in games))


@lru_cache(maxsize=1024)
def policy_on(gaming_day: date) -> Policy:
    """Return the policy that holds on a gaming day. Raises: LookupError before the first."""
    pack = gaming_pack(PACK)
    games, limits = pack.equipment, pack.limits
    begun: list[date] = []

    def on_the_day(provision: Provision[ValueT]) -> ValueT:
        dated = provision.on(gaming_day)
        begun.append(dated.effective_from)
        return dated.value

    stubs = {name: on_the_day(game.stub_rounds) for name, game in games.items() if game.stub_rounds is not None}
    figures = {
        "variance_report_cents": on_the_day(limits.variance_report_cents),
        "variance_authority_cents": on_the_day(limits.variance_authority_cents),
        "adjustment_listed_cents": on_the_day(limits.adjustment_listed_cents),
        "stub_rounds": min(stubs.values()),
        "dice_hours": min(on_the_day(game.dice_hours) for game in games.values() if game.dice_hours is not None),
    }
    return Policy(
        **figures,
        prepaid_is_drop=on_the_day(pack.instruments.prepaid_access) == "drop",
        stub_regulations=tuple(stubs),
        deck_hours={name: on_the_day(game.deck_hours) for name, game in games.items()},
        effective_from=max(begun),
    )
