"""Pai Gow Poker rounds that are really dealt, with random decisions, settle; broken copies of them never do."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar, Final

from hypothesis import assume, given

from shared.rules import Line
from tests.property.breaks import Break, put
from tests.property.dealing import DECK_WITH_JOKER, Dealt, Document, likely, some
from tests.property.games import MANY, SEEDS
from tests.property.set_hand_games import (
    SET_HANDS,
    SetHandSuite,
    correct_low,
    irregularities,
    set_somehow,
    seven_cards,
)
from tests.support.set_hands import is_fouled, rank_low

PENNSYLVANIA: Final = "pa-645a-2011"
RHODE_ISLAND: Final = "ri-pai-gow"
MAIN: Final = "pai_gow_poker"
OFFERED: Final[Mapping[str, Mapping[str, Document]]] = {
    PENNSYLVANIA: {
        "fortune_bonus": {"paytable": "B"},
        "emperors_treasure": {"paytable": "C"},
        "pai_gow_insurance": {"paytable": "A"},
        "progressive_payout": {"meter": {"rate": "0.285", "reset": 200_000}},
    },
    RHODE_ISLAND: {
        "bonus": {},
        "progressive_payout": {"paytable": "five_dollar", "meter": {"rate": "0.27", "reset": 1_000_000}},
        "starting_position": {},
    },
}
BARS_SURRENDER: Final = {
    PENNSYLVANIA: frozenset(OFFERED[PENNSYLVANIA]),
    RHODE_ISLAND: frozenset({"progressive_payout"}),
}


def bank_of(dealt: Dealt) -> int | None:
    """Return the seat that banks."""
    bank = dealt.round.get("bank")
    return None if bank is None else int(bank["seat"])


def against(dealt: Dealt) -> Document:
    """Return the hand that players are compared with."""
    hand: Document = dealt.round.get("dealer", {})
    return next((seat for seat in dealt.seats if seat["seat"] == bank_of(dealt)), hand)


def surrendered_with_a_progressive_wager(round_: Document, dealt: Dealt) -> bool:
    """Let a player with a progressive payout wager surrender."""
    del dealt
    seat = next((seat for seat in round_["seats"] if "progressive_payout" in seat["wagers"]), None)
    if seat is not None:
        seat["surrendered"] = True
    return seat is not None


def picks_do_not_add_up(round_: Document, dealt: Dealt) -> bool:
    """Wager a cent more on the starting position than on its picks."""
    del dealt
    seat = next((seat for seat in round_["seats"] if "picks" in seat), None)
    if seat is not None:
        seat["wagers"]["starting_position"] += 1
    return seat is not None


def no_number_drawn(round_: Document, dealt: Dealt) -> bool:
    """Forget the number that was drawn, with a wager on it."""
    del dealt
    round_.pop("starting_position", None)
    return any("picks" in seat for seat in round_["seats"])


def main_wager_is_wrong(round_: Document, dealt: Dealt) -> bool:
    """Let a bank make the wager that only the others make, or let a player not make it."""
    seat = round_["seats"][0]
    if seat["seat"] == bank_of(dealt):
        seat["wagers"][MAIN] = 1000
    else:
        del seat["wagers"][MAIN]
    return True


def dealer_wager_of_a_co_bank(round_: Document, dealt: Dealt) -> bool:
    """Let the dealer wager against a bank that it shares."""
    del dealt
    bank = round_.get("bank", {})
    bank["dealer_wager"] = 500
    return bool(bank.get("co"))


class TestPaiGow(SetHandSuite):
    """Pai Gow Poker in Pennsylvania and Rhode Island, where players may bank."""

    main = MAIN
    from_the_highest_seat = False
    vigorish_on = frozenset({MAIN, "bank"})
    not_on_cards = frozenset({"starting_position"})
    own_breaks: ClassVar[Mapping[str, Break]] = {
        **SET_HANDS,
        "surrendered with a progressive wager": surrendered_with_a_progressive_wager,
        "picks do not add up": picks_do_not_add_up,
        "no number drawn": no_number_drawn,
        "main wager is wrong": main_wager_is_wrong,
        "dealer's wager of a co-bank": dealer_wager_of_a_co_bank,
        "bank that is not there": put("bank", {"seat": 99}),
        "more than three dice show": put("starting_position", 19),
    }

    def deal(self, chance: Random) -> Dealt:
        """Deal under either text, banked by a player where the submission offers it."""
        regulation = chance.choice([PENNSYLVANIA, RHODE_ISLAND])
        options: Document = {
            "vigorish_rounding": chance.choice(["none", "quarter_up"]),
            "banking": likely(chance, 50),
            "co_banking": likely(chance, 50),
        }
        if regulation == RHODE_ISLAND:
            options |= {
                "main_payout": chance.choice(["2 to 1", "1 to 1"]),
                "low_straights_lowest": likely(chance, 50),
            }
        offered = {name: OFFERED[regulation][name] for name in some(chance, OFFERED[regulation])}
        deck = chance.sample(DECK_WITH_JOKER, 53)
        taken = chance.sample(range(1, 7), chance.randint(1, 6))
        bank = chance.choice(taken) if options["banking"] and likely(chance, 70) else None
        dealers = seven_cards(chance, deck)
        dealer = {"cards": dealers, "low": correct_low(chance, dealers)}
        seats = [
            self.seat(chance, number, seven_cards(chance, deck), offered, regulation, banks=number == bank)
            for number in taken
        ]
        round_: Document = {"seats": seats}
        if bank is None:
            round_["dealer"] = dealer
        elif options["co_banking"] and likely(chance, 50):
            round_["bank"] = {"seat": bank, "co": True}
        else:
            round_ |= {"bank": {"seat": bank, "dealer_wager": chance.randint(0, 9) * 333}, "dealer": dealer}
        if "progressive_payout" in offered:
            round_["meters"] = {"progressive_payout": chance.randint(0, 3_000_000)}
        if "starting_position" in offered:
            round_["starting_position"] = chance.randint(1, 7)
        return Dealt(regulation, {"options": options, "wagers": offered}, round_ | irregularities(chance, seats))

    def seat(
        self, chance: Random, number: int, seven: list[str], offered: Document, regulation: str, *, banks: bool
    ) -> Document:
        """Return a seat: wagers, and a hand that is set somehow, surrendered or voided."""
        wagers = {} if banks else {MAIN: chance.randint(1, 400) * 25 + chance.choice([0, 0, 1])}
        seat: Document = {"seat": number, "player": f"player {number}", "wagers": wagers, "cards": seven}
        for name in some(chance, offered):
            if name == "starting_position":
                if not banks:
                    wagers[name] = chance.randint(1, 20) * 100
                    seat["picks"] = {str(chance.randint(1, 7)): wagers[name]}
            else:
                wagers[name] = 500 if name == "progressive_payout" else chance.randint(1, 20) * 100
        if banks:
            return seat | {"low": correct_low(chance, seven)}
        if likely(chance, 4):
            return seat | {"voided": True}
        if BARS_SURRENDER[regulation].isdisjoint(wagers) and likely(chance, 10):
            return seat | {"surrendered": True}
        return seat | {"low": set_somehow(chance, seven)}

    def compared(self, dealt: Dealt) -> list[Document]:
        """Leave out the bank; a player who left in Rhode Island is compared all the same."""
        left = dealt.left() if dealt.regulation == PENNSYLVANIA else set()
        return [seat for seat in dealt.seats if "low" in seat and seat["seat"] not in {bank_of(dealt), *left}]

    def facts(self, line: Line) -> tuple[object, ...]:
        """Leave out what a progressive wager wins: the meter may show less for a later seat."""
        if line.wager == "progressive_payout":
            return (line.wager, line.outcome, line.stake)
        return (*super().facts(line), line.vigorish)

    def add_wager(self, dealt: Dealt, cents: int) -> tuple[int, str] | None:
        """Add insurance to a hand with a pair, or a pick of a number that is not drawn."""
        if dealt.regulation == PENNSYLVANIA:
            wager = "pai_gow_insurance"
            ranks = {seat["seat"]: [card[0] for card in seat["cards"] if card != "Jk"] for seat in dealt.seats}
            seats = [seat for seat in self.compared(dealt) if len(set(ranks[seat["seat"]])) < len(ranks[seat["seat"]])]
        else:
            wager, seats = "starting_position", self.compared(dealt)
        seats = [seat for seat in seats if wager not in seat["wagers"]]
        if not seats or (wager == "starting_position" and dealt.round.get(wager) == 1):
            return None
        dealt.submission["wagers"].setdefault(wager, OFFERED[dealt.regulation][wager])
        seats[0]["wagers"][wager] = cents
        if wager == "starting_position":
            dealt.round.setdefault(wager, 7)
            seats[0]["picks"] = {"1": cents}
        return seats[0]["seat"], wager

    @MANY
    @given(SEEDS)
    def test_hands_are_compared_as_the_texts_say(self, seed: int) -> None:
        """Both hands higher win, one higher ties, copies and fouled hands lose; a bank stands in the dealer's place."""
        dealt = self.dealt(seed)
        house_hand, bank = against(dealt), bank_of(dealt)
        high, low = self.high(dealt, house_hand), rank_low(house_hand["low"])
        settled = {line.seat: line for line in dealt.settle().lines if line.wager == MAIN}
        for seat in self.compared(dealt):
            line = settled[seat["seat"]]
            if is_fouled(seat["cards"], seat["low"]):
                expected = "lose"
            else:
                expected = ("lose", "push", "win")[(self.high(dealt, seat) > high) + (rank_low(seat["low"]) > low)]
            assert (expected, "house" if bank is None else "bank") == (line.outcome, line.paid_by)
            if expected == "win":
                times = 2 if bank is None and dealt.submission["options"].get("main_payout") == "2 to 1" else 1
                assert seat["wagers"][MAIN] * times == line.payout

    @MANY
    @given(SEEDS)
    def test_a_bank_gets_what_the_others_lose_and_pays_what_they_win(self, seed: int) -> None:
        """The center holds the losing wagers less the winnings, the dealer's included; in co-banking half of it."""
        dealt = self.dealt(seed)
        assume(bank_of(dealt) is not None)
        settled = dealt.settle()
        center = 0
        for line in settled.lines:
            if line.wager in (MAIN, "dealer_wager"):
                center += line.stake - line.stake_returned - line.payout
        (bank,) = [line for line in settled.lines if line.wager == "bank"]
        moved = bank.payout - bank.stake + (bank.house_share or 0) * (1 if bank.outcome == "win" else -1)
        assert (center, bank_of(dealt)) == (moved, bank.seat)
        assert {True: "win", False: "push" if center == 0 else "lose"}[center > 0] == bank.outcome
        if dealt.round["bank"].get("co"):
            assert abs(center) // 2 == bank.payout + bank.stake
        else:
            assert bank.house_share is None

    @MANY
    @given(SEEDS)
    def test_the_house_way_resets_what_differs_from_it(self, seed: int) -> None:
        """Settled again with the hand as it was reset, the round has the same lines and nothing to report."""
        dealt = self.dealt(seed)
        dealt.submission["options"]["house_way"] = "standard"
        first = dealt.settle()
        for notice in first.notices:
            assert notice.code == "hand_reset"
            low = notice.detail.split(" reset to ")[1].removesuffix(" by the house way").split()
            hand = dealt.round["dealer"] if notice.seat == 0 else against(dealt)
            hand["low"] = low
        again = dealt.settle()
        assert (first.lines, ()) == (again.lines, again.notices)
