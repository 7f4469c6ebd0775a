"""Simulates Texas Hold 'Em Bonus Poker: dealt by § 647a.8(d) and § 647a.11, played by simple rules.

A player folds a deuce with an unsuited 3 to 7, and raises with everything else. On the Flop and the Turn, the player
wagers with a pair or better that the board alone does not form, and otherwise checks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, Literal, cast, get_args

from loadtest.floor.deck import DeckTable
from loadtest.floor.game import FloorGame
from loadtest.floor.players import PROGRESSIVE_CENTS, SIDE_BET_CENTS, Player
from shared.cards import StandardCard
from shared.cards.ranking import Category, category_of, rank_best
from shared.rules import Submission
from shared.rules.holdem.record import HoldemDealer, HoldemRound, HoldemSeat, WagerType

_DECK: Final[tuple[StandardCard, ...]] = get_args(StandardCard)
_SEATS: Final = 6
_POSITIONS: Final[tuple[int | Literal["dealer"], ...]] = (*range(1, _SEATS + 1), "dealer")
_FIVE_CARD: Final = "five_card_hand_bonus"
_ON_TWO_HANDS: Final = (f"{_FIVE_CARD}_player", f"{_FIVE_CARD}_dealer")
_FOLDED_WITH_A_DEUCE: Final = "34567"

MAGIC_CARD_ROUNDS: Final = 0.1
"""The probability that the table game system selects a Magic Card in a round; the regulation leaves it open."""
LUCKY_ROUNDS: Final = 0.25
"""The probability that the table game system selects a lucky position, each of the seven equally likely."""

FOLDS: Final = "folds"
_HABITS: Final = {FOLDS: 0.9}
"""The share of players who fold weak cards; all other players see the Flop with any two cards."""

OFFERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "holdem-bonus": {
        "options": {"ante_pays_on": "straight"},
        "wagers": {
            "texas_holdem_bonus": {"paytable": "A"},
            "progressive_payout": {"meter": {"rate": "0.25", "reset": 1_000_000}},
            _FIVE_CARD: {
                "magic_card": True,
                "lucky_bonus": True,
                "meter": {"rate": "0.15", "reset": 1_000_000},
            },
        },
    },
    "holdem-flush": {
        "options": {"ante_pays_on": "flush"},
        "wagers": {"texas_holdem_bonus": {"paytable": "B"}},
    },
}


class HoldemTable(DeckTable[StandardCard]):
    """A table of Texas Hold 'Em Bonus Poker: one deck, shuffled for every round (§ 647a.5(a))."""

    def __init__(self, submission: Submission, chance: Random) -> None:
        super().__init__(_DECK, chance)
        offered = submission.wagers
        five_card = offered[_FIVE_CARD].options if _FIVE_CARD in offered else {}
        self._magic_card = five_card.get("magic_card") is True
        self._lucky_bonus = five_card.get("lucky_bonus") is True
        self.side_bets: dict[str, Sequence[int]] = {}
        if "texas_holdem_bonus" in offered:
            self.side_bets["texas_holdem_bonus"] = SIDE_BET_CENTS
        if "progressive_payout" in offered:
            self.side_bets["progressive_payout"] = PROGRESSIVE_CENTS
        if _FIVE_CARD in offered:
            self.side_bets |= dict.fromkeys(_ON_TWO_HANDS, PROGRESSIVE_CENTS)

    def play(self, players: Sequence[Player], meters: Mapping[str, int]) -> HoldemRound:
        """Deal and play one round."""
        cards, chance = self._cards, self._chance
        laid = [{"ante": player.wager} | player.side_wagers(chance) for player in players]
        magic_card = chance.choice(_DECK) if self._magic_card and chance.random() < MAGIC_CARD_ROUNDS else None
        lucky = chance.choice(_POSITIONS) if self._lucky_bonus and chance.random() < LUCKY_ROUNDS else None
        cards.shuffle()
        first, second = cards.draw(len(players) + 1), cards.draw(len(players) + 1)
        *hands, dealer = zip(first, second, strict=True)
        folded = [FOLDS in player.habits and is_folded(hand) for player, hand in zip(players, hands, strict=True)]
        remaining = [(wagers, hand) for wagers, hand, out in zip(laid, hands, folded, strict=True) if not out]
        for wagers, _ in remaining:
            wagers["flop"] = 2 * wagers["ante"]
        community = self._burn_and_draw(3)
        if remaining:
            for wager in ("turn", "river"):
                for wagers, hand in remaining:
                    if is_wagered_on(hand, community):
                        wagers[wager] = wagers["ante"]
                community += self._burn_and_draw(1)
        cards.collect()
        return HoldemRound(
            seats=tuple(
                HoldemSeat(
                    seat=player.seat,
                    player=player.name,
                    wagers=cast("dict[WagerType, int]", wagers),
                    cards=hand,
                    folded=out,
                )
                for player, wagers, hand, out in zip(players, laid, hands, folded, strict=True)
            ),
            dealer=HoldemDealer(cards=dealer),
            community=community,
            meters=dict(meters),
            magic_card=magic_card,
            lucky_position=lucky,
        )

    def _burn_and_draw(self, count: int) -> tuple[StandardCard, ...]:
        """Burn a card, and return the next community cards (§ 647a.11(c), (e), (g))."""
        self._cards.draw(1)
        return self._cards.draw(count)


def is_folded(hand: Sequence[StandardCard]) -> bool:
    """Return whether a folding player folds these two cards before the Flop: a deuce with an unsuited 3 to 7.

    >>> is_folded(["2s", "7d"]), is_folded(["2s", "7s"]), is_folded(["2s", "8d"])
    (True, False, False)
    """
    (one, suit), (other, other_suit) = hand
    low, high = (one, other) if one == "2" else (other, one)
    return low == "2" and high in _FOLDED_WITH_A_DEUCE and suit != other_suit


def is_wagered_on(hand: Sequence[StandardCard], community: Sequence[StandardCard]) -> bool:
    """Return whether a player places the next wager: with a pair or better that the board alone does not form.

    >>> is_wagered_on(["As", "7d"], ["Ad", "9s", "2c"]), is_wagered_on(["As", "7d"], ["9d", "9s", "2c"])
    (True, False)
    """
    return category_of(rank_best((*hand, *community))) > _by_themselves(community)


def _by_themselves(community: Sequence[StandardCard]) -> Category:
    """Return the category of the hand that three or four community cards form by themselves."""
    most, *others = sorted(Counter(card[0] for card in community).values(), reverse=True)
    if most == 4:
        return Category.four_of_a_kind
    if most == 3:
        return Category.three_of_a_kind
    if most == 2:
        return Category.two_pair if 2 in others else Category.pair
    return Category.high_card


HOLDEM: Final = FloorGame(
    code="TH",
    regulation="pa-647a",
    offers=OFFERS,
    seats=_SEATS,
    open_table=HoldemTable,
    habits=_HABITS,
    electronic=frozenset(_ON_TWO_HANDS),  # § 647a.2(b)(7)
)
