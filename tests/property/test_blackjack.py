"""Blackjack rounds that are really dealt from a shoe, with random decisions, settle; broken copies of them never do."""

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shared.rules import Refused, Settlement, compile_rules, parse_round, parse_submission, round_type

Document = dict[str, Any]

RANKS: Final = "23456789TJQKA"
NEW: Final = "pa-633a-2024"
METERS: Final = {"bad_beat_progressive": 700001, "hit_and_run_progressive": 120007, "straight_jack_progressive": 600011}
ALWAYS: Final[Document] = {"twenty_point_bonus": {}, "in_between": {}, "kings_bounty": {}}
ONLY_2024: Final[Document] = {
    "house_money": {},
    "three_card_poker": {"paytable": "B"},
    "hit_and_run_progressive": {"meter": {"rate": "0.1", "reset": 100000}},
    "straight_jack_progressive": {"meter": {"rate": "0.25", "reset": 500000}},
    "bad_beat_progressive": {
        "meter": {"rate": "0.07", "reset": 500000},
        "any_20": True,
        "magic_card": True,
        "lucky_player": True,
    },
}


@dataclass
class Dealt:
    """A round that was dealt: its record and its rules submission as documents."""

    regulation: str
    submission: Document
    round: Document

    def settle(self, round_: Document | None = None) -> Settlement:
        """Settle the round, or a changed copy of it."""
        rules = compile_rules(self.regulation, parse_submission(self.submission))
        return rules.settle(parse_round(self.regulation, self.round if round_ is None else round_))


def worth(cards: list[str]) -> int:
    """The total of a hand, counted in another way than the settlement does: aces as 1, then one of them as 11."""
    low = sum(1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in cards)
    return low + 10 if low <= 11 and any(card[0] == "A" for card in cards) else low


@dataclass
class Table:
    """A dealer, a shoe, and players who decide by chance."""

    chance: Random
    regulation: str
    decks: int
    switch: bool
    options: Document
    offered: Document
    shoe: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shoe = [rank + suit for rank in RANKS for suit in "shdc"] * self.decks
        self.chance.shuffle(self.shoe)

    def likely(self, percent: int) -> bool:
        """Whether something that happens in so many of a hundred cases happens now."""
        return self.chance.randrange(100) < percent

    def pair(self) -> list[str]:
        """Two cards from the shoe; every now and then equal ones, so that there is something to split."""
        first = self.shoe.pop()
        alike = [card for card in self.shoe if card[0] == first[0]]
        if alike and self.likely(25):
            self.shoe.remove(second := self.chance.choice(alike))
            return [first, second]
        return [first, self.shoe.pop()]

    def deal(self) -> Dealt:
        """Play one round."""
        seats = sorted(self.chance.sample(range(1, 8), self.chance.randint(1, 3 if self.decks == 1 else 7)))
        dealer = self.pair()
        blackjack = worth(dealer) == 21
        acting = not blackjack or bool(self.options.get("dealt_from_hand")) or self.likely(20)
        documents = [self.seat(number, dealer, acting=acting, blackjack=blackjack) for number in seats]
        if not blackjack and any(self.is_open(seat) for seat in documents):
            while worth(dealer) < 17:
                dealer.append(self.shoe.pop())
        round_: Document = {"seats": documents, "dealer": {"cards": dealer}}
        if self.regulation == NEW:
            round_["meters"] = {name: cents for name, cents in METERS.items() if name in self.offered}
        if "bad_beat_progressive" in self.offered:
            round_ |= {"magic_card": self.chance.choice(self.shoe), "lucky_seat": self.chance.randint(1, 7)}
        submission = {"decks": self.decks, "options": self.options, "wagers": self.offered}
        return Dealt(self.regulation, submission, round_)

    def is_open(self, seat: Document) -> bool:
        """Whether the dealer's cards can decide something at the seat."""
        if "hit_and_run_progressive" in seat["wagers"]:
            return True
        for hand in seat["hands"]:
            natural = len(seat["hands"]) == 1 and worth(hand["cards"]) == 21 and len(hand["cards"]) == 2
            paid = hand.get("even_money") or (natural and not self.switch)
            if not (hand.get("surrendered") or paid or worth(hand["cards"]) > 21):
                return True
        return False

    def seat(self, number: int, dealer: list[str], *, acting: bool, blackjack: bool) -> Document:
        """Deal to one seat and play its hands."""
        wager = self.chance.randint(1, 400) * 25
        wagers = {"blackjack": wager}
        for name in self.offered:
            if self.likely(60):
                wagers[name] = self.chance.randint(1, 99)
        if dealer[0][0] == "A" and self.likely(30):
            wagers["insurance"] = self.chance.randint(1, (wager + 1) // 2)
        seat: Document = {"seat": number, "player": f"player {number}", "wagers": wagers}
        if self.switch:
            one, other = self.pair(), self.pair()
            seat |= {"dealt": [one, other], "switched": self.likely(40)}
            if seat["switched"]:
                one, other = [one[0], other[1]], [other[0], one[1]]
            hands = [*self.hands(one, wager, acting=acting), *self.hands(other, wager, acting=acting)]
            return seat | {"hands": hands}
        pair = self.pair()
        seat["dealt"] = pair
        natural = worth(pair) == 21
        if natural and self.options.get("even_money") and dealer[0][0] == "A" and "insurance" not in wagers:
            return seat | {"hands": [{"cards": list(pair), "even_money": True}]}
        added = self.house_money(pair, wagers.get("house_money", 0)) if not blackjack and self.likely(50) else 0
        if added:
            seat["house_money_added"] = added
        if not natural and acting and self.likely(8):
            return seat | {"hands": [{"cards": list(pair), "surrendered": True}]}
        hands = self.hands(pair, wager + added, acting=acting and not natural, full_double=bool(added))
        return seat | {"hands": hands}

    def house_money(self, pair: list[str], stake: int) -> int:
        """What a House Money wager pays, counted in another way than the settlement does."""
        ranks = "".join(sorted((card[0] for card in pair), key=("A" + RANKS).index))
        suited = pair[0][1] == pair[1][1]
        if ranks[0] == ranks[1]:
            return 3 * stake
        if ranks in ("AK", "KA"):
            return 9 * stake if suited else stake
        if ranks not in "A" + RANKS:
            return 0
        return stake * (1 if not suited else 5 if self.decks == 1 else 4)

    def hands(self, pair: list[str], wager: int, *, acting: bool, full_double: bool = False) -> list[Document]:
        """Play the hands that come from two cards: split, double, draw, stand."""
        if not acting:
            return [{"cards": list(pair)}]
        waiting, played = [list(pair)], []
        splits_left = 1 + self.options.get("resplits", 0)
        while waiting:
            cards = waiting.pop(0)
            if len(cards) == 1:
                cards.append(self.shoe.pop())
            if splits_left and worth([cards[0]]) == worth([cards[1]]) and self.likely(60):
                splits_left -= 1
                waiting = [[cards[0]], [cards[1]], *waiting]
                continue
            hand: Document = {"cards": cards}
            if worth(cards) < 21 and self.likely(20):
                hand["double"] = wager if full_double else self.chance.randint(1, wager)
                cards.append(self.shoe.pop())
            else:
                while worth(cards) < 21 and self.likely(35):
                    cards.append(self.shoe.pop())
            played.append(hand)
        return played


@st.composite
def rounds(draw: st.DrawFn, *, switch: bool | None = None) -> Dealt:
    """A legal round under a random rules submission of either regulation."""
    chance = draw(st.randoms(use_true_random=False))
    regulation = draw(st.sampled_from(["pa-633a-2011", NEW]))
    decks = draw(st.sampled_from([1, 2, 4, 6, 8]))
    at_switch = draw(st.booleans()) if switch is None else switch
    at_switch = at_switch and decks > 1
    options: Document = {"switch": at_switch, "resplits": draw(st.integers(0, 3))}
    if decks <= 2:
        options["dealt_from_hand"] = draw(st.booleans())
    if regulation == NEW:
        options["even_money"] = draw(st.booleans())
    wagers = ALWAYS | {
        "royal_match_21": {"paytable": "A" if decks == 1 else "D", "crown_treasure": True},
        "bet_the_set_21": {"paytable": {1: "A", 2: "B"}.get(decks, "D")},
    }
    if decks >= 6:
        wagers |= {"match_the_dealer": {}} | ({"super_match": {}} if at_switch else {})
    if regulation == NEW:
        wagers |= ONLY_2024
    offered = {name: wagers[name] for name in draw(st.sets(st.sampled_from(sorted(wagers))))}
    return Table(chance, regulation, decks, at_switch, options, offered).deal()


def lines(settlement: Settlement) -> list[Document]:
    """The lines as documents in an order of their own."""
    return sorted((line.as_document() for line in settlement.lines), key=lambda line: json.dumps(line))


MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@MANY
@given(rounds())
def test_a_round_that_was_dealt_settles_and_keeps_the_money_together(dealt: Dealt) -> None:
    """What players, house and meters gain and lose is nothing together; every stake is settled once."""
    settled = dealt.settle()
    players = sum(line.payout + line.stake_returned - line.stake - line.vigorish for line in settled.lines)
    off_meters = sum(line.from_meter for line in settled.lines)
    added = sum(contribution.cents for contribution in settled.contributions)
    resets = sum(settled.meter_resets.values())
    meters = sum(settled.meters.values()) - sum(dealt.round.get("meters", {}).values())
    house = -(players - off_meters) - added - resets
    assert players + house + meters == 0
    for line in settled.lines:
        assert 0 <= line.stake_returned <= line.stake
        assert 0 <= line.from_meter <= line.payout
        assert line.paragraph.startswith("§ 633a.")
    for seat in dealt.round["seats"]:
        own = [line for line in settled.lines if line.seat == seat["seat"]]
        on_hands = (seat["wagers"]["blackjack"] + seat.get("house_money_added", 0)) * len(seat["hands"])
        doubled = sum(hand.get("double", 0) for hand in seat["hands"])
        assert on_hands + doubled == sum(line.stake for line in own if line.wager == "blackjack")
        others = {line.wager: line.stake for line in own if line.wager != "blackjack" and line.stake}
        assert {name: cents for name, cents in seat["wagers"].items() if name != "blackjack"} == others


@MANY
@given(rounds(switch=False))
def test_hands_are_compared_as_the_text_says(dealt: Dealt) -> None:
    """Without a dealer Blackjack the higher total wins, a total above 21 loses, and a Blackjack is paid 3 to 2."""
    dealer = dealt.round["dealer"]["cards"]
    assume(not (worth(dealer) == 21 and len(dealer) == 2))
    settled = {(line.seat, line.hand): line for line in dealt.settle().lines if line.wager == "blackjack"}
    for seat in dealt.round["seats"]:
        several = len(seat["hands"]) > 1
        for number, hand in enumerate(seat["hands"], start=1):
            line = settled[seat["seat"], number if several else None]
            own = worth(hand["cards"])
            if hand.get("even_money"):
                expected = line.stake
            elif hand.get("surrendered"):
                expected = line.stake // 2 - line.stake
            elif own == 21 and len(hand["cards"]) == 2 and not several:
                expected = line.stake * 3 // 2
            elif own > 21:
                expected = -line.stake
            elif worth(dealer) > 21 or own > worth(dealer):
                expected = line.stake
            else:
                expected = 0 if own == worth(dealer) else -line.stake
            assert expected == line.net


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
@given(rounds(switch=False), st.integers(1, 10**6))
def test_a_losing_side_bet_changes_nothing_else(dealt: Dealt, cents: int) -> None:
    """One more wager that loses adds one line and takes its stake."""
    before = lines(dealt.settle())
    for seat in dealt.round["seats"]:
        first, second = seat["dealt"]
        if "kings_bounty" not in seat["wagers"] and worth([first, second]) != 20:
            break
    else:
        assume(False)
    dealt.submission["wagers"]["kings_bounty"] = {}
    seat["wagers"]["kings_bounty"] = cents
    after = dealt.settle()
    (added,) = [line for line in after.lines if (line.seat, line.wager) == (seat["seat"], "kings_bounty")]
    assert ("lose", -cents) == (added.outcome, added.net)
    assert before == [line for line in lines(after) if line != added.as_document()]


@MANY
@given(rounds())
def test_json_and_python_documents_are_one_record(dealt: Dealt) -> None:
    """A record decoded from bytes settles like the one built from a document."""
    decoded = round_type(dealt.regulation).model_validate_json(json.dumps(dealt.round).encode())
    assert decoded == parse_round(dealt.regulation, dealt.round)


def dealer_takes_a_card(round_: Document, dealt: Dealt) -> bool:
    """The dealer draws one card more."""
    round_["dealer"]["cards"].append(spare_card(dealt))
    return True


def dealer_stops_early(round_: Document, dealt: Dealt) -> bool:
    """The dealer leaves out the last card drawn."""
    if len(round_["dealer"]["cards"]) < 3:
        return False
    round_["dealer"]["cards"].pop()
    return True


def hole_card_is_lost(round_: Document, dealt: Dealt) -> bool:
    """Only the up card is recorded."""
    del round_["dealer"]["cards"][1:]
    return True


def player_draws_on_21(round_: Document, dealt: Dealt) -> bool:
    """A hand of 21 or more takes another card."""
    for seat in round_["seats"]:
        for hand in seat["hands"]:
            if worth(hand["cards"]) >= 21:
                hand["cards"].append(spare_card(dealt))
                return True
    return False


def another_card_was_dealt(round_: Document, dealt: Dealt) -> bool:
    """The dealt card is none that any hand begins with."""
    seat = round_["seats"][0]
    target = seat["dealt"][0] if dealt.submission["options"]["switch"] else seat["dealt"]
    others = [card for card in (rank + suit for rank in RANKS for suit in "shdc") if card[0] != target[0][0]]
    begun = {card for hand in seat["hands"] for card in hand["cards"][:2]}
    target[0] = next(card for card in others if card not in begun)
    return True


def double_above_the_wager(round_: Document, dealt: Dealt) -> bool:
    """A Double Down Wager of one cent too much."""
    for seat in round_["seats"]:
        for hand in seat["hands"]:
            if hand.get("double"):
                hand["double"] = seat["wagers"]["blackjack"] + seat.get("house_money_added", 0) + 1
                return True
    return False


def insurance_above_half(round_: Document, dealt: Dealt) -> bool:
    """An Insurance Wager as large as twice the Blackjack Wager."""
    wagers = round_["seats"][0]["wagers"]
    wagers["insurance"] = wagers["blackjack"] * 2
    return True


def house_money_of_one_cent_more(round_: Document, dealt: Dealt) -> bool:
    """An added payout that is not the payout."""
    seat = round_["seats"][-1]
    seat["house_money_added"] = seat.get("house_money_added", 0) + 1
    return True


def too_many_copies(round_: Document, dealt: Dealt) -> bool:
    """A hand that stands at 20 or less takes more copies of a card than the decks hold, and no other rule is broken."""
    for seat in round_["seats"]:
        for hand in seat["hands"]:
            if not hand.get("double") and not hand.get("surrendered") and worth(hand["cards"]) <= 10:
                hand["cards"] += ["As"] * dealt.submission["decks"] + ["As"]
                return True
    return False


def seat_is_there_twice(round_: Document, dealt: Dealt) -> bool:
    """The same seat is recorded a second time."""
    round_["seats"].append(copy.deepcopy(round_["seats"][0]))
    return True


def set_field(path: str, value: object) -> Callable[[Document, Dealt], bool]:
    """A change of one field of the first seat."""

    def change(round_: Document, dealt: Dealt) -> bool:
        *parents, last = path.split(".")
        target = round_["seats"][0]
        for parent in parents:
            target = target[int(parent)] if isinstance(target, list) else target[parent]
        target[last] = value
        return True

    return change


def meters_are_missing(round_: Document, dealt: Dealt) -> bool:
    """A progressive wager without what its meter showed."""
    round_.pop("meters", None)
    return any(METERS.keys() & seat["wagers"].keys() for seat in round_["seats"])


BREAKS: Final[Mapping[str, Callable[[Document, Dealt], bool]]] = {
    "dealer takes a card": dealer_takes_a_card,
    "dealer stops early": dealer_stops_early,
    "hole card is lost": hole_card_is_lost,
    "player draws on 21": player_draws_on_21,
    "another card was dealt": another_card_was_dealt,
    "double above the wager": double_above_the_wager,
    "insurance above half": insurance_above_half,
    "House Money of one cent more": house_money_of_one_cent_more,
    "too many copies of a card": too_many_copies,
    "seat is there twice": seat_is_there_twice,
    "seat 8": set_field("seat", 8),
    "unknown field": set_field("tip", 5),
    "unknown wager": set_field("wagers.perfect_pairs", 5),
    "wager of another variation": set_field("wagers.super_match", 5),
    "negative wager": set_field("wagers.blackjack", -100),
    "fraction of a cent": set_field("wagers.blackjack", 10.5),
    "true as a wager": set_field("wagers.blackjack", True),
    "huge wager": set_field("wagers.blackjack", 10**30),
    "negative double": set_field("hands.0.double", -1),
    "no hands": set_field("hands", []),
    "no cards": set_field("dealt", []),
    "not a card": set_field("hands.0.cards", ["Th", "Jk"]),
    "meters are missing": meters_are_missing,
}


def spare_card(dealt: Dealt) -> str:
    """A card that the decks still hold after the round."""
    used = json.dumps(dealt.round["seats"]) + json.dumps(dealt.round["dealer"])
    for card in (rank + suit for rank in "23456789TJQKA" for suit in "shdc"):
        if used.count(f'"{card}"') < dealt.submission["decks"]:
            return card
    raise AssertionError("a round cannot use every card")


@pytest.mark.parametrize("name", BREAKS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(dealt=rounds())
def test_a_broken_record_is_refused_and_never_settles(name: str, dealt: Dealt) -> None:
    """Whatever the round was, one impossible thing in its record is enough, and the refusal says what it is."""
    broken = copy.deepcopy(dealt.round)
    assume(BREAKS[name](broken, dealt))
    if name == "wager of another variation":
        assume("super_match" not in dealt.submission["wagers"])
    with pytest.raises(Refused) as refusal:
        dealt.settle(broken)
    assert refusal.value.reason
    assert refusal.value.paragraph is not None
