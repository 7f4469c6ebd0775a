"""Over/Under rounds that are really dealt from six decks, with random decisions, settle; broken copies never do."""

import copy
import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shared.rules import Refused, Settlement, compile_rules, parse_round, parse_submission

Document = dict[str, Any]

REGULATION: Final = "pa-686a"
SUBMISSION: Final[Document] = {"wagers": {"bonus": {}}, "options": {"adjacent_boxes": 2}}
DECK: Final = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
RULES: Final = compile_rules(REGULATION, parse_submission(SUBMISSION))


def deal(chance: Random) -> Document:
    """Deal one round to some of six seats."""
    shoe = DECK * 6
    chance.shuffle(shoe)
    seats: list[Document] = []
    irregularities: list[Document] = []
    for number in sorted(chance.sample(range(1, 7), chance.randint(1, 6))):
        ante = chance.randint(1, 10**6)
        seat: Document = {"seat": number, "player": f"p{number}", "wagers": {"ante": ante}}
        decision = chance.choice(["over_23", "under_18", "surrendered", "passed over"])
        if decision in ("over_23", "under_18"):
            seat["wagers"][decision] = ante
        elif decision == "surrendered":
            seat["surrendered"] = True
        if chance.random() < 0.6:
            seat["wagers"]["bonus"] = chance.randint(1, 10**6)
        dead = decision == "passed over" or chance.random() < 0.1
        seat["cards"] = [shoe.pop() for _ in range(1 if dead else 3)]
        if dead:
            irregularities.append({"code": "hand_dead", "seat": number})
        seats.append(seat)
    if chance.random() < 0.2:
        irregularities.append({"code": "cards_face_up", "count": chance.randint(1, 5)})
    chance.shuffle(seats)
    return {"seats": seats, "irregularities": irregularities}


ROUNDS: Final = st.randoms(use_true_random=False).map(deal)
MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def settle(round_: Document) -> Settlement:
    """Parse and settle."""
    return RULES.settle(parse_round(REGULATION, round_))


def dead(round_: Document) -> set[int]:
    """The seats whose hand was called dead."""
    return {entry["seat"] for entry in round_["irregularities"] if entry["code"] == "hand_dead"}


@MANY
@given(ROUNDS)
def test_a_dealt_round_settles_every_stake_once(round_: Document) -> None:
    """Each wager has one line, from the highest seat down; what players win the house loses."""
    settled = settle(round_)
    made = {(seat["seat"], wager): cents for seat in round_["seats"] for wager, cents in seat["wagers"].items()}
    assert made == {(line.seat, line.wager): line.stake for line in settled.lines}
    assert len(made) == len(settled.lines)
    assert sorted((line.seat for line in settled.lines), reverse=True) == [line.seat for line in settled.lines]
    assert settled.players_net == -settled.house_net
    for line in settled.lines:
        assert 0 <= line.stake_returned <= line.stake
        assert line.paragraph.startswith("§ 686a.")
        assert (line.seat in dead(round_)) == (line.outcome == "void")


@MANY
@given(ROUNDS)
def test_the_order_of_the_seats_in_the_record_does_not_matter(round_: Document) -> None:
    """Settlement order comes from the seat numbers alone."""
    turned = round_ | {"seats": round_["seats"][::-1]}
    assert settle(round_).lines == settle(turned).lines


@MANY
@given(ROUNDS)
def test_a_bonus_wager_changes_nothing_else(round_: Document) -> None:
    """Without the Bonus Wagers the other lines are the same."""
    without = copy.deepcopy(round_)
    for seat in without["seats"]:
        seat["wagers"].pop("bonus", None)
    others = tuple(line for line in settle(round_).lines if line.wager != "bonus")
    assert others == settle(without).lines


@MANY
@given(ROUNDS, st.data())
def test_a_total_further_out_never_earns_less(round_: Document, data: st.DataObject) -> None:
    """A higher total never hurts an Over 23 Wager, a lower one never an Under 18 Wager."""
    playing = [seat for seat in round_["seats"] if len(seat["cards"]) == 3 and not seat.get("surrendered")]
    assume(playing)
    seat = data.draw(st.sampled_from(playing))
    side = "over_23" if "over_23" in seat["wagers"] else "under_18"
    before = {line.wager: line.net for line in settle(round_).lines if line.seat == seat["seat"]}
    seat["cards"][0] = "As" if side == "over_23" else "2s"
    assume(sum(entry["cards"].count(seat["cards"][0]) for entry in round_["seats"]) <= 6)
    after = {line.wager: line.net for line in settle(round_).lines if line.seat == seat["seat"]}
    assert after["ante"] >= before["ante"]
    assert after[side] >= before[side]


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


def another_card(round_: Document) -> bool:
    """A hand holds one card more."""
    round_["seats"][0]["cards"].append("9h")
    return True


def one_card_less(round_: Document) -> bool:
    """A hand lost its last card."""
    round_["seats"][0]["cards"].pop()
    return True


def one_cent_more(round_: Document) -> bool:
    """The chosen side is not wagered in the amount of the Ante."""
    wagers = round_["seats"][0]["wagers"]
    for side in ("over_23", "under_18"):
        if side in wagers:
            wagers[side] += 1
            return True
    return False


def both_sides(round_: Document) -> bool:
    """The other side is wagered too."""
    wagers = round_["seats"][0]["wagers"]
    wagers |= {"over_23": wagers["ante"], "under_18": wagers["ante"]}
    return True


def no_decision(round_: Document) -> bool:
    """The player neither chose nor surrendered."""
    seat = round_["seats"][0]
    for side in ("over_23", "under_18"):
        seat["wagers"].pop(side, None)
    seat["surrendered"] = False
    return len(seat["cards"]) == 3


def surrendered_too(round_: Document) -> bool:
    """A player who chose a side surrendered as well."""
    seat = round_["seats"][0]
    seat["surrendered"] = True
    return len(seat["wagers"].keys() & {"over_23", "under_18"}) == 1


def too_many_copies(round_: Document) -> bool:
    """Whole hands of one card, more often than six decks hold it."""
    for seat in round_["seats"]:
        seat["cards"] = ["Kh"] * len(seat["cards"])
    return sum(len(seat["cards"]) for seat in round_["seats"]) > 6


def twice(round_: Document) -> bool:
    """A seat is recorded twice."""
    round_["seats"].append(copy.deepcopy(round_["seats"][0]))
    return True


def boxes_apart(round_: Document) -> bool:
    """Two seats of one player with another between them."""
    numbers = {seat["seat"]: seat for seat in round_["seats"]}
    for number, seat in numbers.items():
        if number + 2 in numbers:
            seat["player"] = numbers[number + 2]["player"] = "one"
            return True
    return False


def unknown_irregularity(round_: Document) -> bool:
    """An irregularity of other games."""
    round_["irregularities"].append({"code": "misdeal"})
    return True


BREAKS: Final[Mapping[str, Callable[[Document], bool]]] = {
    "another card": another_card,
    "one card less": one_card_less,
    "one cent more": one_cent_more,
    "both sides": both_sides,
    "no decision": no_decision,
    "surrendered too": surrendered_too,
    "too many copies of a card": too_many_copies,
    "seat is there twice": twice,
    "boxes apart": boxes_apart,
    "unknown irregularity": unknown_irregularity,
    "seat 7": change("seat", 7),
    "unknown field": change("folded", True),
    "unknown wager": change("wagers.blind", 5),
    "negative wager": change("wagers.ante", -100),
    "fraction of a cent": change("wagers.ante", 10.5),
    "true as a wager": change("wagers.ante", True),
    "huge wager": change("wagers.bonus", 10**30),
    "no cards": change("cards", []),
    "a joker": change("cards", ["Th", "2c", "Jk"]),
    "no wagers": change("wagers", {}),
}


@pytest.mark.parametrize("name", BREAKS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(round_=ROUNDS)
def test_a_broken_record_is_refused_and_never_settles(name: str, round_: Document) -> None:
    """Whatever the round was, one impossible thing in its record is enough, and the refusal says what it is."""
    broken = json.loads(json.dumps(round_))
    assume(BREAKS[name](broken))
    with pytest.raises(Refused) as refusal:
        settle(broken)
    assert refusal.value.reason
    assert refusal.value.paragraph is not None
