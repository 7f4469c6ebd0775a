"""A game on the floor: its name, what the licensee offers of it, and how its tables are dealt.

A game is one module that ends with one `FloorGame`; `loadtest.floor.games` lists them all. Time, players, meters and
settlement are the floor's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from loadtest.floor.players import Player
from shared.rules import Round, Submission


class Dealing(Protocol):
    """A table being dealt: its cards and its dealer's actions from one round to the next.

    `side_bets` lists the optional wagers that this table takes, each with the amounts in cents that players lay, each
    equally likely; `shoe` counts the shuffles from 1, so that no card may come twice under one number and deck.
    """

    @property
    def side_bets(self) -> Mapping[str, Sequence[int]]:
        """Return the optional wagers and their amounts, cents."""

    @property
    def shoe(self) -> int:
        """Return the number of the shuffle with which the next round begins."""

    def relieve(self) -> None:
        """Change dealers."""

    def play(self, players: Sequence[Player], meters: Mapping[str, int]) -> Round:
        """Deal and play one round for players in seat order; `meters` are displayed before it."""


@dataclass(frozen=True, slots=True)
class FloorGame:
    """One game under one regulation, as the simulated licensee offers it.

    `code` begins the names of its tables. `offers` are rules submissions as documents, by the licensee's name for what
    it plays under them. `habits` are what some players do and others do not, with the share of the players who do.
    `electronic` are the wagers that are placed through the electronic wagering system and come from accounts.
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
    """A table of the pit: its name, its game (by the licensee's name), its seats and its minimum, cents."""

    name: str
    game: str
    kind: FloorGame
    submission: Submission
    seats: int
    minimum_cents: int

    @property
    def regulation(self) -> str:
        """Return the regulation under which the table plays."""
        return self.kind.regulation
