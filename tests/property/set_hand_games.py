"""What is true of the games in which a player sets seven cards as a high and a low hand: their part of the suite."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random
from typing import ClassVar, Final

from hypothesis import given

from tests.property.breaks import METERED, Break, card_more, put
from tests.property.dealing import DECK_WITH_JOKER, RANKS, Dealt, Document, likely, unused_card
from tests.property.games import MANY, SEEDS, StoppableSuite
from tests.support.set_hands import Rank, high_of, is_fouled, rank_high, rank_low


def seven_cards(chance: Random, deck: list[str]) -> list[str]:
    """Take seven cards; one hand in four comes from few ranks or one suit, so that bonuses are won."""
    if likely(chance, 25):
        wanted = chance.choice(["shdc"[chance.randrange(4)], *combinations(RANKS, 3)])
        deck.sort(key=lambda card: any(sign in card for sign in wanted) or card == "Jk")
    taken = [deck.pop() for _ in range(7)]
    chance.shuffle(deck)
    return chance.sample(taken, 7)


def correct_low(chance: Random, seven: Sequence[str]) -> list[str]:
    """Return two of the cards that leave a high hand that is not lower."""
    pairs = chance.sample(list(combinations(seven, 2)), 21)
    return next(list(two) for two in pairs if not is_fouled(seven, two))


def set_somehow(chance: Random, seven: Sequence[str]) -> list[str]:
    """Return a low hand, in one case of ten any one to three cards."""
    if likely(chance, 10):
        return chance.sample(seven, chance.choice([1, 2, 2, 2, 3]))
    return correct_low(chance, seven)


def irregularities(chance: Random, seats: Sequence[Document]) -> Document:
    """Return the fields of a round that say why hands were voided, and who left."""
    codes = []
    for seat in seats:
        if seat.get("voided"):
            codes.append({"code": "player_card_exposed", "seat": seat["seat"]})
        elif likely(chance, 4):
            codes.append({"code": "abandoned", "seat": seat["seat"]})
    return {"irregularities": codes} if codes else {}


def low_from_the_deck(round_: Document, dealt: Dealt) -> bool:
    """Name a card in a low hand that lies in the deck."""
    del dealt
    seat = _set_seat(round_)
    if seat is not None:
        seat["low"][0] = unused_card(round_, DECK_WITH_JOKER)
    return seat is not None


def house_hand_not_set(round_: Document, dealt: Dealt) -> bool:
    """Leave the hand of the dealer, or of the bank, unset."""
    del dealt, _house_hand(round_)["low"]
    return True


def house_hand_fouled(round_: Document, dealt: Dealt) -> bool:
    """Set the low hand of the dealer, or of the bank, above the high hand."""
    del dealt
    hand = _house_hand(round_)
    fouled = next((two for two in combinations(hand["cards"], 2) if is_fouled(hand["cards"], two)), None)
    hand["low"] = list(fouled or ())
    return fouled is not None


def voided_without_a_reason(round_: Document, dealt: Dealt) -> bool:
    """Void a hand although none of its cards was exposed."""
    del dealt
    seat = _set_seat(round_)
    if seat is not None:
        seat["voided"] = True
    return seat is not None


def card_at_two_places(round_: Document, dealt: Dealt) -> bool:
    """Let the dealer hold a card of the first seat in the high hand."""
    del dealt
    dealer = round_.get("dealer")
    if dealer is None:
        return False
    changed = next(card for card in dealer["cards"] if card not in dealer["low"])
    dealer["cards"][dealer["cards"].index(changed)] = round_["seats"][0]["cards"][0]
    return True


def second_box(round_: Document, dealt: Dealt) -> bool:
    """Give a player two boxes although the submission does not permit it."""
    del dealt
    round_["seats"][-1]["player"] = round_["seats"][0]["player"]
    return len(round_["seats"]) > 1


def _set_seat(round_: Document) -> Document | None:
    """Return a seat whose hand was set, the bank's first."""
    banker = round_.get("bank", {}).get("seat")
    seats = sorted(round_["seats"], key=lambda seat: bool(seat["seat"] != banker))
    return next((seat for seat in seats if "low" in seat), None)


def _house_hand(round_: Document) -> Document:
    """Return the hand that the others are compared with."""
    hand: Document | None = _set_seat(round_) if "bank" in round_ else round_["dealer"]
    assert hand is not None
    return hand


SET_HANDS: Final[Mapping[str, Break]] = {
    **METERED,
    "eight cards": card_more,
    "a card at two places": card_at_two_places,
    "no card of this name": put("seats.0.cards.0", "JK"),
    "a low card from the deck": low_from_the_deck,
    "dealer or bank not set": house_hand_not_set,
    "dealer or bank fouled": house_hand_fouled,
    "voided without a reason": voided_without_a_reason,
    "a second box": second_box,
}


class SetHandSuite(StoppableSuite):
    """The suite of a game with set hands."""

    main: ClassVar[str]
    stops = ("misdeal", "shoe_malfunction", "wrong_starting_position", "deck_count_wrong")

    def compared(self, dealt: Dealt) -> list[Document]:
        """Return the seats whose hands are compared with the dealer's or the bank's."""
        left = dealt.left()
        return [seat for seat in dealt.seats if "low" in seat and seat["seat"] not in left]

    def high(self, dealt: Dealt, hand: Document) -> Rank:
        """Return the rank of a high hand, counted in another way than the settlement does."""
        wheel_lowest = dealt.submission.get("options", {}).get("low_straights_lowest", False)
        return rank_high(high_of(hand["cards"], hand["low"]), wheel_lowest=wheel_lowest)

    @MANY
    @given(SEEDS)
    def test_a_better_hand_never_earns_less(self, seed: int) -> None:
        """Of two correctly set hands the one with both parts at least as high never has the worse outcome."""
        dealt = self.dealt(seed)
        order = ("lose", "push", "win")
        ended = {line.seat: line.outcome for line in dealt.settle().lines if line.wager == self.main}
        hands = [
            (self.high(dealt, seat), rank_low(seat["low"]), order.index(ended[seat["seat"]]))
            for seat in self.compared(dealt)
            if not is_fouled(seat["cards"], seat["low"])
        ]
        for one, other in combinations(hands, 2):
            if one[0] >= other[0] and one[1] >= other[1]:
                assert one[2] >= other[2]
            if one[0] <= other[0] and one[1] <= other[1]:
                assert one[2] <= other[2]
