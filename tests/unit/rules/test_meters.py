"""Progressive meters during a settlement."""

from fractions import Fraction

from shared.rules import Contribution
from shared.rules.meters import MeterBoard


def test_contributions_are_added_and_a_share_of_a_cent_is_dropped() -> None:
    """21% of 99 cents are 20 cents."""
    board = MeterBoard({"m": 1000})
    board.contribute(3, "wager", "m", 99, Fraction("0.21"))
    assert (Contribution(seat=3, wager="wager", meter="m", cents=20),) == board.contributions
    assert {"m": 1020} == board.shows
    assert {"m": 1000} == board.before


def test_a_part_of_the_meter_comes_off_it() -> None:
    """10% of 1234567 are 123456 cents; the share of a cent stays."""
    board = MeterBoard({"m": 1234567})
    assert board.award_part("m", Fraction("0.1")) == 123456
    assert {"m": 1111111} == board.shows
    assert {} == board.resets


def test_a_part_of_the_meter_is_divided_equally() -> None:
    """10% of 2000110 are 200011 cents, 100005 for each of two; what cannot be divided stays."""
    board = MeterBoard({"m": 2000110})
    assert board.award_part("m", Fraction("0.1"), winners=2) == 100005
    assert {"m": 1800100} == board.shows


def test_all_of_the_meter_is_shared_and_it_is_restored() -> None:
    """Dropped cents stay on the meter and lessen what the house adds."""
    board = MeterBoard({"m": 1001})
    assert [333, 667] == board.award_all("m", [1, 2], reset=500)
    assert {"m": 500} == board.shows
    assert {"m": 499} == board.resets


def test_a_meter_can_be_won_twice_in_a_round() -> None:
    """The second award takes the restored amount; both restorations count."""
    board = MeterBoard({"m": 1000})
    board.award_all("m", [1], reset=500)
    assert [500] == board.award_all("m", [1], reset=500)
    assert {"m": 1000} == board.resets
