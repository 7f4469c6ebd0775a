"""A play: what is staked and what comes back in all; every wager of a submission with its Envy Bonuses."""

from fractions import Fraction
from typing import Any

import pytest

from shared.rules import REGULATIONS, Refused, game_of, parse_submission, payback, play, returns
from shared.rules.paybacks import paybacks
from shared.rules.play import End, Play
from tests.support.nightly import sampled
from tests.unit.rules.test_paybacks import everything

LOST, WON, FOLDED = (
    End("lost", Fraction(3), Fraction(0)),
    End("won", Fraction(3), Fraction(6)),
    End("folded", Fraction(1), Fraction(0)),
)
THREE = Play.counted(["ante", "raise"], "as it is", [(1, LOST), (2, WON), (1, FOLDED)])


def test_a_play_is_for_each_cent_of_its_first_wager() -> None:
    """Half of the hands win three, a quarter loses three, a quarter folds one."""
    assert Fraction(5, 2) == THREE.staked
    assert Fraction(-1, 2) == THREE.house_edge
    assert Fraction(3, 2) == THREE.payback
    assert Fraction(-1, 5) == THREE.edge_of_all_staked
    assert Fraction(1, 2) == THREE.hit_frequency == THREE.probability("won")
    assert Fraction(9 * 3 + 1, 4) - Fraction(1, 4) == THREE.variance


def test_ends_that_are_alike_are_one_row() -> None:
    """Ways add up; an end that no hand comes to is left out."""
    found = Play.counted(["one"], "as it is", [(1, WON), (3, WON), (0, LOST), (4, FOLDED)])
    assert [(WON, Fraction(1, 2)), (FOLDED, Fraction(1, 2))] == list(found.ends)


@sampled(1)
@pytest.mark.parametrize("regulation", REGULATIONS)
def test_a_wager_that_the_cards_decide_comes_to_its_returns(regulation: str) -> None:
    """Payback, variance and hit frequency are those that reporting goes by."""
    submission = parse_submission(everything(regulation))
    for one in paybacks(regulation, submission):
        if one.play is not None and one.offer.name in game_of(regulation).counts:
            counted = returns(regulation, one.offer.name, submission)
            assert counted.mean == one.play.payback == payback(regulation, one.offer.name, submission)
            assert (counted.variance, counted.hit_frequency) == (one.play.variance, one.play.hit_frequency)


@sampled(1)
@pytest.mark.parametrize("regulation", REGULATIONS)
def test_every_wager_is_counted_or_has_a_reason(regulation: str) -> None:
    """None is left out but those that are counted with another; probabilities sum to 1, no play pays more than all."""
    found = list(paybacks(regulation, parse_submission(everything(regulation))))
    listed = {wager for one in found for wager in ([one.offer.name] if one.play is None else one.play.wagers)}
    offered = {one.offer.name for one in found} | {wager for one in found if one.play for wager in one.play.wagers}
    assert listed == offered
    for one in found:
        assert (one.play is None) == (one.reason is not None)
        if one.play is not None:
            assert sum(chance for _, chance in one.play.ends) == 1
            assert 0 < one.play.payback < 1 or regulation == "ri-pai-gow"


def test_what_nobody_counted_is_refused_as_before() -> None:
    """A house way of the submission's own was not sampled, and nobody says what it comes to."""
    with pytest.raises(Refused, match="house way"):
        play("pa-645a-2011", "pai_gow_poker", parse_submission({"options": {"house_way": "own"}}))


def test_envy_bonuses_are_added_by_the_other_hands() -> None:
    """Each other hand is as likely as the own one to be what earns the bonus; a Fortune Bonus of $5 earns it."""
    submission = parse_submission({"wagers": {"fortune_bonus": {"paytable": "A"}}})
    (fortune,) = (one for one in paybacks("pa-645a-2011", submission) if one.offer.name == "fortune_bonus")
    hands = {row.category: returns("pa-645a-2011", "fortune_bonus", submission) for row in fortune.offer.paytable.rows}
    dollars: Any = {row.category: Fraction(row.envy, 100) for row in fortune.offer.paytable.rows if row.envy}
    each = sum(hands[category].probability(category) * dollars[category] / 5 for category in dollars)
    assert {500: each} == fortune.envy
    assert fortune.with_envy(500, 5) == payback("pa-645a-2011", "fortune_bonus", submission) + 5 * each
    assert [1, 2, 3, 4, 5] == [entry["other_hands"] for entry in fortune.as_document()["with_envy_bonuses"]]
