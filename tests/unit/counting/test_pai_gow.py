"""Sampling Pai Gow Poker and Face Up Pai Gow Poker: a part dealt again, and rounds that are settled."""

from collections import Counter
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any

import pytest

from loadtest.floor.set_hands import Setting
from services.cli.codegen.generate import ROOT
from shared.cards import Card, standard_deck
from shared.counting import pai_gow_tables
from shared.counting.pai_gow_tables import FACE_UP_PATH, PAI_GOW_PATH
from shared.rules import compile_rules, parse_round, parse_submission, play
from shared.rules.face_up_pai_gow.ace_high_counts import ace_high_counts
from shared.rules.packaged import parsed

SEED = 20_261_123
ROUNDS = 500
HIDDEN: dict[str, Any] = parsed((ROOT / PAI_GOW_PATH).read_text())
FACE_UP: dict[str, Any] = parsed((ROOT / FACE_UP_PATH).read_text())
STANDARD = {"house_way": "standard"}


def test_the_first_deals_come_to_what_is_kept() -> None:
    """The same seeds, dealt again."""
    assert HIDDEN["first"] == pai_gow_tables.first_hidden()
    assert FACE_UP["first"] == pai_gow_tables.first_face_up()


@pytest.mark.parametrize("wheel", ["second_highest", "lowest"])
def test_each_pair_is_compared_in_both_directions(wheel: str) -> None:
    """42 pairs a deal; as many are above as below, and a bank of one is the mirror of a player."""
    sample = HIDDEN["samples"][wheel]
    compared, (deals, wins, losses, *_) = sample["compared"], sample["pairs"]
    assert 42 * deals == sum(compared.values()) == 42 * HIDDEN["counted"]["deals"]
    assert compared["both_higher"] == compared["both_lower"] == wins
    assert losses == wins + compared["copied"]
    assert all(7 * deals == sum(ahead.values()) for ahead in sample["banks"].values())
    for others, ahead in sample["banks"].items():
        moments = sample["bank_pairs"][others]
        assert moments[1] - moments[2] == sum(net * banks for net, banks in ahead.items())


def test_the_dealers_ace_high_is_as_frequent_as_counted_exactly() -> None:
    """Within five standard errors of seven independent hands a deal."""
    counts = ace_high_counts()
    exact = Fraction(counts.both + counts.only_dealer_with_joker + counts.only_dealer_no_joker, counts.all_pairs)
    hands = 7 * FACE_UP["counted"]["deals"]
    found = FACE_UP["sample"]["ended"]["dealer_ace_high"] / (6 * hands)
    assert abs(found - float(exact)) < 5 * sqrt(float(exact) * (1 - float(exact)) / hands)


@pytest.mark.parametrize(
    ("regulation", "options"),
    [
        ("pa-645a-2011", {}),
        ("ri-pai-gow", {"low_straights_lowest": True, "main_payout": "1 to 1"}),
        ("pa-688a", {}),
    ],
)
def test_rounds_that_are_settled_come_to_what_was_sampled(regulation: str, options: dict[str, Any]) -> None:
    """Six hands a round, set and settled; the mean net lies within five standard errors of the rounds' means."""
    submission = parse_submission({"options": {**STANDARD, **options}})
    rules, setting = compile_rules(regulation, submission), Setting.of(regulation, submission)
    main = "face_up_pai_gow_poker" if regulation == "pa-688a" else "pai_gow_poker"
    chance, deck = Random(SEED), standard_deck(jokers=1)
    means = []
    for _ in range(ROUNDS):
        cards = chance.sample(deck, 49)
        dealer, *hands = [tuple(cards[first : first + 7]) for first in range(0, 49, 7)]
        record = {
            "seats": [
                {"seat": number, "player": f"p{number}", "wagers": {main: 100}, **_set(setting, hand, dealer, main)}
                for number, hand in enumerate(hands, 1)
            ],
            "dealer": _hand(setting.set(dealer)),
        }
        settled = rules.settle(parse_round(regulation, record))
        means.append(sum(line.net - line.vigorish for line in settled.lines if line.wager == main) / 600)
    mean = sum(means) / ROUNDS
    error = sqrt(sum((one - mean) ** 2 for one in means)) / ROUNDS
    assert abs(mean + float(play(regulation, main, submission).house_edge)) < 5 * error, f"seed {SEED}"


def _set(setting: Setting, hand: tuple[Card, ...], dealer: tuple[Card, ...], main: str) -> dict[str, Any]:
    if main == "pai_gow_poker":
        return _hand(setting.set(hand))
    return _hand(setting.set_against(hand, setting.set(dealer)))


def _hand(hand: Any) -> dict[str, Any]:
    return {"cards": hand.cards, "low": hand.low}


def test_a_sample_is_written_as_it_is_kept() -> None:
    """Few deals, both files: head, first deals and sample in the form that the rules read."""
    (hidden,) = pai_gow_tables.pai_gow_texts(20).values()
    (face_up,) = pai_gow_tables.face_up_texts(20).values()
    for text, kept in ((hidden, HIDDEN), (face_up, FACE_UP)):
        document = parsed(text)
        assert document.keys() == kept.keys()
        assert document["first"] == kept["first"]
        assert 20 == document["counted"]["deals"]
    assert 20 * 42 == Counter(parsed(face_up)["sample"]["ended"]).total()
