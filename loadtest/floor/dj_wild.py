"""Simulates DJ Wild Stud Poker: five cards each, dealt in stacks (§ 687a.8(d)), then a Raise Wager or a fold.

A player raises with a pair or better (any wild card makes a pair), and otherwise folds; some also raise with an ace.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, cast

from loadtest.floor.deck import DeckTable
from loadtest.floor.game import FloorGame
from loadtest.floor.players import SIDE_BET_CENTS, Player
from shared.cards import Card, standard_deck
from shared.cards.ranking.deuces_wild import WildCategory, rank_with_wilds, wild_category_of
from shared.rules import Submission, catalogue
from shared.rules.dj_wild.record import Dealer, DjWildRound, DjWildSeat, WagerType
from shared.rules.submission import select

_REGULATION: Final = "pa-687a"
_HAND: Final = 5
_PROGRESSIVE: Final = "progressive_bonus"

RAISES_WITH_AN_ACE: Final = "raises with an ace"
_HABITS: Final = {RAISES_WITH_AN_ACE: 0.3}

OFFERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "dj-wild": {
        "options": {"bad_beat_dealer_hand_pays": True},
        "wagers": {
            _PROGRESSIVE: {"paytable": "1", "meter": {"rate": "0.2", "reset": 200_000}},
            "trips_bonus": {"paytable": "DJWT-05"},
            "two_way_bad_beat_bonus": {"paytable": "DJWBB-02"},
        },
    },
}


class DjWildTable(DeckTable[Card]):
    """A table of DJ Wild Stud Poker: one deck with a joker, shuffled for every round (§ 687a.5(a))."""

    def __init__(self, submission: Submission, chance: Random) -> None:
        super().__init__(standard_deck(jokers=1), chance)
        self.side_bets: dict[str, Sequence[int]] = dict.fromkeys(submission.wagers, SIDE_BET_CENTS)
        if _PROGRESSIVE in submission.wagers:
            stake = select(catalogue(_REGULATION), submission).offers[_PROGRESSIVE].paytable.stake
            assert stake is not None
            self.side_bets[_PROGRESSIVE] = (stake,)

    def play(self, players: Sequence[Player], meters: Mapping[str, int]) -> DjWildRound:
        """Deal and play one round. The Blind Wager equals the Ante Wager; the Raise Wager is twice the Ante Wager."""
        cards = self._cards
        laid = [{"ante": player.wager, "blind": player.wager} | player.side_wagers(self._chance) for player in players]
        cards.shuffle()
        hands = [cards.draw(_HAND) for _ in players]
        dealer = cards.draw(_HAND)
        spare = cards.draw(1)[0] if any(_PROGRESSIVE in wagers for wagers in laid) else None  # § 687a.8(e)
        cards.collect()
        seats = []
        for player, wagers, hand in zip(players, laid, hands, strict=True):
            raises = is_raised(hand, with_an_ace=RAISES_WITH_AN_ACE in player.habits)
            if raises:
                wagers["raise"] = 2 * wagers["ante"]
            seats.append(
                DjWildSeat(
                    seat=player.seat,
                    player=player.name,
                    wagers=cast("dict[WagerType, int]", wagers),
                    cards=hand,
                    folded=not raises,
                )
            )
        return DjWildRound(seats=tuple(seats), dealer=Dealer(cards=dealer), spare_card=spare, meters=dict(meters))


def is_raised(hand: Sequence[Card], *, with_an_ace: bool) -> bool:
    """Return whether a player raises with these five cards.

    >>> is_raised(["Ks", "9d", "7c", "5h", "2s"], with_an_ace=False)
    True
    >>> is_raised(["As", "Kd", "9c", "5h", "3s"], with_an_ace=False)
    False
    """
    if wild_category_of(rank_with_wilds(hand)) >= WildCategory.pair:
        return True
    return with_an_ace and any(card[0] == "A" for card in hand)


DJ_WILD: Final = FloorGame(
    code="DJ",
    regulation=_REGULATION,
    offers=OFFERS,
    seats=6,
    open_table=DjWildTable,
    habits=_HABITS,
)
