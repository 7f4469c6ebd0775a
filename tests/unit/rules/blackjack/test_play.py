"""The Blackjack Wager as it is played best: the published card of basic strategy, its options, and whole rounds dealt.

The second method is `playing`: rounds from real shoes, played by the card and paid the obvious way.
"""

from fractions import Fraction
from itertools import product
from math import sqrt
from random import Random
from typing import Any

import pytest

from loadtest.floor.strategy import decide
from shared.rules import catalogue, compile_rules, parse_round, parse_submission, play
from shared.rules.blackjack.play import play_blackjack, terms_of
from shared.rules.blackjack.shoe import full_shoe, without
from shared.rules.blackjack.strategy import MOST_RESPLITS, Strategy, Terms
from shared.rules.blackjack.strategy_card import UP_CARDS, strategy_card
from shared.rules.play import Play
from shared.rules.submission import Selection, select
from tests.support.nightly import sampled
from tests.unit.rules.blackjack.playing import COUNT, UP, Table, net

REGULATION = "pa-633a-2024"
SEED = 20_261_123
WAGER = 100


def selected(decks: int, **options: Any) -> Selection:
    """Return what a submission selects."""
    return select(catalogue(REGULATION), parse_submission({"decks": decks, "options": options}))


def played(decks: int, **options: Any) -> Play:
    """Return the play of the Blackjack Wager under a submission."""
    return play(REGULATION, "blackjack", parse_submission({"decks": decks, "options": options}))


def paying(odds: str, decks: int, **options: Any) -> Play:
    """Return the play where a Blackjack is paid otherwise than the text says."""
    selection = selected(decks, **options)
    offer = selection.offers["blackjack"]
    changed = {"blackjack": {"odds": odds}}
    rows = tuple(row.model_copy(update=changed.get(row.category, {})) for row in offer.paytable.rows)
    paytable = offer.paytable.model_copy(update={"rows": rows})
    return play_blackjack(selection, type(offer)(offer.name, offer.wager, paytable, offer.options, offer.meter))


def terms(decks: int, **options: Any) -> Terms:
    """Return what decides how hands end."""
    selection = selected(decks, **options)
    return terms_of(selection, selection.offers["blackjack"])


def table(decks: int, seed: int, **options: Any) -> Table:
    """Return a table that plays by the card of basic strategy of a submission."""
    of = terms(decks, **options)
    worth = None
    if of.switch:
        worth = {}
        for place, up in enumerate(UP_CARDS):
            value = 1 if up == "A" else place + 2
            best = Strategy(without(full_shoe(decks), value), value, of)
            worth[up] = {f"{one}-{two}": each for (one, two), each in best.worth.items()} | {"natural": best.natural}
    return Table(Random(seed), decks, strategy_card(decks, of), of.resplits, of.from_hand, worth)


@pytest.mark.parametrize("decks", [4, 5, 6, 7])
def test_the_best_play_is_the_published_card_of_basic_strategy(decks: int) -> None:
    """That for several decks, doubles after splits, surrender, and a dealer who stands on all 17; the simulator's."""
    card = strategy_card(decks, terms(decks, resplits=2))
    first = {"hit": "H", "stand": "S", "double": "D", "split": "P", "surrender": "R"}
    for one, two, (place, up) in product(COUNT, COUNT, enumerate(UP)):
        if {COUNT[one], COUNT[two]} == {1, 10}:
            continue
        dealer = "Th" if up == "10" else f"{up}h"
        known = decide([f"{one}s", f"{two}d"], dealer, may_double=True, may_split=True, may_surrender=True)  # type: ignore[list-item,arg-type]
        assert first[known] == card[row(COUNT[one], COUNT[two])][place][0], (one, two, up)


def row(one: int, two: int) -> str:
    """Return the row of the card for two values."""
    if one == two:
        return f"pair {'A' if one == 1 else one}"
    return f"soft {one + two + 10}" if 1 in (one, two) else f"hard {one + two}"


def test_one_deck_is_played_as_published() -> None:
    """With one deck, 8 is doubled against 5 and 6, 11 against an ace, and 16 is not surrendered against a 9."""
    card = strategy_card(1, terms(1))
    assert ["H", "H", "H", "DH", "DH", "H", "H", "H", "H", "H"] == list(card["hard 8"])
    assert {"DH"} == {*card["hard 11"]}
    assert ["H", "RH", "RH"] == list(card["hard 16"][-3:])


@sampled(1)
@pytest.mark.parametrize(
    ("decks", "options", "house_edge"),
    [
        (1, {"resplits": 2}, "-0.3337%"),
        (2, {"resplits": 2}, "-0.0713%"),
        (6, {}, "0.1983%"),
        (6, {"resplits": 2}, "0.0864%"),
        (8, {"resplits": 2}, "0.1056%"),
        (6, {"resplits": 2, "switch": True}, "-1.5521%"),
    ],
)
def test_the_house_edge(decks: int, options: Any, house_edge: str) -> None:
    """As documented; a change of any rule or decision shows here."""
    found = played(decks, **options)
    assert house_edge == f"{float(found.house_edge):.4%}"
    assert sum(chance for _, chance in found.ends) == 1
    assert all(10**12 % chance.denominator == 0 for _, chance in found.ends)


@sampled(1)
@pytest.mark.parametrize(
    ("decks", "rounds", "options"),
    [
        (1, 60_000, {"resplits": 1}),
        (6, 60_000, {"resplits": 2}),
        (2, 30_000, {"resplits": 0, "dealt_from_hand": True}),
        (6, 40_000, {"resplits": 2, "switch": True}),
    ],
)
def test_rounds_that_are_dealt_come_to_what_is_counted(decks: int, rounds: int, options: Any) -> None:
    """Both what is staked and what is won, within 4.5 standard errors of rounds from real shoes."""
    found, dealt = played(decks, **options), table(decks, SEED, **options)
    wagers = 2 if "switch" in options else 1
    won = squares = staked = staked_squares = 0.0
    for _ in range(rounds):
        one = dealt.play()
        result = net(one, switch=wagers == 2) / wagers
        stake = sum(hand.staked for hand in one.hands) / wagers
        won, squares = won + result, squares + result**2
        staked, staked_squares = staked + stake, staked_squares + stake**2
    for total, square, expected in ((won, squares, -found.house_edge), (staked, staked_squares, found.staked)):
        mean = total / rounds
        error = sqrt((square / rounds - mean**2) / rounds)
        assert abs(mean - float(expected)) < 4.5 * error, f"seed {SEED}: {mean:.5f}, counted {float(expected):.5f}"
    assert squares / rounds == pytest.approx(float(found.variance), rel=0.03)


@pytest.mark.parametrize(
    ("decks", "options"),
    [
        (1, {"resplits": 2}),
        (6, {"resplits": 3}),
        (2, {"resplits": 2, "dealt_from_hand": True}),
        (6, {"resplits": 1, "switch": True}),
        (2, {"resplits": 1, "switch": True, "dealt_from_hand": True}),
    ],
)
def test_the_settlement_pays_what_the_second_method_does(decks: int, options: Any) -> None:
    """It accepts every decision of the card, and each round comes to the same."""
    dealt, switch = table(decks, SEED + 1, **options), "switch" in options
    rules = compile_rules(REGULATION, parse_submission({"decks": decks, "options": options}))
    for _ in range(1_500):
        one = dealt.play()
        settled = rules.settle(parse_round(REGULATION, one.record(WAGER)))
        assert WAGER * net(one, switch=switch) == sum(line.net for line in settled.lines), one
        assert WAGER * sum(hand.staked for hand in one.hands) == sum(line.stake for line in settled.lines), one


@pytest.mark.parametrize("decks", range(1, 9))
def test_blackjacks_come_as_often_as_cards_say(decks: int) -> None:
    """The player's first two cards and the up card are exact, and so is the hole card."""
    found, cards = played(decks), 52 * decks
    naturals = Fraction(2 * 4 * decks * 16 * decks, cards * (cards - 1))
    tied = naturals * Fraction(2 * (4 * decks - 1) * (16 * decks - 1), (cards - 2) * (cards - 3))
    assert float(naturals) == pytest.approx(float(found.probability("blackjack") + tied), abs=1e-11)
    assert float(tied) == pytest.approx(float(found.probability("blackjack_tied")), abs=1e-11)


def test_even_money_is_never_better_than_the_wager_at_risk() -> None:
    """At 3 to 2 it gives up 4% of the wager, whatever the decks; where a Blackjack pays 6 to 5 it is taken."""
    for decks in (1, 8):
        tens, rest = 16 * decks - 1, 52 * decks - 3
        backoff = Fraction(3, 2) * (1 - Fraction(tens, rest)) - 1
        assert Fraction("0.038") < backoff < Fraction("0.041")
        assert played(decks, even_money=True) == played(decks)
    assert paying("6 to 5", 6, even_money=True).probability("even_money")
    assert paying("6 to 5", 6, even_money=True).payback > paying("6 to 5", 6).payback


def test_further_splits_are_worth_less_and_less() -> None:
    """Each allows more at a better price; those that are not counted, nothing."""
    edges = [played(6, resplits=resplits).house_edge for resplits in range(MOST_RESPLITS + 2)]
    assert edges == sorted(edges, reverse=True)
    assert edges[-1] == edges[-2]
    assert edges[0] - edges[1] > Fraction("0.0008")
    assert 0 < edges[-3] - edges[-2] < Fraction("0.00001")


def test_from_the_hand_more_is_staked_and_the_same_comes_back() -> None:
    """A dealer's Blackjack is seen after doubles and splits and takes the original wager alone, § 633a.10(b)."""
    shown, hidden = played(2, resplits=1), played(2, resplits=1, dealt_from_hand=True)
    assert float(shown.house_edge) == pytest.approx(float(hidden.house_edge), abs=1e-11)
    assert hidden.staked > shown.staked
    late = {end.staked: end.staked - end.back for end, _ in hidden.ends if end.category == "dealer_blackjack"}
    assert {Fraction(number): 1 for number in range(1, 7)} == late


def test_a_surrender_is_lost_entirely_against_a_dealer_blackjack() -> None:
    """So half of the wager comes back without one only; nothing is surrendered at Blackjack Switch."""
    (end,) = (end for end, _ in played(6).ends if end.category == "surrendered")
    assert (Fraction(1), Fraction(1, 2)) == (end.staked, end.back)
    assert 0 < played(6).probability("surrendered") < Fraction("0.06")
    assert 0 == played(6, switch=True).probability("surrendered")


def test_blackjack_switch_pays_back_more_than_all_by_the_text() -> None:
    """A Blackjack pays 3 to 2 but against a 21, § 633a.12(a)(5)(i); at 1 to 1 always, the house has its edge back."""
    assert Fraction("1.015") < played(6, switch=True, resplits=2).payback < Fraction("1.016")
    even = paying("1 to 1", 6, switch=True, resplits=2).house_edge
    assert Fraction("0.001") < even < Fraction("0.006")


def test_both_texts_come_to_the_same() -> None:
    """Nothing that decides the Blackjack Wager was changed."""
    submission = parse_submission({"decks": 6, "options": {"resplits": 2}})
    assert play("pa-633a-2011", "blackjack", submission) == played(6, resplits=2)
