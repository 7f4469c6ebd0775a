"""The players of a table: arrivals and departures, their wagers, and their habits of play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

TAKES_A_SEAT: Final = 0.05
"""The probability that an empty seat is taken before a round."""
LEAVES: Final = 0.025
"""The probability that a player leaves before a round; with `TAKES_A_SEAT`, two of three seats are taken on average."""
WAGER_UNITS: Final = (1, 1, 1, 2, 2, 4, 10)
"""The equally likely multiples of the table minimum that players wager."""
LIKES_A_SIDE_BET: Final = 0.35
"""The probability that a player ever makes a given side bet."""
MAKES_A_SIDE_BET: Final = 0.8
"""The probability that a player who likes a side bet makes it in a given round."""
SIDE_BET_CENTS: Final = (500, 500, 1000, 2500)
PROGRESSIVE_CENTS: Final = (100, 100, 500)
"""The amounts of side bets and of progressive wagers, cents, each equally likely."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player at a seat: main wager and preferred side bets in cents, and habits."""

    name: str
    account: str
    seat: int
    wager: int
    side_bets: Mapping[str, int]
    habits: frozenset[str]

    def side_wagers(self, chance: Random) -> dict[str, int]:
        """Return the player's side bets before the cards of a round are dealt, in cents by wager type."""
        return {name: cents for name, cents in self.side_bets.items() if chance.random() < MAKES_A_SIDE_BET}


class Seats:
    """The seats of one table, with players who arrive and leave at random.

    `side_bets` maps the offered wagers to their usual amounts in cents. `habits` maps habits to the share of players.
    """

    def __init__(
        self,
        *,
        table: str,
        seats: int,
        minimum_cents: int,
        side_bets: Mapping[str, Sequence[int]],
        habits: Mapping[str, float],
        chance: Random,
    ) -> None:
        self._table = table
        self._minimum_cents = minimum_cents
        self._side_bets = side_bets
        self._habits = habits
        self._chance = chance
        self._arrived = 0
        self._players: dict[int, Player] = {}
        self._seats = range(1, seats + 1)

    def before_round(self) -> list[Player]:
        """Let players leave and arrive; return the players of the next round, at least one, in seat order."""
        for seat in self._seats:
            if seat in self._players:
                if self._chance.random() < LEAVES:
                    del self._players[seat]
            elif self._chance.random() < TAKES_A_SEAT:
                self._players[seat] = self._arrive(seat)
        if not self._players:
            seat = self._chance.choice(self._seats)
            self._players[seat] = self._arrive(seat)
        return [self._players[seat] for seat in sorted(self._players)]

    def _arrive(self, seat: int) -> Player:
        chance = self._chance
        self._arrived += 1
        return Player(
            name=f"{self._table}-p{self._arrived}",
            account=f"{self._table}-a{self._arrived}",
            seat=seat,
            wager=self._minimum_cents * chance.choice(WAGER_UNITS),
            side_bets={
                name: chance.choice(amounts)
                for name, amounts in self._side_bets.items()
                if chance.random() < LIKES_A_SIDE_BET
            },
            habits=frozenset(habit for habit, share in self._habits.items() if chance.random() < share),
        )
