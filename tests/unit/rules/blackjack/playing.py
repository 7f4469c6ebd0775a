"""Blackjack dealt from real shoes and played by a card of basic strategy: a second method beside the counting.

Nothing of the rules is used here: cards, totals, decisions and what comes back are done the obvious way. Each round is
dealt from full decks, without replacement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

Card = str
UP = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "A")
COUNT = {rank: min(place + 2, 10) for place, rank in enumerate("23456789TJQK")} | {"A": 1}
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]


def total(hand: Sequence[Card]) -> tuple[int, bool]:
    """Return the total of a hand, and whether an ace of it counts 11."""
    low = 0
    ace = False
    for card in hand:
        low += COUNT[card[0]]
        ace = ace or card[0] == "A"
    return (low + 10, True) if ace and low <= 11 else (low, False)


@dataclass
class Played:
    """What became of one hand: its cards, and what was staked on it."""

    cards: list[Card]
    staked: int = 1
    surrendered: bool = False
    original: bool = True
    natural: bool = False


@dataclass
class Round:
    """One round: the dealt hands of the player, the hands that came from them, and the dealer's cards."""

    dealt: list[list[Card]]
    dealer: list[Card]
    switched: bool = False
    hands: list[Played] = field(default_factory=list)

    def record(self, wager: int) -> dict[str, Any]:
        """Return the round as a record, with so many cents on each dealt hand."""
        hands = [
            {"cards": hand.cards, "double": wager * (hand.staked - 1), "surrendered": hand.surrendered}
            for hand in self.hands
        ]
        dealt = self.dealt if len(self.dealt) > 1 else self.dealt[0]
        seat = {"seat": 1, "player": "p", "wagers": {"blackjack": wager}, "dealt": dealt, "hands": hands}
        return {"seats": [seat | ({"switched": True} if self.switched else {})], "dealer": {"cards": self.dealer}}


@dataclass
class Table:
    """A table with one player: the decks, the card of basic strategy, and what the submission allows.

    At Blackjack Switch `worth` says by up card what two cards are worth; those of a Blackjack stand at `natural`.
    """

    chance: Random
    decks: int
    card: Mapping[str, Sequence[str]]
    resplits: int
    from_hand: bool = False
    worth: Mapping[str, Mapping[str, float]] | None = None

    def __post_init__(self) -> None:
        self.shoe = DECK * self.decks
        self.drawn = 0

    def draw(self) -> Card:
        """Return one of the cards that are left in the shoe."""
        shoe, place = self.shoe, self.drawn
        other = place + int(self.chance.random() * (len(shoe) - place))
        shoe[place], shoe[other] = shoe[other], shoe[place]
        self.drawn = place + 1
        return shoe[place]

    def play(self) -> Round:
        """Deal and play a round from full decks."""
        self.drawn = 0
        dealt = [[self.draw(), self.draw()] for _ in range(1 if self.worth is None else 2)]
        dealer = [self.draw(), self.draw()]
        up = dealer[0][0]
        column = UP.index("10" if up in "TJQK" else up)
        played = Round(dealt, dealer)
        pairs = dealt
        if self.worth is not None:
            pairs, played.switched = self.switched(dealt, self.worth[UP[column]])
        blackjack = total(dealer)[0] == 21
        for pair in pairs:
            natural = total(pair)[0] == 21 and not played.switched
            if natural or (blackjack and not self.from_hand):
                played.hands.append(Played(list(pair), natural=natural))
            else:
                played.hands.extend(self.hands(pair, column))
        if any(not hand.surrendered and total(hand.cards)[0] <= 21 for hand in played.hands) and (
            self.worth is not None or not played.hands[0].natural
        ):
            while total(dealer)[0] < 17:
                dealer.append(self.draw())
        return played

    def switched(self, dealt: list[list[Card]], worth: Mapping[str, float]) -> tuple[list[list[Card]], bool]:
        """Return the two hands, their second cards switched where that is worth more."""
        (one, two), (three, four) = dealt
        kept = [worth["natural" if total(pair)[0] == 21 else name(pair)] for pair in dealt]
        other = [[one, four], [three, two]]
        if sum(worth[name(pair)] for pair in other) > sum(kept):
            return other, True
        return dealt, False

    def hands(self, pair: list[Card], column: int) -> list[Played]:
        """Play two cards and the hands that are split from them, one after the other."""
        waiting = [list(pair)]
        done: list[Played] = []
        splits = 0
        while waiting:
            cards = waiting.pop(0)
            if len(cards) == 1:
                cards.append(self.draw())
            hand = Played(cards, original=not done)
            may = "HSD" + ("P" if splits <= self.resplits else "")
            if not splits and self.worth is None:
                may += "R"
            action = self.decide(cards, column, may)
            if action == "P":
                splits += 1
                waiting = [[cards[0]], [cards[1]], *waiting]
                continue
            if action == "D":
                hand.staked = 2
                cards.append(self.draw())
            while action == "H":
                cards.append(self.draw())
                action = self.decide(cards, column, "HS")
            hand.surrendered = action == "R"
            done.append(hand)
        return done

    def decide(self, cards: list[Card], column: int, may: str) -> str:
        """Return what the card says: the first letter that is allowed."""
        points, soft = total(cards)
        if points >= 21:
            return "S"
        pair = len(cards) == 2 and COUNT[cards[0][0]] == COUNT[cards[1][0]] and "P" in may
        row = f"pair {UP[COUNT[cards[0][0]] - 2]}" if pair else f"{'soft' if soft else 'hard'} {points}"
        for letter in self.card[row][column]:
            if letter in may:
                return letter
        raise AssertionError(f"{row}: nothing is allowed")


def name(pair: Sequence[Card]) -> str:
    """Return the values of two cards, lower first; an ace is 1."""
    first, second = sorted(COUNT[card[0]] for card in pair)
    return f"{first}-{second}"


def net(played: Round, *, switch: bool, blackjack: float = 1.5) -> float:
    """Return what a round wins or loses, for each cent of one wager; a Blackjack pays `blackjack` to 1."""
    points = total(played.dealer)[0]
    dealer_natural = points == 21 and len(played.dealer) == 2
    won = 0.0
    for hand in played.hands:
        own = total(hand.cards)[0]
        if dealer_natural:
            won -= 1 if hand.original and not hand.natural else 0
        elif hand.surrendered:
            won -= 0.5
        elif own > 21:
            won -= hand.staked
        elif switch and points == 22:
            pass
        elif hand.natural:
            won += 1 if switch and points == 21 else blackjack
        elif points > 21 or own > points:
            won += hand.staked
        elif own < points:
            won -= hand.staked
    return won
