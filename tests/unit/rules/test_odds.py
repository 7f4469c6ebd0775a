"""Payout odds."""

from fractions import Fraction

import pytest

from shared.rules.odds import Odds


@pytest.mark.parametrize(
    ("text", "stake", "payout", "stake_returned"),
    [
        ("3 to 2", 1000, 1500, True),
        ("3 to 2", 1, 1, True),
        ("2.5 to 1", 500, 1250, True),
        ("1000 for 1", 500, 500000, False),
        ("1 to 1", 2500, 2500, True),
    ],
)
def test_odds_pay_exactly_and_drop_a_share_of_a_cent(text: str, stake: int, payout: int, stake_returned: bool) -> None:
    """`to` returns the stake, `for` keeps it."""
    odds = Odds.parse(text)
    assert (payout, stake_returned) == (odds.pay(stake), odds.stake_returned)


@pytest.mark.parametrize("text", ["3:2", "to 1", "3 to 0", "3 to 2 ", "-1 to 1", "1,000 to 1"])
def test_other_spellings_are_refused(text: str) -> None:
    """What is not odds is refused with the text."""
    with pytest.raises(ValueError, match="odds are written like"):
        Odds.parse(text)


@pytest.mark.parametrize("text", ["3 to 2", "2.5 to 1", "1,000 for 1", "11 to 1"])
def test_odds_are_shown_as_the_regulations_write_them(text: str) -> None:
    """The text of odds reads like the paytables."""
    assert text == str(Odds.parse(text.replace(",", "")))


def test_two_payouts_on_one_stake_add_up() -> None:
    """11 to 1 and 4 to 1 together are 15 to 1."""
    assert Odds(Fraction(15), stake_returned=True) == Odds.parse("11 to 1").plus(Odds.parse("4 to 1"))
