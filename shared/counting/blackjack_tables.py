"""The file of simulated Blackjack results, with the exactly counted figures for comparison.

The file also has the results of the first rounds, for a quick check.
"""

from collections.abc import Mapping
from time import monotonic
from typing import Any, Final, NamedTuple

import yaml

from shared.counting.blackjack import CardToPlay, Rounds, Table
from shared.counting.provenance import Provenance
from shared.rules.blackjack.main_wager import BLACKJACK
from shared.rules.blackjack.play import terms_of
from shared.rules.blackjack.shoe import ACE, TEN, full_shoe, without
from shared.rules.blackjack.strategy import Strategy
from shared.rules.blackjack.strategy_card import strategy_card
from shared.rules.catalogue import catalogue
from shared.rules.record import Submission
from shared.rules.submission import select

NAME: Final = "blackjack"
PATH: Final = "shared/counting/blackjack_rounds.yaml"
REGULATION: Final = "pa-633a-2024"
RESPLITS: Final = 2
ROUNDS: Final = 100_000_000
FIRST: Final = 20_000
"""The number of first rounds that every test run deals again."""
VERSION: Final = 1
"""The version of the simulation; increase it when rounds are dealt differently."""


class Dealt(NamedTuple):
    """A simulated table: its decks, whether it deals Blackjack Switch, and the random seed."""

    decks: int
    switch: bool
    seed: int

    def submission(self) -> Submission:
        """Return the rules submission of the table."""
        options: dict[str, bool | int | str] = {"resplits": RESPLITS}
        return Submission(decks=self.decks, options=options | ({"switch": True} if self.switch else {}))

    def rounds(self, number: int) -> Rounds:
        """Deal a number of rounds, played by the submission's basic strategy card."""
        selection = select(catalogue(REGULATION), self.submission())
        terms = terms_of(selection, selection.offers[BLACKJACK])
        rows, shoe = strategy_card(self.decks, terms), full_shoe(self.decks)
        best = [Strategy(without(shoe, up), up, terms) for up in (*range(ACE + 1, TEN + 1), ACE)] if self.switch else []
        worth = [each.worth for each in best] or None
        card = CardToPlay(rows, RESPLITS, worth, [each.natural for each in best])
        return Table(self.decks, card, self.seed).play(number)


TABLES: Final[Mapping[str, Dealt]] = {
    "1": Dealt(1, switch=False, seed=20_261_124),
    "2": Dealt(2, switch=False, seed=20_261_125),
    "6": Dealt(6, switch=False, seed=20_261_123),
    "8": Dealt(8, switch=False, seed=20_261_126),
    "6, Blackjack Switch": Dealt(6, switch=True, seed=20_261_127),
}


def texts(rounds: int = ROUNDS) -> Mapping[str, str]:
    """Deal a number of rounds at each table; return path -> content of the file."""
    began = monotonic()
    tables = dealt(rounds)
    seeds = {name: table.seed for name, table in TABLES.items()}
    what = (
        f"rounds from real shoes by decks, {rounds} at each table, resplits {RESPLITS} (seeds {seeds}): half wagers "
        "won; a 20 by the cards of the dealer's 21; straights by length; then the first ones"
    )
    counter = f"shared/counting/blackjack.py, version {VERSION}"
    seconds = round(monotonic() - began)
    head = Provenance(what, NAME, rounds * len(TABLES), counter, seconds)
    body = {"first": dealt(FIRST), "tables": tables}
    return {PATH: head.text() + yaml.safe_dump(body, width=120, default_flow_style=None)}


def dealt(rounds: int) -> dict[str, Any]:
    """Return the results of a number of rounds at each table, in the file's format."""
    return {name: _document(table.rounds(rounds)) for name, table in TABLES.items()}


def _document(rounds: Rounds) -> dict[str, Any]:
    document: dict[str, Any] = {"net": dict(sorted(rounds.net.items()))}
    if rounds.bad_beat:
        document |= {"bad_beat": dict(rounds.bad_beat), "straight_jack": dict(rounds.straight_jack)}
    return document
