"""Face Up Pai Gow rounds that are really dealt, with random decisions, settle; broken copies of them never do."""

import copy
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shared.rules import Refused, Settlement, compile_rules, parse_round, parse_submission, round_type

Document = dict[str, Any]
Rank = tuple[int, ...]

REGULATION: Final = "pa-688a"
MAIN: Final = "face_up_pai_gow_poker"
OPTIONAL: Final = {"ace_high_bonus": 5, "fortune_bonus": 6, "progressive_payout": 7}
RANKS: Final = "23456789TJQKA"
DECK: Final = [rank + suit for rank in RANKS for suit in "shdc"] + ["Jk"]
# The order of straights: ace to five stands between ace-high and king-high, and above all straight flushes.
STRAIGHTS: Final = ["23456", "34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "A2345", "TJQKA"]


@dataclass
class Dealt:
    """A round that was dealt: its record and its rules submission as documents."""

    submission: Document
    round: Document

    def settle(self, round_: Document | None = None) -> Settlement:
        """Settle the round, or a changed copy of it."""
        rules = compile_rules(REGULATION, parse_submission(self.submission))
        return rules.settle(parse_round(REGULATION, self.round if round_ is None else round_))


def natural(cards: Sequence[str]) -> Rank:
    """The rank of five cards without a joker, ranked in another way than the settlement does; an ace may be there
    five times."""
    values = [RANKS.index(card[0]) for card in cards]
    groups = sorted(((count, value) for value, count in Counter(values).items()), reverse=True)
    shape, order = tuple(count for count, _ in groups), tuple(value for _, value in groups)
    flush = len({card[1] for card in cards}) == 1
    held = {card[0] for card in cards}
    straight = next((place for place, ranks in enumerate(STRAIGHTS) if held == set(ranks)), None)
    if shape == (5,):
        return (10,)
    if straight is not None and flush:
        return (9,) if straight == 9 else (8, straight)
    if shape == (4, 1):
        return (7, *order)
    if shape == (3, 2):
        return (6, *order)
    if flush:
        return (5, *order)
    if straight is not None:
        return (4, straight)
    return ({(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(shape, 0), *order)


def high(cards: Sequence[str]) -> Rank:
    """The rank of a high hand: the joker is an ace, or each card that completes a straight or a flush is tried."""
    if "Jk" not in cards:
        return natural(cards)
    rest = [card for card in cards if card != "Jk"]
    # As an ace it has no suit, so it is no part of a flush and may be a fifth ace.
    as_ace = natural([*rest, "A?"])
    tried = [natural([*rest, card]) for card in DECK[:-1] if card not in rest]
    return max([as_ace, *(rank for rank in tried if rank[0] in (4, 5, 8, 9))])


def low(cards: Sequence[str]) -> Rank:
    """The rank of a low hand, the joker as an ace."""
    values = sorted((RANKS.index("A" if card == "Jk" else card[0]) for card in cards), reverse=True)
    return (1, values[0]) if values[0] == values[1] else (0, *values)


def fouled(seven: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a hand was not set correctly: not two cards low, or a low hand above the high hand."""
    return len(below) != 2 or high(rest_of(seven, below))[:3] < low(below)


def rest_of(seven: Sequence[str], below: Sequence[str]) -> list[str]:
    """The cards that are not low."""
    return [card for card in seven if card not in below]


def ace_high(seven: Sequence[str]) -> bool:
    """Whether no five of the seven cards are better than an ace-high hand, and some are that."""
    return max(high(five) for five in combinations(seven, 5))[:2] == (0, RANKS.index("A"))


@dataclass
class Table:
    """A dealer, a deck with a joker, and players who decide by chance."""

    chance: Random
    submission: Document

    def likely(self, percent: int) -> bool:
        """Whether something that happens in so many of a hundred cases happens now."""
        return self.chance.randrange(100) < percent

    def deal(self) -> Dealt:
        """Deal and set one round; one hand in four comes from few ranks or one suit, so that bonuses are won."""
        deck = self.chance.sample(DECK, len(DECK))
        positions = range(1, 7)
        hands = {place: self.seven(deck) for place in [0, *positions]}
        taken = sorted(self.chance.sample(positions, self.chance.randint(1, 6)))
        round_: Document = {
            "seats": [self.seat(number, hands[number]) for number in taken],
            "dealer": {"cards": hands[0], "low": self.correct_low(hands[0])},
        }
        if "progressive_payout" in self.submission["wagers"]:
            round_["meters"] = {"progressive_payout": self.chance.randint(0, 3_000_000)}
        codes = []
        for seat in round_["seats"]:
            if seat.get("voided"):
                codes.append({"code": "player_card_exposed", "seat": seat["seat"]})
            elif self.likely(4):
                codes.append({"code": "abandoned", "seat": seat["seat"]})
        return Dealt(self.submission, round_ | ({"irregularities": codes} if codes else {}))

    def seven(self, deck: list[str]) -> list[str]:
        """Seven cards from the deck."""
        if self.likely(25):
            wanted = self.chance.choice(["shdc"[self.chance.randrange(4)], *combinations(RANKS, 3)])
            deck.sort(key=lambda card: any(sign in card for sign in wanted) or card == "Jk")
        taken = [deck.pop() for _ in range(7)]
        self.chance.shuffle(deck)
        return self.chance.sample(taken, 7)

    def correct_low(self, seven: list[str]) -> list[str]:
        """Two of the cards that leave a high hand that is not lower."""
        pairs = self.chance.sample(list(combinations(seven, 2)), 21)
        return next(list(two) for two in pairs if not fouled(seven, two))

    def seat(self, number: int, seven: list[str]) -> Document:
        """One seat: wagers, and a hand that is set somehow, surrendered or voided."""
        wagers = {MAIN: self.chance.randint(1, 400) * 25}
        for name, offered in self.submission["wagers"].items():
            if self.likely(60):
                wagers[name] = self.chance.randint(1, 20) * 100
                if name == "progressive_payout":
                    wagers[name] = 500 if offered["paytable"] == "4" else 100
        seat: Document = {"seat": number, "player": f"player {number}", "wagers": wagers, "cards": seven}
        if self.likely(4):
            return seat | {"voided": True}
        if len(wagers) == 1 and self.likely(10):
            return seat | {"surrendered": True}
        if self.likely(10):
            return seat | {"low": self.chance.sample(seven, self.chance.choice([1, 2, 2, 2, 3]))}
        return seat | {"low": self.correct_low(seven)}


@st.composite
def rounds(draw: st.DrawFn) -> Dealt:
    """A legal round under a random rules submission."""
    chance = draw(st.randoms(use_true_random=False))
    offered = draw(st.sets(st.sampled_from(sorted(OPTIONAL))))
    wagers = {name: {"paytable": str(draw(st.integers(1, OPTIONAL[name])))} for name in sorted(offered)}
    return Table(chance, {"wagers": wagers}).deal()


def lines(settlement: Settlement) -> list[Document]:
    """The lines as documents in an order of their own."""
    return sorted((line.as_document() for line in settlement.lines), key=lambda line: json.dumps(line))


def compared(dealt: Dealt) -> list[Document]:
    """The seats whose hands are compared with the dealer's."""
    left = {entry["seat"] for entry in dealt.round.get("irregularities", []) if entry["code"] == "abandoned"}
    return [seat for seat in dealt.round["seats"] if "low" in seat and seat["seat"] not in left]


MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@MANY
@given(rounds())
def test_a_round_that_was_dealt_settles_and_keeps_the_money_together(dealt: Dealt) -> None:
    """What players, house and meters gain and lose is nothing together; every stake is settled once."""
    settled = dealt.settle()
    players = sum(line.payout + line.stake_returned - line.stake for line in settled.lines)
    off_meters = sum(line.from_meter for line in settled.lines)
    added = sum(contribution.cents for contribution in settled.contributions)
    meters = sum(settled.meters.values()) - sum(dealt.round.get("meters", {}).values())
    house = -(players - off_meters) - added - sum(settled.meter_resets.values())
    assert (0, house) == (players + house + meters, settled.house_net)
    for line in settled.lines:
        assert 0 <= line.stake_returned <= line.stake
        assert 0 <= line.from_meter <= line.payout
        assert line.vigorish == 0
        assert line.paragraph.startswith("§ 688a.")
    for seat in dealt.round["seats"]:
        staked = [(line.wager, line.stake) for line in settled.lines if line.seat == seat["seat"] and line.stake]
        assert sorted(seat["wagers"].items()) == sorted(staked)


@MANY
@given(rounds())
def test_hands_are_compared_as_the_text_says(dealt: Dealt) -> None:
    """Both hands higher win, one higher ties, copies and fouled hands lose, and an ace-high dealer returns all."""
    dealer = dealt.round["dealer"]
    dealer_high, dealer_low = high(rest_of(dealer["cards"], dealer["low"])), low(dealer["low"])
    settled = {line.seat: line for line in dealt.settle().lines if line.wager == MAIN}
    for seat in compared(dealt):
        cards, below = seat["cards"], seat["low"]
        if ace_high(dealer["cards"]):
            expected = "push"
        elif fouled(cards, below):
            expected = "lose"
        else:
            higher = (high(rest_of(cards, below)) > dealer_high) + (low(below) > dealer_low)
            expected = ("lose", "push", "win")[higher]
        assert expected == settled[seat["seat"]].outcome


@MANY
@given(rounds())
def test_a_better_hand_never_earns_less(dealt: Dealt) -> None:
    """Of two correctly set hands the one with both parts at least as high never has the worse outcome."""
    worth = {"lose": -1, "push": 0, "win": 1}
    settled = {
        line.seat: worth[line.outcome]
        for line in dealt.settle().lines
        if line.wager == MAIN and line.stake and line.outcome in worth
    }
    hands = [
        (high(rest_of(seat["cards"], seat["low"])), low(seat["low"]), settled[seat["seat"]])
        for seat in compared(dealt)
        if not fouled(seat["cards"], seat["low"])
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
    """With the seat numbers turned around every player has the same lines, but for what came off the meter."""
    turned = copy.deepcopy(dealt.round)
    for entry in [*turned["seats"], *turned.get("irregularities", [])]:
        entry["seat"] = 7 - entry["seat"]

    def by_player(settlement: Settlement, *, is_turned: bool) -> list[tuple[Any, ...]]:
        return sorted(
            (
                7 - line.seat if is_turned else line.seat,
                line.wager,
                line.outcome,
                str(line.category),
                line.stake,
                line.payout - line.from_meter,
            )
            for line in settlement.lines
        )

    assert by_player(dealt.settle(), is_turned=False) == by_player(dealt.settle(turned), is_turned=True)


@MANY
@given(rounds(), st.integers(1, 10**6))
def test_a_losing_side_bet_changes_nothing_else(dealt: Dealt, cents: int) -> None:
    """One more wager that loses adds one line and takes its stake."""
    seats = [seat for seat in compared(dealt) if "ace_high_bonus" not in seat["wagers"]]
    assume(seats and not ace_high(dealt.round["dealer"]["cards"]))
    dealt.submission["wagers"].setdefault("ace_high_bonus", {"paytable": "1"})
    before = lines(dealt.settle())
    seats[0]["wagers"]["ace_high_bonus"] = cents
    after = dealt.settle()
    (added,) = [line for line in after.lines if (line.seat, line.wager) == (seats[0]["seat"], "ace_high_bonus")]
    assert ("lose", -cents) == (added.outcome, added.net)
    assert before == [line for line in lines(after) if line != added.as_document()]


@MANY
@given(rounds(), st.sampled_from(["misdeal", "shoe_malfunction", "wrong_starting_position", "deck_count_wrong"]))
def test_a_round_that_was_stopped_returns_every_wager(dealt: Dealt, code: str) -> None:
    """Whatever lay on the table, every wager goes back and no meter changes."""
    codes = [*dealt.round.get("irregularities", []), {"code": code}]
    settled = dealt.settle(dealt.round | {"irregularities": codes})
    assert {("void", 0)} == {(line.outcome, line.net) for line in settled.lines}
    assert sum(len(seat["wagers"]) for seat in dealt.round["seats"]) == len(settled.lines)
    assert dealt.round.get("meters", {}) == settled.meters


@MANY
@given(rounds())
def test_json_and_python_documents_are_one_record(dealt: Dealt) -> None:
    """A record decoded from bytes settles like the one built from a document."""
    decoded = round_type(REGULATION).model_validate_json(json.dumps(dealt.round).encode())
    assert decoded == parse_round(REGULATION, dealt.round)


def spare_card(round_: Document) -> str:
    """A card that nobody holds."""
    used = {card for hand in [*round_["seats"], round_["dealer"]] for card in hand["cards"]}
    return next(card for card in DECK if card not in used)


def card_too_many(round_: Document) -> bool:
    """A seat holds eight cards."""
    round_["seats"][0]["cards"].append(spare_card(round_))
    return True


def card_of_another(round_: Document) -> bool:
    """The dealer holds a card of the first seat."""
    dealer = round_["dealer"]
    changed = next(card for card in dealer["cards"] if card not in dealer["low"])
    dealer["cards"][dealer["cards"].index(changed)] = round_["seats"][0]["cards"][0]
    return True


def low_of_another(round_: Document) -> bool:
    """A low hand names a card that lies in the deck."""
    for seat in round_["seats"]:
        if "low" in seat:
            seat["low"][0] = spare_card(round_)
            return True
    return False


def dealer_not_set(round_: Document) -> bool:
    """The dealer's hand was not set."""
    del round_["dealer"]["low"]
    return True


def dealer_fouled(round_: Document) -> bool:
    """The dealer's low hand is above the high hand."""
    seven = round_["dealer"]["cards"]
    for two in combinations(seven, 2):
        if fouled(seven, two):
            round_["dealer"]["low"] = list(two)
            return True
    return False


def voided_without_a_reason(round_: Document) -> bool:
    """A hand is voided although none of its cards was exposed."""
    for seat in round_["seats"]:
        if "low" in seat:
            del seat["low"]
            seat["voided"] = True
            return True
    return False


def surrendered_with_an_optional_wager(round_: Document) -> bool:
    """A player with an optional wager surrenders."""
    for seat in round_["seats"]:
        if len(seat["wagers"]) > 1:
            seat["surrendered"] = True
            return True
    return False


def meter_is_missing(round_: Document) -> bool:
    """A Progressive Payout Wager without what its meter showed."""
    round_.pop("meters", None)
    return any("progressive_payout" in seat["wagers"] for seat in round_["seats"])


def progressive_of_another_amount(round_: Document) -> bool:
    """A Progressive Payout Wager of a cent more than the paytable is for."""
    for seat in round_["seats"]:
        if "progressive_payout" in seat["wagers"]:
            seat["wagers"]["progressive_payout"] += 1
            return True
    return False


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
    "a low card from the deck": low_of_another,
    "dealer not set": dealer_not_set,
    "dealer fouled": dealer_fouled,
    "voided without a reason": voided_without_a_reason,
    "surrendered with an optional wager": surrendered_with_an_optional_wager,
    "meter is missing": meter_is_missing,
    "progressive of another amount": progressive_of_another_amount,
    "second box": second_box,
    "seat is there twice": seat_is_there_twice,
    "seat 7": set_field("seats.0.seat", 7),
    "a bank": set_field("bank", {"seat": 1, "co": False, "dealer_wager": 0}),
    "unknown field": set_field("seats.0.folded", False),
    "unknown wager": set_field("seats.0.wagers.emperors_treasure", 500),
    "no wager": set_field("seats.0.wagers", {}),
    "negative wager": set_field("seats.0.wagers.face_up_pai_gow_poker", -100),
    "fraction of a cent": set_field("seats.0.wagers.face_up_pai_gow_poker", 10.5),
    "true as a wager": set_field("seats.0.wagers.face_up_pai_gow_poker", True),
    "huge wager": set_field("seats.0.wagers.face_up_pai_gow_poker", 10**30),
    "not a card": set_field("seats.0.cards", ["As", "Ks", "Qs", "Js", "Ts", "9s", "JK"]),
    "no dealer": set_field("dealer", {}),
    "meter of nobody": set_field("meters", {"fortune_bonus": 1}),
    "unknown irregularity": set_field("irregularities", [{"code": "hand_dead", "seat": 1}]),
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
