"""Simulates Face Up Pai Gow Poker: the dealer's cards lie face up while the players set their hands.

Most players set their hands to beat the dealer's two hands, which are set by the house way. All other players also use
the house way.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, cast

from loadtest.floor.deck import DeckTable
from loadtest.floor.game import FloorGame
from loadtest.floor.players import SIDE_BET_CENTS, Player
from loadtest.floor.set_hands import DEALER, SEATS, SetHand, Setting, deal, shake, starting_position
from shared.cards import Card, standard_deck
from shared.cards.ranking.pai_gow import card_set
from shared.rules import Submission, catalogue
from shared.rules.face_up_pai_gow import FaceUpRound, FaceUpSeat
from shared.rules.face_up_pai_gow.ace_high import is_ace_high
from shared.rules.face_up_pai_gow.record import MAIN, WagerType
from shared.rules.set_hands.record import SetDealer
from shared.rules.submission import select

REGULATION: Final = "pa-688a"

READS_THE_DEALER: Final = "sets against the dealer"
SURRENDERS: Final = "surrenders"
_HABITS: Final = {READS_THE_DEALER: 0.7, SURRENDERS: 0.1}
SURRENDERS_LOSING_HANDS: Final = 0.5
"""The probability that a player with the habit surrenders a hand that the dealer's set hands beat."""

ENVY: Final = "face-up-pai-gow"
WILD: Final = "face-up-pai-gow-wild"
_OFFERS: Final[Mapping[str, Mapping[str, Any]]] = {
    ENVY: {
        "options": {"house_way": "standard"},
        "wagers": {
            "ace_high_bonus": {"paytable": "1"},
            "fortune_bonus": {"paytable": "1"},
            "progressive_payout": {"paytable": "4"},
        },
    },
    WILD: {
        "options": {"house_way": "standard"},
        "wagers": {
            "ace_high_bonus": {"paytable": "2"},
            "fortune_bonus": {"paytable": "4"},
            "progressive_payout": {"paytable": "5"},
        },
    },
}


class FaceUpTable(DeckTable[Card]):
    """A table of Face Up Pai Gow Poker."""

    def __init__(self, submission: Submission, chance: Random) -> None:
        offers = select(catalogue(REGULATION), submission).offers
        self.side_bets = {name: _amounts(offers[name].paytable.stake) for name in submission.wagers}
        super().__init__(standard_deck(jokers=1), chance)
        self._setting = Setting.of(REGULATION, submission)

    def play(self, players: Sequence[Player], meters: Mapping[str, int]) -> FaceUpRound:
        """Play one round for players in seat order."""
        drawn = shake(self._chance)
        hands = deal(self._cards, starting_position(drawn), stacks=False)
        dealer = self._setting.set(hands[DEALER])
        ace_high = is_ace_high(card_set(dealer.cards))
        seats = tuple(self._seat(player, hands[player.seat], dealer, ace_high=ace_high) for player in players)
        return FaceUpRound(
            seats=seats,
            dealer=SetDealer(cards=dealer.cards, low=dealer.low),
            starting_position=drawn,
            meters=dict(meters),
        )

    def _seat(self, player: Player, cards: tuple[Card, ...], dealer: SetHand, *, ace_high: bool) -> FaceUpSeat:
        wagers = player.side_wagers(self._chance)
        reads = READS_THE_DEALER in player.habits and not ace_high
        hand = self._setting.set_against(cards, dealer) if reads else self._setting.set(cards)
        surrendered = (
            SURRENDERS in player.habits
            and not wagers  # § 688a.11(d)
            and not ace_high
            and hand.is_below(dealer)
            and self._chance.random() < SURRENDERS_LOSING_HANDS
        )
        return FaceUpSeat(
            seat=player.seat,
            player=player.name,
            wagers=cast("dict[WagerType, int]", {MAIN: player.wager} | wagers),
            cards=hand.cards,
            low=hand.low,
            surrendered=surrendered,
        )


def _amounts(stake: int | None) -> Sequence[int]:
    """Return the amounts, in cents, that players wager on a side bet: only `stake` if its paytable fixes the amount."""
    return SIDE_BET_CENTS if stake is None else (stake,)


FACE_UP_PAI_GOW: Final = FloorGame(
    code="FU",
    regulation=REGULATION,
    offers=_OFFERS,
    seats=SEATS,
    open_table=FaceUpTable,
    habits=_HABITS,
)
