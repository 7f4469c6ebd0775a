"""Face Up Pai Gow Poker rounds that are really dealt, with random decisions, settle; broken copies of them never do."""

from collections.abc import Mapping
from itertools import combinations
from random import Random
from typing import ClassVar, Final

from hypothesis import given

from tests.property.breaks import Break, put, wager_of
from tests.property.dealing import DECK_WITH_JOKER, RANKS, Dealt, Document, likely, some
from tests.property.games import MANY, SEEDS
from tests.property.set_hand_games import (
    SET_HANDS,
    SetHandSuite,
    correct_low,
    irregularities,
    set_somehow,
    seven_cards,
)
from tests.support.set_hands import is_fouled, rank_high, rank_low

MAIN: Final = "face_up_pai_gow_poker"
PAYTABLES: Final = {"ace_high_bonus": 5, "fortune_bonus": 6, "progressive_payout": 7}


def is_ace_high(seven: list[str]) -> bool:
    """Return whether no five of the seven cards are better than an ace-high hand, and some are that."""
    return max(rank_high(five) for five in combinations(seven, 5))[:2] == (0, RANKS.index("A"))


def surrendered_with_an_optional_wager(round_: Document, dealt: Dealt) -> bool:
    """Let a player with an optional wager surrender."""
    del dealt
    seat = next((seat for seat in round_["seats"] if len(seat["wagers"]) > 1), None)
    if seat is not None:
        seat["surrendered"] = True
    return seat is not None


class TestFaceUpPaiGow(SetHandSuite):
    """Face Up Pai Gow Poker: an Ace High Pai Gow of the dealer ties with all."""

    main = MAIN
    own_breaks: ClassVar[Mapping[str, Break]] = {
        **SET_HANDS,
        "surrendered with an optional wager": surrendered_with_an_optional_wager,
        "a progressive wager of another amount": wager_of("progressive_payout", 1),
        "a bank": put("bank", {"seat": 1, "co": False, "dealer_wager": 0}),
        "no wager": put("seats.0.wagers", {}),
        "no dealer": put("dealer", {}),
    }

    def deal(self, chance: Random) -> Dealt:
        """Deal under any paytables of the text."""
        offered = {name: {"paytable": str(chance.randint(1, PAYTABLES[name]))} for name in some(chance, PAYTABLES)}
        deck = chance.sample(DECK_WITH_JOKER, 53)
        dealer = seven_cards(chance, deck)
        seats = [
            self.seat(chance, number, seven_cards(chance, deck), offered)
            for number in chance.sample(range(1, 7), chance.randint(1, 6))
        ]
        round_: Document = {"seats": seats, "dealer": {"cards": dealer, "low": correct_low(chance, dealer)}}
        if "progressive_payout" in offered:
            round_["meters"] = {"progressive_payout": chance.randint(0, 3_000_000)}
        return Dealt("pa-688a", {"wagers": offered}, round_ | irregularities(chance, seats))

    def seat(self, chance: Random, number: int, seven: list[str], offered: Document) -> Document:
        """Return a seat: wagers, and a hand that is set somehow, surrendered or voided."""
        wagers = {MAIN: chance.randint(1, 400) * 25}
        for name in some(chance, offered):
            one_amount = 500 if offered[name]["paytable"] == "4" else 100
            wagers[name] = one_amount if name == "progressive_payout" else chance.randint(1, 20) * 100
        seat: Document = {"seat": number, "player": f"player {number}", "wagers": wagers, "cards": seven}
        if likely(chance, 4):
            return seat | {"voided": True}
        if len(wagers) == 1 and likely(chance, 10):
            return seat | {"surrendered": True}
        return seat | {"low": set_somehow(chance, seven)}

    def add_wager(self, dealt: Dealt, cents: int) -> tuple[int, str] | None:
        """Add an Ace High Bonus Wager against a dealer who has none."""
        seats = [seat for seat in self.compared(dealt) if "ace_high_bonus" not in seat["wagers"]]
        if not seats or is_ace_high(dealt.round["dealer"]["cards"]):
            return None
        dealt.submission["wagers"].setdefault("ace_high_bonus", {"paytable": "1"})
        seats[0]["wagers"]["ace_high_bonus"] = cents
        return seats[0]["seat"], "ace_high_bonus"

    @MANY
    @given(SEEDS)
    def test_hands_are_compared_as_the_text_says(self, seed: int) -> None:
        """Both hands higher win, one higher ties, copies and fouled hands lose, and an ace-high dealer returns all."""
        dealt = self.dealt(seed)
        dealer = dealt.round["dealer"]
        ace_high, high, low = is_ace_high(dealer["cards"]), self.high(dealt, dealer), rank_low(dealer["low"])
        settled = {line.seat: line for line in dealt.settle().lines if line.wager == MAIN}
        for seat in self.compared(dealt):
            if ace_high:
                expected = "push"
            elif is_fouled(seat["cards"], seat["low"]):
                expected = "lose"
            else:
                expected = ("lose", "push", "win")[(self.high(dealt, seat) > high) + (rank_low(seat["low"]) > low)]
            assert expected == settled[seat["seat"]].outcome
