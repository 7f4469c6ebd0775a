"""Simulates rounds of Blackjack: dealt in the order of the regulation, played by basic strategy.

The simulation shares no code with settlement, which must accept every simulated round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, cast, get_args

from loadtest.floor.blackjack_offers import OFFERS
from loadtest.floor.game import FloorGame
from loadtest.floor.players import PROGRESSIVE_CENTS, SIDE_BET_CENTS, Player
from loadtest.floor.shoe import Shoe, ShoeTable
from loadtest.floor.strategy import Action, decide, promise
from shared.cards import RANKS, StandardCard
from shared.rules.blackjack import BlackjackHand, BlackjackRound, BlackjackSeat, Dealer
from shared.rules.blackjack.record import WagerType
from shared.rules.blackjack.totals import is_blackjack, total
from shared.rules.record import Submission

_DEALER_STANDS: Final = 17
_MOST: Final = 21
_SEATS: Final = range(1, 8)
_CARDS: Final[tuple[StandardCard, ...]] = get_args(StandardCard)

INSURES: Final = "insures"
TAKES_EVEN_MONEY: Final = "takes even money"
SURRENDERS: Final = "surrenders"
ADDS_HOUSE_MONEY: Final = "adds House Money"
_HABITS: Final = {INSURES: 0.25, TAKES_EVEN_MONEY: 0.4, SURRENDERS: 0.5, ADDS_HOUSE_MONEY: 0.4}
"""The share of players with each habit.

A player without a habit never plays in that way, even where basic strategy recommends it.
"""
INSURES_OF_HANDS: Final = 0.5
"""The probability that a player with the habit takes insurance when it is offered."""

Pair = tuple[StandardCard, StandardCard]


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The rules of play that a rules submission selects."""

    decks: int
    switch: bool
    from_hand: bool
    even_money: bool
    resplits: int
    chip_unit: int
    side_bets: Mapping[str, Sequence[int]]
    magic_card: bool
    lucky_player: bool

    @classmethod
    def of(cls, submission: Submission) -> "HouseRules":
        """Return the rules of an accepted submission."""
        options, offered = submission.options, submission.wagers
        bad_beat = offered["bad_beat_progressive"].options if "bad_beat_progressive" in offered else {}
        assert submission.decks is not None
        return cls(
            decks=submission.decks,
            switch=options.get("switch") is True,
            from_hand=options.get("dealt_from_hand") is True,
            even_money=options.get("even_money") is True,
            resplits=int(options.get("resplits", 0)),
            chip_unit=int(options.get("chip_unit", 1)),
            side_bets={name: PROGRESSIVE_CENTS if offer.meter else SIDE_BET_CENTS for name, offer in offered.items()},
            magic_card=bad_beat.get("magic_card") is True,
            lucky_player=bad_beat.get("lucky_player") is True,
        )


class _Box:
    """One player's hands and wagers during a round."""

    __slots__ = ("added", "dealt", "even_money", "hands", "player", "switched", "wagers")

    def __init__(self, player: Player, wagers: dict[WagerType, int], dealt: tuple[Pair, ...]) -> None:
        self.player = player
        self.wagers = wagers
        self.dealt = dealt
        self.switched = False
        self.even_money = False
        self.added = 0
        self.hands: list[BlackjackHand] = []

    def record(self) -> BlackjackSeat:
        return BlackjackSeat(
            seat=self.player.seat,
            player=self.player.name,
            wagers=self.wagers,
            dealt=self.dealt[0] if len(self.dealt) == 1 else (self.dealt[0], self.dealt[1]),
            hands=tuple(self.hands),
            switched=self.switched,
            house_money_added=self.added,
        )


def play_round(
    shoe: Shoe, players: Sequence[Player], rules: HouseRules, chance: Random, meters: Mapping[str, int]
) -> BlackjackRound:
    """Play one round for players in seat order; `meters` are the meter displays before the round, in cents."""
    laid = [
        cast("dict[WagerType, int]", {"blackjack": player.wager} | player.side_wagers(chance)) for player in players
    ]
    magic_card = chance.choice(_CARDS) if rules.magic_card else None
    lucky_seat = chance.choice(_SEATS) if rules.lucky_player else None
    if rules.from_hand:
        shoe.burn()  # before each round, § 633a.12(b)(5)
    hands = 2 if rules.switch else 1
    first = [[shoe.draw() for _ in range(hands)] for _ in players]
    up = shoe.draw()
    second = [[shoe.draw() for _ in range(hands)] for _ in players]
    hole = shoe.draw()
    boxes = [
        _Box(player, wagers, tuple(zip(one, other, strict=True)))
        for player, wagers, one, other in zip(players, laid, first, second, strict=True)
    ]
    if up[0] == "A":
        for box in boxes:
            _insure(box, rules, chance)
    blackjack = is_blackjack(up, hole)
    # The card reader shows the dealer's Blackjack at once, § 633a.7(h). Dealt from the hand, the hole card is turned
    # last, § 633a.12(b)(8).
    told = blackjack and not rules.from_hand
    for box in boxes:
        if told:
            box.hands = [BlackjackHand(cards=pair, even_money=box.even_money) for pair in box.dealt]
        else:
            _decide(box, shoe, up, rules, blackjack=blackjack)
    dealer = [up, hole]
    if any(_open(box, rules) for box in boxes):
        while total(dealer) < _DEALER_STANDS:
            dealer.append(shoe.draw())
    shoe.end_round()
    return BlackjackRound(
        seats=tuple(box.record() for box in boxes),
        dealer=Dealer(cards=tuple(dealer)),
        meters=dict(meters),
        magic_card=magic_card,
        lucky_seat=lucky_seat,
    )


def _insure(box: _Box, rules: HouseRules, chance: Random) -> None:
    player = box.player
    natural = not rules.switch and is_blackjack(*box.dealt[0])
    if natural and rules.even_money and TAKES_EVEN_MONEY in player.habits:
        box.even_money = True
    elif INSURES in player.habits and chance.random() < INSURES_OF_HANDS:
        most = box.wagers["blackjack"] // 2 // rules.chip_unit * rules.chip_unit
        if most:
            box.wagers["insurance"] = most


def _decide(box: _Box, shoe: Shoe, up: StandardCard, rules: HouseRules, *, blackjack: bool) -> None:
    pairs = box.dealt
    if rules.switch:
        (one, other), (third, fourth) = pairs
        as_dealt = promise(one, other, dealt=True) + promise(third, fourth, dealt=True)
        box.switched = promise(one, fourth, dealt=False) + promise(third, other, dealt=False) > as_dealt
        if box.switched:
            pairs = ((one, fourth), (third, other))
    elif "house_money" in box.wagers and ADDS_HOUSE_MONEY in box.player.habits and not blackjack:
        box.added = box.wagers["house_money"] * _house_money_odds(*pairs[0], decks=rules.decks)
    for pair in pairs:
        if box.even_money or (is_blackjack(*pair) and not box.switched):
            box.hands.append(BlackjackHand(cards=pair, even_money=box.even_money))
        else:
            box.hands.extend(_play(pair, box, shoe, up, rules))


def _play(pair: Pair, box: _Box, shoe: Shoe, up: StandardCard, rules: HouseRules) -> list[BlackjackHand]:
    """Play two cards, and return the resulting hands; a split hand is finished before the next (§ 633a.11(b))."""
    wager = box.wagers["blackjack"] + box.added
    waiting: list[list[StandardCard]] = [list(pair)]
    done: list[BlackjackHand] = []
    splits = 0
    while waiting:
        cards = waiting.pop(0)
        if len(cards) == 1:
            cards.append(shoe.draw())
        end = _draw(
            cards,
            shoe,
            up,
            may_split=splits <= rules.resplits,
            may_surrender=not splits and not rules.switch and SURRENDERS in box.player.habits,
        )
        if end == "split":
            splits += 1
            waiting = [[cards[0]], [cards[1]], *waiting]
        else:
            done.append(
                BlackjackHand(
                    cards=tuple(cards), double=wager if end == "double" else 0, surrendered=end == "surrender"
                )
            )
    return done


def _draw(cards: list[StandardCard], shoe: Shoe, up: StandardCard, *, may_split: bool, may_surrender: bool) -> Action:
    """Draw to one hand by basic strategy; return the decision that ended it."""
    while total(cards) < _MOST:
        initial = len(cards) == 2
        action = decide(
            cards, up, may_double=initial, may_split=initial and may_split, may_surrender=initial and may_surrender
        )
        if action in ("stand", "split", "surrender"):
            return action
        cards.append(shoe.draw())
        if action == "double":
            return action
    return "stand"


def _open(box: _Box, rules: HouseRules) -> bool:
    """Return whether any hand or wager of the player still depends on the dealer's cards (§ 633a.7(n))."""
    if "hit_and_run_progressive" in box.wagers:
        return True
    if len(box.hands) == 1 and not rules.switch and is_blackjack(*box.dealt[0]):
        return False
    return any(not hand.surrendered and not hand.even_money and total(hand.cards) <= _MOST for hand in box.hands)


def _house_money_odds(first: StandardCard, second: StandardCard, *, decks: int) -> int:
    """Return N for House Money's odds of N to 1 on two cards; 0 if the wager loses (§ 633a.13(n))."""
    ranks = {first[0], second[0]}
    suited = first[1] == second[1]
    if len(ranks) == 1:
        return 3
    steps = abs(RANKS.index(first[0]) - RANKS.index(second[0]))
    if steps not in (1, len(RANKS) - 1):
        return 0
    if not suited:
        return 1
    if ranks == {"A", "K"}:
        return 9
    return 5 if decks == 1 else 4


class BlackjackTable(ShoeTable):
    """A table of Blackjack in play."""

    def __init__(self, submission: Submission, chance: Random) -> None:
        self._rules = HouseRules.of(submission)
        super().__init__(self._rules.decks, chance)
        self.side_bets = self._rules.side_bets

    def play(self, players: Sequence[Player], meters: Mapping[str, int]) -> BlackjackRound:
        """Play one round."""
        return play_round(self._cards, players, self._rules, self._chance, meters)


BLACKJACK: Final = FloorGame(
    code="BJ",
    regulation="pa-633a-2024",
    offers=OFFERS,
    seats=7,
    open_table=BlackjackTable,
    habits=_HABITS,
    electronic=frozenset({"bad_beat_progressive"}),  # § 633a.2(c)
)
