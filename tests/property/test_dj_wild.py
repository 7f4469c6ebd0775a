"""DJ Wild rounds that are really dealt from 53 cards, with random decisions, settle; broken copies never do."""

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shared.cards.ranking.deuces_wild import rank_with_wilds
from shared.rules import Line, Refused, Settlement, compile_rules, parse_round, parse_submission

Document = dict[str, Any]

REGULATION: Final = "pa-687a"
DECK: Final = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"] + ["Jk"]
STRONG: Final = [
    "As Ks Qs Js Ts",
    "Ah Kh Qh Jh Th",
    "9c 8c 7c 6c 5c",
    "2s 2h 2d 2c Jk",
    "Kd Kc Kh 2s Jk",
    "7h 7d 7s Qd Qs",
    "4h 4d 4c 9s Jd",
    "Ac Kc Qc Jc Jk",
    "9d 6d 4d 3d 2d",
]
"""Hands that chance alone would hardly ever deal."""
MAIN: Final = ("ante", "blind", "raise")


@dataclass
class Dealt:
    """A round that was dealt: its record and its rules submission as documents."""

    submission: Document
    round: Document

    def settle(self, round_: Document | None = None) -> Settlement:
        """Settle the round, or a changed copy of it."""
        rules = compile_rules(REGULATION, parse_submission(self.submission))
        return rules.settle(parse_round(REGULATION, self.round if round_ is None else round_))

    @property
    def offered(self) -> Document:
        """The optional wagers of the submission."""
        wagers: Document = self.submission["wagers"]
        return wagers

    @property
    def played(self) -> bool:
        """Whether nothing went wrong in the round."""
        return not self.round["irregularities"]


def submission(chance: Random) -> Document:
    """A rules submission that the text allows."""
    paytable, reset = chance.choice([("1", 200000), ("2", 1000000)])
    meter = {"rate": chance.choice(["0", "0.07", "0.2", "0.333", "1"]), "reset": reset}
    wagers: Document = {
        "progressive_bonus": {"paytable": paytable, "meter": meter},
        "trips_bonus": {"paytable": chance.choice(["DJWT-04", "DJWT-05", "DJWT-06", "DJWT-07"])},
        "two_way_bad_beat_bonus": {"paytable": f"DJWBB-0{chance.randint(1, 4)}"},
    }
    flags = ("folded_hands_win_progressive", "progressive_deuces_wild", "bad_beat_dealer_hand_pays")
    return {
        "wagers": {name: terms for name, terms in wagers.items() if chance.random() < 0.8},
        "options": {"adjacent_boxes": 2} | {flag: chance.random() < 0.5 for flag in flags},
    }


def deal(chance: Random) -> Dealt:
    """Deal one round to some of six seats."""
    selected = submission(chance)
    shoe = list(DECK)
    chance.shuffle(shoe)

    def hand() -> list[str]:
        planned = chance.choice(STRONG).split()
        if chance.random() < 0.3 and all(card in shoe for card in planned):
            for card in planned:
                shoe.remove(card)
            return planned
        return [shoe.pop() for _ in range(5)]

    seats = []
    for number in sorted(chance.sample(range(1, 7), chance.randint(1, 6))):
        ante = chance.randint(1, 10**6)
        seat: Document = {"seat": number, "player": f"p{number}", "wagers": {"ante": ante}, "cards": hand()}
        seat["wagers"]["blind"] = chance.randint(1, 10**6)
        seat["folded"] = chance.random() < 0.3
        if not seat["folded"]:
            seat["wagers"]["raise"] = 2 * ante
        for name in selected["wagers"]:
            if chance.random() < 0.7:
                seat["wagers"][name] = chance.randint(1, 10**6)
        if "progressive_bonus" in seat["wagers"]:
            one = selected["wagers"]["progressive_bonus"]["paytable"] == "1"
            seat["wagers"]["progressive_bonus"] = 100 if one else 500
        seats.append(seat)
    round_: Document = {"seats": seats, "dealer": {"cards": hand()}, "spare_card": shoe.pop()}
    if "progressive_bonus" in selected["wagers"]:
        round_["meters"] = {"progressive_bonus": chance.randint(0, 10**8)}
    round_["irregularities"] = irregularities(chance, seats)
    chance.shuffle(seats)
    return Dealt(selected, round_)


def irregularities(chance: Random, seats: list[Document]) -> list[Document]:
    """Mostly none."""
    if chance.random() < 0.7:
        return []
    seat = chance.choice(seats)["seat"]
    return [
        chance.choice(
            [
                {"code": "abandoned", "seat": seat},
                {"code": "dealer_card_exposed"},
                {"code": "player_card_exposed", "seat": seat},
                {"code": "misdeal"},
                {"code": "cards_face_up", "count": chance.randint(1, 3)},
                {"code": "shoe_malfunction"},
                {"code": "deck_count_wrong"},
            ]
        )
    ]


ROUNDS: Final = st.randoms(use_true_random=False).map(deal)
MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def by_wager(settled: Settlement, number: int) -> dict[str, Line]:
    """The lines of the stakes of one seat."""
    return {line.wager: line for line in settled.lines if line.seat == number and line.wager != "envy_bonus"}


@MANY
@given(ROUNDS)
def test_a_dealt_round_settles_every_stake_once_and_keeps_the_money_together(dealt: Dealt) -> None:
    """Each wager has one line; what players, house and meter gain and lose is nothing together."""
    settled = dealt.settle()
    made = {(seat["seat"], wager): cents for seat in dealt.round["seats"] for wager, cents in seat["wagers"].items()}
    stakes = [line for line in settled.lines if line.wager != "envy_bonus"]
    assert made == {(line.seat, line.wager): line.stake for line in stakes}
    assert len(made) == len(stakes)
    players = sum(line.payout + line.stake_returned - line.stake for line in settled.lines)
    off_meter = sum(line.from_meter for line in settled.lines)
    added = sum(contribution.cents for contribution in settled.contributions)
    meters = sum(settled.meters.values()) - sum(dealt.round.get("meters", {}).values())
    assert meters == added + sum(settled.meter_resets.values()) - off_meter
    assert settled.house_net == -(players - off_meter) - added - sum(settled.meter_resets.values())
    for line in settled.lines:
        assert 0 <= line.stake_returned <= line.stake
        assert 0 <= line.from_meter <= line.payout
        assert line.paragraph.startswith("§ 687a.")


@MANY
@given(ROUNDS)
def test_the_order_of_the_seats_in_the_record_does_not_matter(dealt: Dealt) -> None:
    """Settlement order comes from the seat numbers alone."""
    turned = copy.deepcopy(dealt.round)
    turned["seats"].reverse()
    one, other = dealt.settle(), dealt.settle(turned)
    assert one.lines == other.lines
    assert one.meters == other.meters


@MANY
@given(ROUNDS)
def test_where_a_player_sits_matters_for_the_meter_alone(dealt: Dealt) -> None:
    """With the seats mirrored, everything that does not come off the meter is the same."""
    mirrored = copy.deepcopy(dealt.round)
    for entry in [*mirrored["seats"], *(entry for entry in mirrored["irregularities"] if "seat" in entry)]:
        entry["seat"] = 7 - entry["seat"]

    def facts(settled: Settlement, *, turned: bool) -> list[tuple[object, ...]]:
        return sorted(
            (7 - line.seat if turned else line.seat, line.wager, line.outcome, line.net - line.from_meter)
            for line in settled.lines
        )

    assert facts(dealt.settle(), turned=False) == facts(dealt.settle(mirrored), turned=True)


@MANY
@given(ROUNDS)
def test_the_higher_hand_never_earns_less_against_the_dealer(dealt: Dealt) -> None:
    """Of two hands that were raised, the higher one has no worse outcome on Ante, Blind and Raise."""
    assume(dealt.played)
    order = ["lose", "push", "win"]
    settled = dealt.settle()
    raised = [seat for seat in dealt.round["seats"] if not seat["folded"]]
    for one in raised:
        for other in raised:
            if rank_with_wilds(one["cards"]) >= rank_with_wilds(other["cards"]):
                ours, theirs = by_wager(settled, one["seat"]), by_wager(settled, other["seat"])
                for wager in MAIN:
                    assert order.index(ours[wager].outcome) >= order.index(theirs[wager].outcome)
                    assert ours[wager].net * theirs[wager].stake >= theirs[wager].net * ours[wager].stake


@MANY
@given(ROUNDS)
def test_the_dealer_decides_as_the_ranks_say(dealt: Dealt) -> None:
    """A raised hand wins, ties or loses by its rank, a folded one has lost; the Bad Beat never pays a tie."""
    assume(dealt.played)
    settled = dealt.settle()
    dealer = rank_with_wilds(dealt.round["dealer"]["cards"])
    for seat in dealt.round["seats"]:
        lines = by_wager(settled, seat["seat"])
        rank = rank_with_wilds(seat["cards"])
        outcome = "lose" if seat["folded"] or rank < dealer else "push" if rank == dealer else "win"
        assert outcome == lines["ante"].outcome
        if "two_way_bad_beat_bonus" in lines and outcome == "push":
            assert lines["two_way_bad_beat_bonus"].outcome == "lose"
        if outcome == "win":
            assert lines["blind"].outcome in ("win", "push")


@MANY
@given(ROUNDS, st.integers(1, 10**6))
def test_a_side_bet_changes_nothing_else(dealt: Dealt, cents: int) -> None:
    """A Trips or Bad Beat Wager more adds its own line; all others stay as they are."""
    before = dealt.settle()
    dealt.offered.setdefault("trips_bonus", {"paytable": "DJWT-04"})
    dealt.offered.setdefault("two_way_bad_beat_bonus", {"paytable": "DJWBB-04"})
    free = [
        (seat, wager)
        for seat in dealt.round["seats"]
        for wager in ("trips_bonus", "two_way_bad_beat_bonus")
        if wager not in seat["wagers"]
    ]
    assume(free)
    seat, wager = free[0]
    seat["wagers"][wager] = cents
    after = dealt.settle()
    added = [line for line in after.lines if (line.seat, line.wager) == (seat["seat"], wager)]
    assert [cents] == [line.stake for line in added]
    assert sorted(map(repr, before.lines)) == sorted(repr(line) for line in after.lines if line not in added)
    assert before.meters == after.meters


@MANY
@given(ROUNDS)
def test_envy_bonuses_go_to_others_only(dealt: Dealt) -> None:
    """Each is for a hand that won a share of the meter at another seat, to a seat with a Progressive Bonus Wager."""
    settled = dealt.settle()
    holders = [
        line.seat
        for line in settled.lines
        if line.wager == "progressive_bonus" and line.category in ("royal_flush", "straight_flush")
    ]
    wagering = {seat["seat"] for seat in dealt.round["seats"] if "progressive_bonus" in seat["wagers"]}
    left = {entry["seat"] for entry in dealt.round["irregularities"] if entry["code"] == "abandoned"}
    expected = sorted(seat for holder in holders for seat in wagering - left - {holder})
    assert expected == sorted(line.seat for line in settled.lines if line.wager == "envy_bonus")


def unused(round_: Document) -> str:
    """A card that nobody holds."""
    held = json.dumps(round_)
    return next(card for card in DECK if f'"{card}"' not in held)


def first_playing(round_: Document) -> Document | None:
    """A seat that neither folded nor left."""
    return next((seat for seat in round_["seats"] if "raise" in seat["wagers"]), None)


def another_card(round_: Document) -> bool:
    """A hand holds one card more, and nothing says why."""
    round_["seats"][0]["cards"].append(unused(round_))
    return True


def one_card_less(round_: Document) -> bool:
    """A hand lost its last card."""
    round_["seats"][0]["cards"].pop()
    return True


def dealer_lost_a_card(round_: Document) -> bool:
    """The dealer's hand lost its last card."""
    round_["dealer"]["cards"].pop()
    return True


def no_dealer(round_: Document) -> bool:
    """Nobody says what the dealer held."""
    del round_["dealer"]
    return True


def card_of_the_dealer(round_: Document) -> bool:
    """A hand holds a card that the dealer holds too."""
    round_["seats"][0]["cards"][0] = round_["dealer"]["cards"][0]
    return True


def spare_card_of_a_hand(round_: Document) -> bool:
    """The spare card lies in a hand."""
    round_["spare_card"] = round_["seats"][0]["cards"][2]
    return True


def one_cent_more(round_: Document) -> bool:
    """A Raise of one cent more than twice the Ante."""
    seat = first_playing(round_)
    if seat is not None:
        seat["wagers"]["raise"] += 1
    return seat is not None


def folded_and_raised(round_: Document) -> bool:
    """A player who raised folded as well."""
    seat = first_playing(round_)
    if seat is not None:
        seat["folded"] = True
    return seat is not None


def no_decision(round_: Document) -> bool:
    """The player neither raised nor folded."""
    seat = round_["seats"][0]
    seat["wagers"].pop("raise", None)
    seat["folded"] = False
    return True


def blind_is_missing(round_: Document) -> bool:
    """A seat without a Blind Wager."""
    del round_["seats"][0]["wagers"]["blind"]
    return True


def twice(round_: Document) -> bool:
    """A seat is recorded twice."""
    round_["seats"].append(copy.deepcopy(round_["seats"][0]))
    return True


def boxes_apart(round_: Document) -> bool:
    """Two seats of one player with another position between them."""
    numbers = {seat["seat"]: seat for seat in round_["seats"]}
    for number, seat in numbers.items():
        if number + 2 in numbers:
            seat["player"] = numbers[number + 2]["player"] = "one"
            return True
    return False


def meter_is_missing(round_: Document) -> bool:
    """A Progressive Bonus Wager without what the meter showed."""
    round_.pop("meters", None)
    return any("progressive_bonus" in seat["wagers"] for seat in round_["seats"])


def progressive_of_another_amount(round_: Document) -> bool:
    """A Progressive Bonus Wager that the paytable is not for."""
    for seat in round_["seats"]:
        if "progressive_bonus" in seat["wagers"]:
            seat["wagers"]["progressive_bonus"] += 1
            return True
    return False


def unknown_irregularity(round_: Document) -> bool:
    """An irregularity of other games."""
    round_["irregularities"].append({"code": "hand_dead", "seat": round_["seats"][0]["seat"]})
    return True


def unknown_meter(round_: Document) -> bool:
    """A meter that no wager has."""
    round_.setdefault("meters", {})["trips_bonus"] = 5
    return True


def change(path: str, value: object) -> Callable[[Document], bool]:
    """A change of one field of the first seat."""

    def apply(round_: Document) -> bool:
        *parents, last = path.split(".")
        target = round_["seats"][0]
        for parent in parents:
            target = target[parent]
        target[last] = value
        return True

    return apply


BREAKS: Final[Mapping[str, Callable[[Document], bool]]] = {
    "another card": another_card,
    "one card less": one_card_less,
    "the dealer lost a card": dealer_lost_a_card,
    "no dealer": no_dealer,
    "a card of the dealer": card_of_the_dealer,
    "the spare card of a hand": spare_card_of_a_hand,
    "one cent more": one_cent_more,
    "folded and raised": folded_and_raised,
    "no decision": no_decision,
    "the Blind is missing": blind_is_missing,
    "a seat twice": twice,
    "boxes apart": boxes_apart,
    "the meter is missing": meter_is_missing,
    "a progressive wager of another amount": progressive_of_another_amount,
    "unknown irregularity": unknown_irregularity,
    "unknown meter": unknown_meter,
    "seat 7": change("seat", 7),
    "unknown field": change("surrendered", True),
    "unknown wager": change("wagers.flop", 5),
    "negative wager": change("wagers.ante", -100),
    "fraction of a cent": change("wagers.blind", 10.5),
    "true as a wager": change("wagers.blind", True),
    "huge wager": change("wagers.blind", 10**30),
    "no cards": change("cards", []),
    "not a card": change("cards", ["Th", "2c", "3c", "4c", "1c"]),
}


@pytest.mark.parametrize("name", BREAKS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(dealt=ROUNDS)
def test_a_broken_record_is_refused_and_never_settles(name: str, dealt: Dealt) -> None:
    """Whatever the round was, one impossible thing in its record is enough, and the refusal says what it is."""
    broken = json.loads(json.dumps(dealt.round))
    broken["irregularities"] = []
    assume(BREAKS[name](broken))
    with pytest.raises(Refused) as refusal:
        dealt.settle(broken)
    assert refusal.value.reason
    assert refusal.value.paragraph is not None
