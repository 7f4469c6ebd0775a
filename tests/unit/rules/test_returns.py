"""Exact distributions of what comes back: their mean is the payback, and variance and hits follow from counting."""

from fractions import Fraction
from itertools import combinations
from math import isclose
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from shared.cards import standard_deck
from shared.rules import REGULATIONS, Refused, Returns, catalogue, game_of, parse_submission, payback, returns
from shared.rules.game import Game
from shared.rules.returns import Won
from shared.rules.submission import Offer, Selection, select
from tests.support.nightly import sampled
from tests.support.returns import counted

GOLDEN: Final = yaml.safe_load((Path(__file__).parents[2] / "golden" / "paybacks.yaml").read_text())


def selection_of(regulation: str, name: str) -> tuple[str, Selection]:
    """Return the wager and the selection that a name of the golden paybacks stands for."""
    wager, *terms = name.split(", ")
    entries = catalogue(regulation)
    offered = entries.wagers[wager]
    options: dict[str, Any] = {key: one.choices[0] for key, one in entries.options.items() if one.required}
    selected: dict[str, Any] = {}
    document: dict[str, Any] = {"options": options, "wagers": {}}
    for term in terms:
        if term.endswith(("deck", "decks")):
            document["decks"] = int(term.split()[0])
        elif term == "options" and offered.options:
            selected |= dict.fromkeys(offered.options, True)
        elif term == "options":
            options["bad_beat_dealer_hand_pays"] = True
        else:
            selected["paytable"] = term
    if offered.requires is not None:
        options[offered.requires] = True
    if offered.offered == "optional":
        document["wagers"] = {wager: selected}
    return wager, select(entries, parse_submission(document))


@sampled(1)
@pytest.mark.parametrize("regulation", REGULATIONS)
def test_the_mean_is_the_payback_of_every_wager_that_is_counted(regulation: str) -> None:
    """Every paytable with every number of decks; none that is counted is left out."""
    expected = {name: Fraction(value) for name, value in GOLDEN[regulation].items()}
    actual = {}
    for name in expected:
        wager, selection = selection_of(regulation, name)
        actual[name] = game_of(regulation).returns(selection, wager).mean
    assert expected == actual
    assert game_of(regulation).counts.keys() & catalogue(regulation).wagers.keys() == {
        name.split(", ")[0] for name in expected
    }


NO_SQUARES: Final = {"starting_position", "match_the_dealer, 6 decks"}
"""No rows have the odds of the one; the other adds two rows up, and so the squares of neither."""


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_the_variance_is_that_of_the_squares_counted_as_paytables(regulation: str) -> None:
    """A paytable on which each hand returns the square of what it does otherwise has the second moment as payback."""
    names = [name for name in GOLDEN[regulation] if "deck" not in name or ", 6 decks" in name]
    for name in set(names) - NO_SQUARES:
        wager, selection = selection_of(regulation, name)
        game = game_of(regulation)

        def mean(other: Selection, offer: Offer, game: Game[Any] = game) -> Fraction:
            return game.counts[offer.name](other, offer).mean

        expected = counted(selection, selection.offers[wager], mean).variance
        assert isclose(expected, float(game.returns(selection, wager).variance), rel_tol=1e-9), name


def test_the_variance_of_two_matches_is_that_of_every_deal() -> None:
    """Match-the-Dealer with six decks, one card at a time: 11 to 1 for a card of the same suit, 4 to 1 for another."""
    decks = 6
    left = {"same": decks - 1, "other": 3 * decks, "none": 48 * decks}
    pays = {"same": 11, "other": 4, "none": 0}
    cards, first, second = 52 * decks - 1, Fraction(0), Fraction(0)
    for one, ways in left.items():
        for other, rest in left.items():
            share = Fraction(ways * (rest - (one == other)), cards * (cards - 1))
            back = pays[one] + pays[other] + (one != "none" or other != "none")
            first, second = first + share * back, second + share * back**2
    submission = parse_submission({"decks": decks, "wagers": {"match_the_dealer": {}}})
    found = returns("pa-633a-2024", "match_the_dealer", submission)
    assert (first, second - first**2) == (found.mean, found.variance)


def test_the_hits_of_holdem_are_those_of_every_deal() -> None:
    """Two suited aces and kings come in 4 of 1,326 hands; aces of both sides in 6 of them, by 1 of 1,225."""
    offer = parse_submission(
        {"options": {"ante_pays_on": "straight"}, "wagers": {"texas_holdem_bonus": {"paytable": "A"}}}
    )
    found = returns("pa-647a", "texas_holdem_bonus", offer)
    deck = standard_deck()
    suited = sum({one[0], other[0]} == {"A", "K"} and one[1] == other[1] for one, other in combinations(deck, 2))
    assert Fraction(suited, 1326) == found.probability("ace_king_suited")
    assert Fraction(6, 1326 * 1225) == found.probability("ace_ace_dealer_and_player")
    assert Fraction(6 * 1224, 1326 * 1225) == found.probability("ace_ace")
    # 13 pairs of 6 hands each, and ace with king, queen or jack: 16 hands each
    assert Fraction(13 * 6 + 3 * 16, 1326) == found.hit_frequency
    assert payback("pa-647a", "texas_holdem_bonus", offer) == found.mean


def test_a_bonus_on_top_is_one_win_with_two_lines() -> None:
    """A Crown Treasure comes with a Royal Match: both categories are hit, and the cent returns both."""
    wager = {"royal_match_21": {"paytable": "C", "crown_treasure": True}}
    found = returns("pa-633a-2024", "royal_match_21", parse_submission({"decks": 2, "wagers": wager}))
    [both] = [hit for hit in found.hits if hit.won.bonus is not None]
    assert Won("royal_match", Fraction(31 + 1000), "crown_treasure") == both.won
    assert found.probability("crown_treasure") == both.probability
    assert found.probability("royal_match") > 100 * both.probability


def test_what_has_no_payback_has_no_returns() -> None:
    """The refusal is the same."""
    with pytest.raises(Refused, match="depends on how hands are played"):
        returns("pa-687a", "ante", parse_submission({}))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50)), min_size=1).filter(lambda rows: any(r[0] for r in rows))
)
def test_moments_are_those_of_the_hands_one_by_one(rows: list[tuple[int, int]]) -> None:
    """Mean, variance and hit frequency of any hands, against the list of them."""
    found = Returns.counted((ways, None if back == 0 else Won(f"pays_{back}", Fraction(back))) for ways, back in rows)
    backs = [back for ways, back in rows for _ in range(ways)]
    mean = Fraction(sum(backs), len(backs))
    assert mean == found.mean
    assert sum((back - mean) ** 2 for back in backs) / len(backs) == found.variance
    assert Fraction(sum(back > 0 for back in backs), len(backs)) == found.hit_frequency
