"""Pai Gow Poker rounds that are really dealt, with random decisions, settle; broken copies of them never do."""

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shared.rules import Refused, Settlement, compile_rules, parse_round, parse_submission, round_type
from tests.support.set_hands import DECK, RANKS, beside, correct_lows, is_fouled, rank_high, rank_low

Document = dict[str, Any]

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


@dataclass
class Dealt:
    """A round that was dealt: its regulation, its record and its rules submission as documents."""

    regulation: str
    submission: Document
    round: Document

    def settle(self, round_: Document | None = None) -> Settlement:
        """Settle the round, or a changed copy of it."""
        rules = compile_rules(self.regulation, parse_submission(self.submission))
        return rules.settle(parse_round(self.regulation, self.round if round_ is None else round_))

    @property
    def bank(self) -> int | None:
        """The seat that banks."""
        bank = self.round.get("bank")
        return None if bank is None else int(bank["seat"])

    @property
    def against(self) -> Document:
        """The hand that players are compared with."""
        if self.bank is None:
            dealer: Document = self.round["dealer"]
            return dealer
        return next(seat for seat in self.round["seats"] if seat["seat"] == self.bank)

    @property
    def compared(self) -> list[Document]:
        """The seats whose hands are compared."""
        left = {
            entry["seat"]
            for entry in self.round.get("irregularities", [])
            if entry["code"] == "abandoned" and self.regulation == PENNSYLVANIA
        }
        return [
            seat
            for seat in self.round["seats"]
            if "low" in seat and not seat.get("surrendered") and seat["seat"] not in {self.bank, *left}
        ]

    def high(self, hand: Document) -> tuple[int, ...]:
        """The rank of the high hand of a seat or the dealer."""
        lowest = self.submission["options"].get("low_straights_lowest", False)
        return rank_high(beside(hand["cards"], hand["low"]), wheel_lowest=lowest)


@dataclass
class Table:
    """A dealer, a deck with a joker, and players who decide by chance."""

    chance: Random
    regulation: str
    submission: Document

    def likely(self, percent: int) -> bool:
        """Whether something that happens in so many of a hundred cases happens now."""
        return self.chance.randrange(100) < percent

    def deal(self) -> Dealt:
        """Deal and set one round, banked by a player where the submission offers it."""
        deck = self.chance.sample(DECK, len(DECK))
        hands = {place: self.seven(deck) for place in range(7)}
        taken = sorted(self.chance.sample(range(1, 7), self.chance.randint(1, 6)))
        options, wagers = self.submission["options"], self.submission["wagers"]
        bank = self.chance.choice(taken) if options["banking"] and self.likely(70) else None
        round_: Document = {"seats": [self.seat(number, hands[number], banks=number == bank) for number in taken]}
        dealer = {"cards": hands[0], "low": self.chance.choice(correct_lows(hands[0]))}
        if bank is None:
            round_["dealer"] = dealer
        elif options["co_banking"] and self.likely(50):
            round_["bank"] = {"seat": bank, "co": True}
        else:
            round_ |= {"bank": {"seat": bank, "dealer_wager": self.chance.randint(0, 9) * 333}, "dealer": dealer}
        if "progressive_payout" in wagers:
            round_["meters"] = {"progressive_payout": self.chance.randint(0, 3_000_000)}
        if "starting_position" in wagers:
            round_["starting_position"] = self.chance.randint(1, 7)
        codes = []
        for seat in round_["seats"]:
            if seat.get("voided"):
                codes.append({"code": "player_card_exposed", "seat": seat["seat"]})
            elif self.likely(4):
                codes.append({"code": "abandoned", "seat": seat["seat"]})
        return Dealt(self.regulation, self.submission, round_ | ({"irregularities": codes} if codes else {}))

    def seven(self, deck: list[str]) -> list[str]:
        """Seven cards from the deck; one hand in four comes from few ranks or one suit, so that bonuses are won."""
        if self.likely(25):
            wanted = self.chance.choice(["shdc"[self.chance.randrange(4)], *combinations(RANKS, 3)])
            deck.sort(key=lambda card: any(sign in card for sign in wanted) or card == "Jk")
        taken = [deck.pop() for _ in range(7)]
        self.chance.shuffle(deck)
        return self.chance.sample(taken, 7)

    def seat(self, number: int, seven: list[str], *, banks: bool) -> Document:
        """One seat: wagers, and a hand that is set somehow, surrendered or voided."""
        wagers = {} if banks else {MAIN: self.chance.randint(1, 400) * 25 + self.chance.choice([0, 0, 1])}
        seat: Document = {"seat": number, "player": f"player {number}", "wagers": wagers, "cards": seven}
        for name in self.submission["wagers"]:
            if self.likely(60) and not (banks and name == "starting_position"):
                wagers[name] = 500 if name == "progressive_payout" else self.chance.randint(1, 20) * 100
                if name == "starting_position":
                    seat["picks"] = {self.chance.randint(1, 7): wagers[name]}
        if banks:
            return seat | {"low": self.chance.choice(correct_lows(seven))}
        if self.likely(4):
            return seat | {"voided": True}
        barred = wagers.keys() - ({MAIN} if self.regulation == PENNSYLVANIA else wagers.keys() - {"progressive_payout"})
        if not barred and self.likely(10):
            return seat | {"surrendered": True}
        if self.likely(10):
            return seat | {"low": self.chance.sample(seven, self.chance.choice([1, 2, 2, 2, 3]))}
        return seat | {"low": self.chance.choice(correct_lows(seven))}


@st.composite
def rounds(draw: st.DrawFn) -> Dealt:
    """A legal round under a random rules submission of either text."""
    regulation = draw(st.sampled_from([PENNSYLVANIA, RHODE_ISLAND]))
    offered = draw(st.sets(st.sampled_from(sorted(OFFERED[regulation]))))
    options: Document = {
        "vigorish_rounding": draw(st.sampled_from(["none", "quarter_up"])),
        "banking": draw(st.booleans()),
        "co_banking": draw(st.booleans()),
    }
    if regulation == RHODE_ISLAND:
        options["main_payout"] = draw(st.sampled_from(["2 to 1", "1 to 1"]))
        options["low_straights_lowest"] = draw(st.booleans())
    wagers = {name: OFFERED[regulation][name] for name in sorted(offered)}
    chance = draw(st.randoms(use_true_random=False))
    return Table(chance, regulation, {"options": options, "wagers": wagers}).deal()


def lines(settlement: Settlement) -> list[Document]:
    """The lines as documents in an order of their own."""
    return sorted((line.as_document() for line in settlement.lines), key=lambda line: json.dumps(line))


def has_natural_pair(cards: list[str]) -> bool:
    """Whether two cards without the joker have one rank."""
    ranks = [card[0] for card in cards if card != "Jk"]
    return len(set(ranks)) < len(ranks)


MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@MANY
@given(rounds())
def test_a_round_that_was_dealt_settles_and_keeps_the_money_together(dealt: Dealt) -> None:
    """What players, bank, house and meters gain and lose is nothing together; every stake is settled once."""
    settled = dealt.settle()
    players = bank = house = 0
    for line in settled.lines:
        net = line.payout + line.stake_returned - line.stake
        house += line.vigorish
        if line.wager == "bank":
            bank += net - line.vigorish
            house += (line.house_share or 0) * (1 if line.outcome == "win" else -1)
        elif line.seat == 0:
            house += net
        else:
            players += net - line.vigorish
            house -= net - line.from_meter if line.paid_by == "house" else 0
        assert 0 <= line.stake_returned <= line.stake
        assert 0 <= line.from_meter <= line.payout
        assert line.vigorish == 0 or (line.wager in (MAIN, "bank") and line.outcome == "win")
    house -= sum(entry.cents for entry in settled.contributions) + sum(settled.meter_resets.values())
    meters = sum(settled.meters.values()) - sum(dealt.round.get("meters", {}).values())
    assert (0, house, bank) == (players + bank + house + meters, settled.house_net, settled.bank_net)
    for seat in dealt.round["seats"]:
        staked = [
            (line.wager, line.stake)
            for line in settled.lines
            if line.seat == seat["seat"] and line.stake and line.wager != "bank"
        ]
        assert sorted(seat["wagers"].items()) == sorted(staked)


@MANY
@given(rounds())
def test_hands_are_compared_as_the_texts_say(dealt: Dealt) -> None:
    """Both hands higher win, one higher ties, copies and fouled hands lose; a bank stands in the dealer's place."""
    against = dealt.against
    high, low = dealt.high(against), rank_low(against["low"])
    settled = {line.seat: line for line in dealt.settle().lines if line.wager == MAIN}
    for seat in dealt.compared:
        line = settled[seat["seat"]]
        if is_fouled(seat["cards"], seat["low"]):
            expected = "lose"
        else:
            expected = ("lose", "push", "win")[(dealt.high(seat) > high) + (rank_low(seat["low"]) > low)]
        assert (expected, "house" if dealt.bank is None else "bank") == (line.outcome, line.paid_by)
        if expected == "win":
            times = 2 if dealt.bank is None and dealt.submission["options"].get("main_payout") == "2 to 1" else 1
            assert seat["wagers"][MAIN] * times == line.payout


@MANY
@given(rounds())
def test_a_bank_gets_what_the_others_lose_and_pays_what_they_win(dealt: Dealt) -> None:
    """The center holds the losing wagers less the winnings, the dealer's wager included; halves of it in co-banking."""
    assume(dealt.bank is not None)
    settled = dealt.settle()
    center = 0
    for line in settled.lines:
        if line.wager in (MAIN, "dealer_wager"):
            center += line.stake - line.stake_returned - line.payout
    (bank,) = [line for line in settled.lines if line.wager == "bank"]
    moved = bank.payout - bank.stake + (bank.house_share or 0) * (1 if bank.outcome == "win" else -1)
    assert (center, dealt.bank) == (moved, bank.seat)
    assert {True: "win", False: "push" if center == 0 else "lose"}[center > 0] == bank.outcome
    if dealt.round["bank"].get("co"):
        assert abs(center) // 2 == bank.payout + bank.stake
    else:
        assert bank.house_share is None


@MANY
@given(rounds())
def test_a_better_hand_never_earns_less(dealt: Dealt) -> None:
    """Of two correctly set hands the one with both parts at least as high never has the worse outcome."""
    worth = {"lose": -1, "push": 0, "win": 1}
    settled = {line.seat: line.outcome for line in dealt.settle().lines if line.wager == MAIN}
    hands = [
        (dealt.high(seat), rank_low(seat["low"]), worth[settled[seat["seat"]]])
        for seat in dealt.compared
        if not is_fouled(seat["cards"], seat["low"])
    ]
    for one, other in combinations(hands, 2):
        if one[0] >= other[0] and one[1] >= other[1]:
            assert one[2] >= other[2]
        if one[0] <= other[0] and one[1] <= other[1]:
            assert one[2] <= other[2]


@MANY
@given(rounds())
def test_the_order_of_the_seats_in_the_record_does_not_matter(dealt: Dealt) -> None:
    """Settlement order comes from the seat numbers alone."""
    turned = copy.deepcopy(dealt.round)
    turned["seats"].reverse()
    one, other = dealt.settle(), dealt.settle(turned)
    assert one.lines == other.lines
    assert one.meters == other.meters


@MANY
@given(rounds())
def test_where_a_player_sits_matters_to_the_meter_only(dealt: Dealt) -> None:
    """With the seat numbers turned around every player has the same lines, but for awards of the meter."""
    turned = copy.deepcopy(dealt.round)
    for entry in [*turned["seats"], *turned.get("irregularities", []), *filter(None, [turned.get("bank")])]:
        entry["seat"] = 7 - entry["seat"]

    def by_player(settlement: Settlement, *, is_turned: bool) -> list[tuple[Any, ...]]:
        return sorted(
            (
                7 - line.seat if is_turned and line.seat else line.seat,
                line.wager,
                line.outcome,
                line.stake,
                0 if line.wager == "progressive_payout" else line.payout,
            )
            for line in settlement.lines
        )

    assert by_player(dealt.settle(), is_turned=False) == by_player(dealt.settle(turned), is_turned=True)


@MANY
@given(rounds(), st.integers(1, 10**6))
def test_a_losing_side_bet_changes_nothing_else(dealt: Dealt, cents: int) -> None:
    """One more wager that loses adds one line and takes its stake: insurance against a pair, a number not drawn."""
    if dealt.regulation == PENNSYLVANIA:
        wager = "pai_gow_insurance"
        seats = [seat for seat in dealt.compared if has_natural_pair(seat["cards"])]
    else:
        wager = "starting_position"
        seats = dealt.compared
        dealt.round["starting_position"] = 7
    seats = [seat for seat in seats if wager not in seat["wagers"]]
    assume(seats)
    dealt.submission["wagers"].setdefault(wager, OFFERED[dealt.regulation][wager])
    before = lines(dealt.settle())
    seats[0]["wagers"][wager] = cents
    if wager == "starting_position":
        seats[0]["picks"] = {1: cents}
    after = dealt.settle()
    (added,) = [line for line in after.lines if (line.seat, line.wager) == (seats[0]["seat"], wager)]
    assert ("lose", -cents) == (added.outcome, added.net)
    assert before == [line for line in lines(after) if line != added.as_document()]


@MANY
@given(rounds(), st.sampled_from(["misdeal", "shoe_malfunction", "wrong_starting_position", "deck_count_wrong"]))
def test_a_round_that_was_stopped_returns_every_wager_on_its_cards(dealt: Dealt, code: str) -> None:
    """Whatever lay on the table, every wager goes back and no meter changes; the starting position stands."""
    codes = [*dealt.round.get("irregularities", []), {"code": code}]
    settled = dealt.settle(dealt.round | {"irregularities": codes})
    on_cards = [line for line in settled.lines if line.wager != "starting_position"]
    assert {("void", 0)} >= {(line.outcome, line.net) for line in on_cards}
    wagers = [name for seat in dealt.round["seats"] for name in seat["wagers"] if name != "starting_position"]
    of_dealer = 1 if dealt.round.get("bank", {}).get("dealer_wager") else 0
    assert len(wagers) + of_dealer == len(on_cards)
    assert dealt.round.get("meters", {}) == settled.meters


@MANY
@given(rounds())
def test_the_house_way_resets_what_differs_from_it(dealt: Dealt) -> None:
    """Settled again with the hand as it was reset, the round has the same lines and nothing to report."""
    dealt.submission["options"]["house_way"] = "standard"
    first = dealt.settle()
    for notice in first.notices:
        assert notice.code == "hand_reset"
        low = notice.detail.split(" reset to ")[1].removesuffix(" by the house way").split()
        hand = dealt.round["dealer"] if notice.seat == 0 else dealt.against
        hand["low"] = low
    again = dealt.settle()
    assert (first.lines, ()) == (again.lines, again.notices)


@MANY
@given(rounds())
def test_json_and_python_documents_are_one_record(dealt: Dealt) -> None:
    """A record decoded from bytes settles like the one built from a document, keys of picks included."""
    decoded = round_type(dealt.regulation).model_validate_json(json.dumps(dealt.round).encode())
    assert decoded == parse_round(dealt.regulation, dealt.round)


def spare_card(round_: Document) -> str:
    """A card that nobody holds."""
    used = {card for hand in [*round_["seats"], round_.get("dealer", {})] for card in hand.get("cards", [])}
    return next(card for card in DECK if card not in used)


def set_hand(round_: Document) -> Document | None:
    """A seat whose hand was set, the bank's first."""
    banker = round_.get("bank", {}).get("seat")
    seats = sorted(round_["seats"], key=lambda seat: bool(seat["seat"] != banker))
    return next((seat for seat in seats if "low" in seat), None)


def card_too_many(round_: Document) -> bool:
    """A seat holds eight cards."""
    round_["seats"][0]["cards"].append(spare_card(round_))
    return True


def card_of_another(round_: Document) -> bool:
    """Two seats, or a seat and the dealer, hold one card."""
    if "dealer" not in round_:
        return False
    dealer = round_["dealer"]
    changed = next(card for card in dealer["cards"] if card not in dealer["low"])
    dealer["cards"][dealer["cards"].index(changed)] = round_["seats"][0]["cards"][0]
    return True


def low_from_the_deck(round_: Document) -> bool:
    """A low hand names a card that lies in the deck."""
    seat = set_hand(round_)
    if seat is None:
        return False
    seat["low"][0] = spare_card(round_)
    return True


def banker_fouled(round_: Document) -> bool:
    """The low hand of the dealer, or of the bank, is above the high hand."""
    hand = round_["dealer"] if "bank" not in round_ else set_hand(round_)
    assert hand is not None
    for two in combinations(hand["cards"], 2):
        if is_fouled(hand["cards"], two):
            hand["low"] = list(two)
            return True
    return False


def banker_not_set(round_: Document) -> bool:
    """The hand of the dealer, or of the bank, was not set."""
    hand = round_["dealer"] if "bank" not in round_ else set_hand(round_)
    assert hand is not None
    del hand["low"]
    return True


def voided_without_a_reason(round_: Document) -> bool:
    """A hand is voided although none of its cards was exposed."""
    seat = set_hand(round_)
    if seat is None:
        return False
    seat["voided"] = True
    return True


def surrendered_with_a_progressive_wager(round_: Document) -> bool:
    """A player with a progressive payout wager surrenders."""
    for seat in round_["seats"]:
        if "progressive_payout" in seat["wagers"]:
            seat["surrendered"] = True
            return True
    return False


def meter_is_missing(round_: Document) -> bool:
    """A progressive payout wager without what its meter showed."""
    round_.pop("meters", None)
    return any("progressive_payout" in seat["wagers"] for seat in round_["seats"])


def picks_do_not_add_up(round_: Document) -> bool:
    """The wager on the starting position is a cent more than its picks."""
    for seat in round_["seats"]:
        if "starting_position" in seat["wagers"]:
            seat["wagers"]["starting_position"] += 1
            return True
    return False


def no_number_drawn(round_: Document) -> bool:
    """A wager on the starting position without a number that was drawn."""
    round_.pop("starting_position", None)
    return any("starting_position" in seat["wagers"] for seat in round_["seats"])


def main_wager_is_wrong(round_: Document) -> bool:
    """A bank makes the wager that only the others make, or a player does not make it."""
    banker = round_.get("bank", {}).get("seat")
    seat = round_["seats"][0]
    if seat["seat"] == banker:
        seat["wagers"][MAIN] = 1000
    else:
        del seat["wagers"][MAIN]
    return True


def dealer_wager_of_a_co_bank(round_: Document) -> bool:
    """The dealer wagers against a bank that it shares."""
    if not round_.get("bank", {}).get("co"):
        return False
    round_["bank"]["dealer_wager"] = 500
    return True


def second_box(round_: Document) -> bool:
    """A player holds two boxes although the submission does not permit it."""
    if len(round_["seats"]) < 2:
        return False
    round_["seats"][1]["player"] = round_["seats"][0]["player"]
    return True


def seat_is_there_twice(round_: Document) -> bool:
    """The same seat is recorded a second time."""
    round_["seats"].append(copy.deepcopy(round_["seats"][0]))
    return True


def set_field(path: str, value: object) -> Callable[[Document], bool]:
    """A change of one field of the round."""

    def change(round_: Document) -> bool:
        *parents, last = path.split(".")
        target: Any = round_
        for parent in parents:
            target = target[0] if parent == "0" else target[parent]
        target[last] = value
        return True

    return change


BREAKS: Final[Mapping[str, Callable[[Document], bool]]] = {
    "eight cards": card_too_many,
    "a card at two places": card_of_another,
    "a low card from the deck": low_from_the_deck,
    "dealer or bank fouled": banker_fouled,
    "dealer or bank not set": banker_not_set,
    "voided without a reason": voided_without_a_reason,
    "surrendered with a progressive wager": surrendered_with_a_progressive_wager,
    "meter is missing": meter_is_missing,
    "picks do not add up": picks_do_not_add_up,
    "no number drawn": no_number_drawn,
    "main wager is wrong": main_wager_is_wrong,
    "dealer's wager of a co-bank": dealer_wager_of_a_co_bank,
    "second box": second_box,
    "seat is there twice": seat_is_there_twice,
    "seat 7": set_field("seats.0.seat", 7),
    "bank that is not there": set_field("bank", {"seat": 99}),
    "unknown field": set_field("seats.0.folded", False),
    "unknown wager": set_field("seats.0.wagers.ace_high_bonus", 500),
    "negative wager": set_field("seats.0.wagers.pai_gow_poker", -100),
    "fraction of a cent": set_field("seats.0.wagers.pai_gow_poker", 10.5),
    "true as a wager": set_field("seats.0.wagers.pai_gow_poker", True),
    "huge wager": set_field("seats.0.wagers.pai_gow_poker", 10**30),
    "not a card": set_field("seats.0.cards", ["As", "Ks", "Qs", "Js", "Ts", "9s", "JK"]),
    "meter of nobody": set_field("meters", {"insurance": 1}),
    "unknown irregularity": set_field("irregularities", [{"code": "hand_dead", "seat": 1}]),
    "more than three dice show": set_field("starting_position", 19),
}


@pytest.mark.parametrize("name", BREAKS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(dealt=rounds())
def test_a_broken_record_is_refused_and_never_settles(name: str, dealt: Dealt) -> None:
    """Whatever the round was, one impossible thing in its record is enough, and the refusal says what it is."""
    broken = copy.deepcopy(dealt.round)
    assume(BREAKS[name](broken))
    with pytest.raises(Refused) as refusal:
        dealt.settle(broken)
    assert refusal.value.reason
    assert refusal.value.paragraph is not None
