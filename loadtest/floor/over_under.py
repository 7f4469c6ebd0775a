"""Simulates Over/Under: one card each, the players' decisions, then two more cards per hand (§ 686a.7(e)-(h)).

A player takes the likelier side after the first card: under on a 2 to 5, over on anything else. Surrendering the Ante
Wager is never better, as even a 6 wins more than one time in four, but some players surrender a 5 or a 6.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, Literal

from loadtest.floor.game import FloorGame
from loadtest.floor.players import SIDE_BET_CENTS, Player
from loadtest.floor.shoe import ShoeTable
from shared.cards import StandardCard
from shared.rules import Submission
from shared.rules.over_under.record import OverUnderRound, OverUnderSeat, WagerType
from shared.rules.over_under.totals import VALUES

_DECKS: Final = 6  # § 686a.3(a)
_UNDER_UP_TO: Final = 5
_HARDEST: Final = (5, 6)

SURRENDERS: Final = "surrenders"
_HABITS: Final = {SURRENDERS: 0.15}

OFFERS: Final[Mapping[str, Mapping[str, Any]]] = {"over-under": {"decks": _DECKS, "wagers": {"bonus": {}}}}


class OverUnderTable(ShoeTable):
    """A table of Over/Under.

    The shoe, the cover card and burned cards are as in Blackjack (§ 686a.5(d), § 686a.7(c), (d), § 686a.9(b)).
    """

    def __init__(self, submission: Submission, chance: Random) -> None:
        super().__init__(_DECKS, chance)
        self.side_bets: dict[str, Sequence[int]] = dict.fromkeys(submission.wagers, SIDE_BET_CENTS)

    def play(self, players: Sequence[Player], meters: Mapping[str, int]) -> OverUnderRound:
        """Deal and play one round. The game has no meter."""
        cards = self._cards
        laid: list[dict[WagerType, int]] = []
        for player in players:
            bonus = player.side_wagers(self._chance).get("bonus")
            laid.append({"ante": player.wager} if bonus is None else {"ante": player.wager, "bonus": bonus})
        first = [cards.draw() for _ in players]
        seats = []
        for player, wagers, card in zip(players, laid, first, strict=True):
            choice = decide(card, surrenders=SURRENDERS in player.habits)
            if choice != "surrender":
                wagers[choice] = wagers["ante"]
            seats.append(
                OverUnderSeat(
                    seat=player.seat,
                    player=player.name,
                    wagers=wagers,
                    cards=(card, cards.draw(), cards.draw()),
                    surrendered=choice == "surrender",
                )
            )
        cards.end_round()
        return OverUnderRound(seats=tuple(seats), meters=dict(meters))


def decide(first: StandardCard, *, surrenders: bool) -> Literal["over_23", "under_18", "surrender"]:
    """Return the player's decision on the first card.

    >>> decide("3s", surrenders=True), decide("6s", surrenders=True), decide("6s", surrenders=False)
    ('under_18', 'surrender', 'over_23')
    """
    points = VALUES[first]
    if surrenders and points in _HARDEST:
        return "surrender"
    return "under_18" if points <= _UNDER_UP_TO else "over_23"


OVER_UNDER: Final = FloorGame(
    code="OU",
    regulation="pa-686a",
    offers=OFFERS,
    seats=6,
    open_table=OverUnderTable,
    habits=_HABITS,
)
