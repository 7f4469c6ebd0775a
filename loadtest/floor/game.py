"""The interface of a simulated game: its rules, the licensee's rules submissions, and the dealing of its tables.

Each game is a module that ends with one `FloorGame`; `loadtest.floor.games` lists all of them. Time, players, meters
and settlement are shared by all games.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from loadtest.floor.players import Player
from shared.rules import Round, Submission


class Dealing(Protocol):
    """A table being dealt: its cards, and the dealer's actions from one round to the next.

    `side_bets` lists the table's optional wagers, each with the equally likely amounts, in cents, that players wager.
    `shoe` is the number of the shuffle, from 1; no card of a deck may appear twice under the same number.
    """

    @property
    def side_bets(self) -> Mapping[str, Sequence[int]]:
        """Return the possible amounts, in cents, of each optional wager, by wager type."""

    @property
    def shoe(self) -> int:
        """Return the number of the shuffle from which the next round is dealt."""

    def relieve(self) -> None:
        """Change the table's dealer."""

    def play(self, players: Sequence[Player], meters: Mapping[str, int]) -> Round:
        """Deal and play a round for players in seat order; `meters` are the meter displays before it, in cents."""


@dataclass(frozen=True, slots=True)
class FloorGame:
    """A game under one regulation, as the simulated licensee offers it.

    `code` is the prefix of the game's table names. `offers` are rules submissions as documents, by the licensee's name
    for the game. `habits` maps habits of play to the share of players who have them. `electronic` are the wagers that
    are placed through the electronic wagering system and funded from accounts.
    """

    code: str
    regulation: str
    offers: Mapping[str, Mapping[str, Any]]
    seats: int
    open_table: Callable[[Submission, Random], Dealing]
    habits: Mapping[str, float]
    electronic: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table of the pit: name, game (by the licensee's name), submission, number of seats, and minimum in cents."""

    name: str
    game: str
    kind: FloorGame
    submission: Submission
    seats: int
    minimum_cents: int

    @property
    def regulation(self) -> str:
        """Return the regulation that governs the table."""
        return self.kind.regulation
