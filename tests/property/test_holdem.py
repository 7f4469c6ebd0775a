"""Hold 'Em rounds dealt from a real deck with random decisions settle; broken copies of them never do."""

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shared.rules import Refused, Settlement, compile_rules, parse_round, parse_submission, round_type
from tests.support.obvious_ranking import CATEGORIES, best_standing, standing

Document = dict[str, Any]

REGULATION: Final = "pa-647a"
DECK: Final = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
# Cards of few ranks and suits make hands that win and tie often.
SHORT: Final = [card for card in DECK if card[0] in "AKQJT9" and card[1] in "sh"] + [
    "Ad",
    "Ac",
    "Kd",
    "9d",
    "9c",
    "8s",
    "7s",
    "6s",
    "2s",
    "2c",
]
MAIN: Final = ("ante", "flop", "turn", "river")
ON_PLAYER: Final = "five_card_hand_bonus_player"
ON_DEALER: Final = "five_card_hand_bonus_dealer"
WAGERS: Final[Document] = {
    "texas_holdem_bonus": {"paytable": "A"},
    "progressive_payout": {"meter": {"rate": "0.07", "reset": 1000000}},
    "five_card_hand_bonus": {"meter": {"rate": "0.13", "reset": 1200000}, "magic_card": True, "lucky_bonus": True},
}
METERS: Final = {"progressive_payout": 1700003, "five_card_hand_bonus": 1900009}


@dataclass
class Dealt:
    """A round that was dealt: its record and its rules submission as documents."""

    submission: Document
    round: Document

    def settle(self, round_: Document | None = None) -> Settlement:
        """Settle the round, or a changed copy of it."""
        rules = compile_rules(REGULATION, parse_submission(self.submission))
        return rules.settle(parse_round(REGULATION, self.round if round_ is None else round_))


def shuffle(chance: Random, hands: int) -> tuple[list[list[str]], list[str]]:
    """Two cards for so many hands and five community cards; now and then a Flop that makes jackpots."""
    deck = list(DECK if chance.random() < 0.5 else SHORT)
    chance.shuffle(deck)
    flop, pairs = [deck.pop() for _ in range(3)], []
    if chance.random() < 0.3:
        flop, pairs = ["Qs", "Js", "Ts"], [["As", "Ks"], ["9s", "8s"]][:hands]
        deck = [card for card in deck if all(card not in cards for cards in (flop, *pairs))]
    pairs += [[deck.pop(), deck.pop()] for _ in range(hands - len(pairs))]
    chance.shuffle(pairs)
    return pairs, [*flop, deck.pop(), deck.pop()]


def deal(chance: Random, offered: Document, ante_pays_on: str) -> Dealt:
    """Play one round: every player folds or stays by chance, checks or wagers on."""
    numbers = chance.sample(range(1, 7), chance.randint(1, 6))
    (dealer, *pairs), community = shuffle(chance, len(numbers) + 1)
    seats = [seat(chance, number, pair, offered) for number, pair in zip(numbers, pairs, strict=True)]
    round_: Document = {
        "seats": seats,
        "dealer": {"cards": dealer},
        "community": community[:3] if all(entry["folded"] for entry in seats) else community,
        "meters": {name: cents for name, cents in METERS.items() if name in offered},
    }
    if "five_card_hand_bonus" in offered:
        round_ |= {
            "magic_card": chance.choice(DECK),
            "lucky_position": chance.choice([1, 2, 3, 4, 5, 6, "dealer"]),
        }
    return Dealt({"options": {"ante_pays_on": ante_pays_on}, "wagers": offered}, round_)


def seat(chance: Random, number: int, cards: list[str], offered: Document) -> Document:
    """One player with cards, wagers and decisions."""
    ante = chance.randint(1, 60000) * 25
    folded = chance.random() < 0.2
    wagers = {"ante": ante}
    if not folded:
        wagers["flop"] = 2 * ante
        wagers |= {wager: ante for wager in ("turn", "river") if chance.random() < 0.5}
    if "texas_holdem_bonus" in offered and chance.random() < 0.6:
        wagers["texas_holdem_bonus"] = chance.randint(1, 20000)
    if "progressive_payout" in offered and chance.random() < 0.6:
        wagers["progressive_payout"] = chance.choice([100, 500])
    if "five_card_hand_bonus" in offered:
        wagers |= {wager: chance.randint(1, 500) for wager in (ON_PLAYER, ON_DEALER) if chance.random() < 0.5}
    return {"seat": number, "player": f"player {number}", "wagers": wagers, "cards": cards, "folded": folded}


@st.composite
def rounds(draw: st.DrawFn) -> Dealt:
    """A legal round under a random rules submission."""
    chance = draw(st.randoms(use_true_random=False))
    offered = {name: WAGERS[name] for name in draw(st.sets(st.sampled_from(sorted(WAGERS))))}
    return deal(chance, offered, draw(st.sampled_from(["straight", "flush"])))


def lines(settlement: Settlement) -> list[Document]:
    """The lines as documents in an order of their own."""
    return sorted((line.as_document() for line in settlement.lines), key=lambda line: json.dumps(line))


MANY = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@MANY
@given(rounds())
def test_a_round_that_was_dealt_settles_and_keeps_the_money_together(dealt: Dealt) -> None:
    """What players, house and meters gain and lose is nothing together; every stake is settled once."""
    settled = dealt.settle()
    players = sum(line.payout + line.stake_returned - line.stake for line in settled.lines)
    off_meters = sum(line.from_meter for line in settled.lines)
    house = (
        off_meters - players - sum(entry.cents for entry in settled.contributions) - sum(settled.meter_resets.values())
    )
    assert players + house + sum(settled.meters.values()) - sum(dealt.round["meters"].values()) == 0
    for line in settled.lines:
        assert 0 <= line.stake_returned <= line.stake
        assert 0 <= line.from_meter <= line.payout
        assert line.paragraph.startswith("§ 647a.")
    for entry in dealt.round["seats"]:
        own = {line.wager: line.stake for line in settled.lines if line.seat == entry["seat"] and line.stake}
        assert entry["wagers"] == own


@MANY
@given(rounds())
def test_hands_are_compared_as_the_text_says(dealt: Dealt) -> None:
    """The best five of seven decide the four wagers; the Ante is only returned below the threshold."""
    settled = {(line.seat, line.wager): line for line in dealt.settle().lines}
    community = dealt.round["community"]
    dealer = best_standing([*dealt.round["dealer"]["cards"], *community])
    threshold = CATEGORIES.index(dealt.submission["options"]["ante_pays_on"])
    for entry in dealt.round["seats"]:
        own = best_standing([*entry["cards"], *community])
        left = 5000000
        for wager in MAIN:
            if wager not in entry["wagers"]:
                continue
            stake = entry["wagers"][wager]
            if entry["folded"] or own < dealer:
                expected = -stake
            elif own == dealer or (wager == "ante" and own[0] < threshold):
                expected = 0
            else:
                expected = min(stake, left)
                left -= expected
            assert expected == settled[entry["seat"], wager].net


@MANY
@given(rounds())
def test_the_flop_decides_progressive_and_five_card_wagers(dealt: Dealt) -> None:
    """Two cards and the Flop, looked up in the paytables by a second opinion on hands."""
    settled = dealt.settle()
    flop = dealt.round["community"][:3]
    category = {entry["seat"]: CATEGORIES[standing([*entry["cards"], *flop])[0]] for entry in dealt.round["seats"]} | {
        0: CATEGORIES[standing([*dealt.round["dealer"]["cards"], *flop])[0]]
    }
    progressive = {"four_of_a_kind": 300, "full_house": 50, "flush": 40, "straight": 30, "three_of_a_kind": 9}
    five_card = {"four_of_a_kind": 500, "full_house": 100, "flush": 50}
    envy = {"royal_flush": 1000, "straight_flush": 300}
    for entry in dealt.round["seats"]:
        number, wagers = entry["seat"], entry["wagers"]
        own = {line.wager: line for line in settled.lines if line.seat == number and line.wager in wagers}
        bets = [("progressive_payout", progressive, number), (ON_PLAYER, five_card, number), (ON_DEALER, five_card, 0)]
        for wager, table, hand in bets:
            if wager not in wagers:
                continue
            won = own[wager].payout - own[wager].from_meter
            lost = wager == "progressive_payout" and entry["folded"]
            assert (0 if lost else table.get(category[hand], 0) * wagers[wager]) == won
            assert (category[hand] in envy and not lost) == (own[wager].from_meter > 0)
        envied = sum(line.payout for line in settled.lines if (line.seat, line.wager) == (number, "envy_bonus"))
        others = sum(envy.get(name, 0) for other, name in category.items() if other not in (0, number))
        assert wagers.get("progressive_payout", 0) * others == envied


def jackpot(shows: int, category: str, reset: int, *, among: int = 1) -> int:
    """What a meter shows after a royal flush took all of it, or a straight flush a tenth in equal parts."""
    if category == "straight_flush":
        return shows - shows // 10 // among * among
    return reset if category == "royal_flush" else shows


@MANY
@given(rounds())
def test_meters_are_paid_seat_by_seat_from_the_dealers_far_right(dealt: Dealt) -> None:
    """After all contributions: own hands in settlement order, the dealer's hand once for all who wagered on it."""
    seats = sorted(dealt.round["seats"], key=lambda entry: entry["seat"], reverse=True)
    flop = dealt.round["community"][:3]
    on_dealer = [entry["seat"] for entry in seats if ON_DEALER in entry["wagers"]]
    staked = {
        "progressive_payout": [entry["wagers"].get("progressive_payout", 0) for entry in seats],
        "five_card_hand_bonus": [entry["wagers"].get(wager, 0) for entry in seats for wager in (ON_PLAYER, ON_DEALER)],
    }
    percent = {"progressive_payout": 7, "five_card_hand_bonus": 13}
    shows = {name: cents + sum(staked[name]) * percent[name] // 100 for name, cents in dealt.round["meters"].items()}
    dealers = CATEGORIES[standing([*dealt.round["dealer"]["cards"], *flop])[0]]
    for entry in seats:
        wagers, own = entry["wagers"], CATEGORIES[standing([*entry["cards"], *flop])[0]]
        if "progressive_payout" in wagers and not entry["folded"]:
            shows["progressive_payout"] = jackpot(shows["progressive_payout"], own, 1000000)
        if ON_PLAYER in wagers:
            shows["five_card_hand_bonus"] = jackpot(shows["five_card_hand_bonus"], own, 1200000)
        if on_dealer and entry["seat"] == on_dealer[0]:
            left = jackpot(shows["five_card_hand_bonus"], dealers, 1200000, among=len(on_dealer))
            shows["five_card_hand_bonus"] = left
    assert shows == dealt.settle().meters


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
def test_without_a_jackpot_a_seat_is_settled_as_if_it_were_alone(dealt: Dealt) -> None:
    """Other players matter only for meters and Envy Bonuses; everything else depends on the own cards."""
    settled = dealt.settle()
    assume(not any(line.from_meter for line in settled.lines))
    assume(not all(entry["folded"] for entry in dealt.round["seats"]))
    for entry in dealt.round["seats"]:
        alone = copy.deepcopy(dealt.round)
        alone["seats"] = [entry]
        if entry["folded"]:
            alone["community"] = alone["community"][:3]
        assert [line for line in settled.lines if line.seat == entry["seat"] and line.wager != "envy_bonus"] == list(
            dealt.settle(alone).lines
        )


@MANY
@given(rounds(), st.integers(1, 10**6))
def test_a_losing_bonus_wager_changes_nothing_else(dealt: Dealt, cents: int) -> None:
    """One more wager that loses adds one line and takes its stake."""
    before = lines(dealt.settle())
    for entry in dealt.round["seats"]:
        ranks = {card[0] for card in entry["cards"]}
        if (
            "texas_holdem_bonus" not in entry["wagers"]
            and len(ranks) == 2
            and not ("A" in ranks and ranks & set("KQJ"))
        ):
            break
    else:
        assume(False)
    dealt.submission["wagers"] = dealt.submission["wagers"] | {"texas_holdem_bonus": {"paytable": "B"}}
    entry["wagers"]["texas_holdem_bonus"] = cents
    assume(all("texas_holdem_bonus" not in other["wagers"] for other in dealt.round["seats"] if other is not entry))
    after = dealt.settle()
    (added,) = [line for line in after.lines if (line.seat, line.wager) == (entry["seat"], "texas_holdem_bonus")]
    assert ("lose", -cents) == (added.outcome, added.net)
    assert before == [line for line in lines(after) if line != added.as_document()]


@MANY
@given(st.randoms(use_true_random=False), st.sampled_from(["straight", "flush"]))
def test_a_better_hand_never_earns_less_on_the_same_wagers(chance: Random, ante_pays_on: str) -> None:
    """Of two players with the same four wagers against the same dealer, the one with the higher hand earns no less."""
    dealt = deal(chance, {}, ante_pays_on)
    assume(len(dealt.round["seats"]) > 1 and len(dealt.round["community"]) == 5)
    for entry in dealt.round["seats"]:
        entry |= {"folded": False, "wagers": {"ante": 500, "flop": 1000, "turn": 500, "river": 500}}
    settled = dealt.settle()
    earned: dict[int, int] = {}
    for line in settled.lines:
        earned[line.seat] = earned.get(line.seat, 0) + line.net
    by_hand = sorted(
        dealt.round["seats"], key=lambda entry: best_standing([*entry["cards"], *dealt.round["community"]])
    )
    nets = [earned[entry["seat"]] for entry in by_hand]
    assert sorted(nets) == nets


@MANY
@given(rounds(), st.sampled_from(["misdeal", "shoe_malfunction", "deck_count_wrong", "dealer_card_exposed"]))
def test_a_void_round_returns_everything_but_a_bonus_that_is_settled(dealt: Dealt, code: str) -> None:
    """Only the Texas Hold 'Em Bonus Wager may move money, and only after an exposed dealer's card."""
    before = {(line.seat, line.wager): line for line in dealt.settle().lines}
    settled = dealt.settle(dealt.round | {"irregularities": [{"code": code}]})
    assert settled.meters_before == settled.meters
    for line in settled.lines:
        if line.wager == "texas_holdem_bonus" and code == "dealer_card_exposed":
            played = before[line.seat, line.wager]
            assert (played.category, played.outcome) == (line.category, line.outcome)
            assert played.payout <= line.payout <= 5000000
        else:
            assert ("void", line.stake, 0) == (line.outcome, line.stake_returned, line.net)


@MANY
@given(rounds())
def test_a_player_who_left_loses_every_wager(dealt: Dealt) -> None:
    """And the others are settled as before, but for what the jackpots are shared among."""
    leaver = dealt.round["seats"][0]
    before = dealt.settle()
    settled = dealt.settle(dealt.round | {"irregularities": [{"code": "abandoned", "seat": leaver["seat"]}]})
    own = [line for line in settled.lines if line.seat == leaver["seat"]]
    assert leaver["wagers"] == {line.wager: -line.net for line in own}
    jackpots = [line for line in (*before.lines, *settled.lines) if line.from_meter]
    if not jackpots:
        others = [line for line in before.lines if line.seat != leaver["seat"]]
        assert others == [line for line in settled.lines if line.seat != leaver["seat"]]


@MANY
@given(rounds())
def test_json_and_python_documents_are_one_record(dealt: Dealt) -> None:
    """A record decoded from bytes settles like the one built from a document."""
    decoded = round_type(REGULATION).model_validate_json(json.dumps(dealt.round).encode())
    assert decoded == parse_round(REGULATION, dealt.round)


def wager_of(wager: str, cents: object) -> Callable[[Document], bool]:
    """Another amount of a wager at the first seat that made it; a whole number is added to what was wagered."""

    def change(round_: Document) -> bool:
        for entry in round_["seats"]:
            if wager in entry["wagers"]:
                entry["wagers"][wager] = entry["wagers"][wager] + cents if type(cents) is int else cents
                return True
        return False

    return change


def fields(**values: Any) -> Callable[[Document], bool]:
    """Other fields of the round."""

    def change(round_: Document) -> bool:
        round_ |= values
        return True

    return change


def field_of_first_seat(path: str, value: object) -> Callable[[Document], bool]:
    """Another value of one field of the first seat."""

    def change(round_: Document) -> bool:
        *parents, last = path.split(".")
        target = round_["seats"][0]
        for parent in parents:
            target = target[parent]
        target[last] = value
        return True

    return change


def flop_wager_is_lost(round_: Document) -> bool:
    """A player who stayed has no Flop Wager."""
    for entry in round_["seats"]:
        if not entry["folded"]:
            entry["wagers"] = {"ante": entry["wagers"]["ante"]}
            return True
    return False


def player_folds_and_stays(round_: Document) -> bool:
    """A player with a Flop Wager is said to have folded."""
    for entry in round_["seats"]:
        if not entry["folded"]:
            entry["folded"] = True
            return True
    return False


def ante_is_lost(round_: Document) -> bool:
    """A player without an Ante Wager."""
    del round_["seats"][0]["wagers"]["ante"]
    return True


def card_is_dealt_twice(round_: Document) -> bool:
    """The dealer's first card is on the layout too."""
    round_["community"][0] = round_["dealer"]["cards"][0]
    return True


def card_too_few(round_: Document) -> bool:
    """The last community card is missing."""
    round_["community"].pop()
    return True


def card_too_many(round_: Document) -> bool:
    """A player holds a third card."""
    used = json.dumps(round_)
    round_["seats"][-1]["cards"].append(next(card for card in DECK if f'"{card}"' not in used))
    return True


def dealer_is_missing(round_: Document) -> bool:
    """Nobody recorded the dealer's cards."""
    del round_["dealer"]
    return True


def seat_is_there_twice(round_: Document) -> bool:
    """The same seat is recorded a second time."""
    round_["seats"].append(copy.deepcopy(round_["seats"][0]))
    return True


def one_player_holds_two_positions(round_: Document) -> bool:
    """The first two seats have the same player."""
    if len(round_["seats"]) < 2:
        return False
    round_["seats"][1]["player"] = round_["seats"][0]["player"]
    return True


def meters_are_missing(round_: Document) -> bool:
    """A progressive wager without what its meter showed."""
    round_["meters"] = {}
    metered = {"progressive_payout", ON_PLAYER, ON_DEALER}
    return any(metered & entry["wagers"].keys() for entry in round_["seats"])


BREAKS: Final[Mapping[str, Callable[[Document], bool]]] = {
    "flop of a cent more": wager_of("flop", 1),
    "turn of a cent less": wager_of("turn", -1),
    "river of a cent more": wager_of("river", 1),
    "progressive of a cent more": wager_of("progressive_payout", 1),
    "nothing on the bonus": wager_of("texas_holdem_bonus", False),
    "fraction of a cent": wager_of("ante", 10.5),
    "huge ante": wager_of("ante", 10**30),
    "Flop Wager is lost": flop_wager_is_lost,
    "player folds and stays": player_folds_and_stays,
    "Ante Wager is lost": ante_is_lost,
    "card is dealt twice": card_is_dealt_twice,
    "card too few": card_too_few,
    "card too many": card_too_many,
    "dealer is missing": dealer_is_missing,
    "dealer has one card": fields(dealer={"cards": ["2c"]}),
    "seat is there twice": seat_is_there_twice,
    "one player holds two positions": one_player_holds_two_positions,
    "seat 7": field_of_first_seat("seat", 7),
    "unknown field": field_of_first_seat("checked", True),
    "unknown wager": field_of_first_seat("wagers.blind", 100),
    "joker": field_of_first_seat("cards", ["Jk", "2c"]),
    "no cards": field_of_first_seat("cards", []),
    "meters are missing": meters_are_missing,
    "unknown meter": fields(meters=METERS | {"jackpot": 1}),
    "lucky position 7": fields(lucky_position=7),
    "irregularity of another game": fields(irregularities=[{"code": "card_reader_exposed_hole"}]),
    "abandoned by nobody": fields(irregularities=[{"code": "abandoned"}]),
}


@pytest.mark.parametrize("name", BREAKS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(dealt=rounds())
def test_a_broken_record_is_refused_and_never_settles(name: str, dealt: Dealt) -> None:
    """Whatever the round was, one impossible thing in its record is enough, and the refusal says what it is."""
    broken = copy.deepcopy(dealt.round)
    assume(BREAKS[name](broken))
    with pytest.raises(Refused) as refusal:
        dealt.settle(broken)
    assert refusal.value.reason
    assert refusal.value.paragraph is not None
