"""Pai Gow Poker with the house way on both sides: published shares, Rhode Island's two readings, and the bank."""

from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

from shared.rules import Refused, parse_submission, play
from shared.rules.paybacks import paybacks
from shared.rules.set_hands.house_way import named_ways
from shared.rules.set_hands.sampled import Moments

MAIN = "pai_gow_poker"


def variants(regulation: str, **options: Any) -> Any:
    """Return the main wager of a submission with these options."""
    found = paybacks(regulation, parse_submission({"options": options}))
    return next(one for one in found if one.offer.name == MAIN)


def test_hands_end_about_as_analysts_publish() -> None:
    """28.6% win and 29.9% lose under other house ways; copies are 1.3% and cost more than half of the edge."""
    found = play("pa-645a-2011", MAIN, parse_submission({}))
    lost = found.probability("lose") + found.probability("lose_by_a_copy")
    assert abs(float(found.probability("win")) - 0.2861) < 0.005
    assert abs(float(lost) - 0.2991) < 0.005
    assert found.probability("win") == found.probability("lose")
    assert found.house_edge == found.probability("win") / 20 + found.probability("lose_by_a_copy")


def test_rhode_islands_printed_odds_and_the_usual_ones_are_both_counted() -> None:
    """2 to 1 gives players about a quarter of what they wager; whichever is selected, the other one is a variant."""
    printed, usual = variants("ri-pai-gow"), variants("ri-pai-gow", main_payout="1 to 1")
    assert printed.play == usual.variants["paid 2 to 1"]
    assert usual.play == printed.variants["paid 1 to 1"]
    assert usual.play.house_edge - printed.play.house_edge == Fraction(19, 20) * usual.play.probability("win")
    assert "-24.6%" == f"{float(printed.play.house_edge):.1%}"


def test_a_bank_wins_copies_and_pays_vigorish_on_what_it_is_ahead_by() -> None:
    """Against one hand it is the mirror of a player without vigorish, less a twentieth of its wins."""
    main = variants("pa-645a-2011", banking=True)
    bank = main.variants["as the bank of 1"]
    copies, ahead = main.play.probability("lose_by_a_copy"), bank.probability("ahead_by_1")
    error = sqrt(bank.standard_error**2 + main.play.standard_error**2)
    assert abs(float(bank.house_edge - (ahead / 20 - copies))) < 5 * error
    assert [Fraction(others) for others in range(1, 7)] == [play_.staked for play_ in main.variants.values()]
    assert not variants("pa-645a-2011").variants


def test_a_house_way_of_ones_own_was_not_sampled() -> None:
    """The refusal says so; the documented way by its name, or none, is the one that was."""
    own = parse_submission({"options": {"house_way": named_ways()["standard"]}})
    with pytest.raises(Refused, match="a house way of its own"):
        play("pa-645a-2011", MAIN, own)
    by_name = parse_submission({"options": {"house_way": "standard"}})
    assert play("pa-645a-2011", MAIN, by_name) == play("pa-645a-2011", MAIN, parse_submission({}))


def test_the_standard_error_is_that_of_the_deals_means() -> None:
    """Of four deals, computed in the obvious way."""
    deals = [(3, 1), (0, 2), (1, 1), (4, 0)]
    moments = Moments(0, 0, 0, 0, 0, 0)
    for one, other in deals:
        moments = moments.plus(one, other)
    weight = Fraction(19, 20)
    values = [float(weight * one - other) for one, other in deals]
    mean = sum(values) / 4
    assert sqrt(sum((value - mean) ** 2 for value in values) / 4 / 4) == pytest.approx(moments.error(weight))
