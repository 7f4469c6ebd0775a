"""Progressive meters during a settlement."""

from fractions import Fraction

from shared.rules import Contribution, Line, Settlement
from shared.rules.meters import MeterBoard


def settled(board: MeterBoard, *from_meter: int) -> Settlement:
    """Return the settlement of wagers without a stake, paid these cents off the meter; it refuses lost money."""
    return board.settlement([Line(1, "w", "win", 0, cents, 0, "§ 1", from_meter=cents) for cents in from_meter])


def test_contributions_are_added_and_a_share_of_a_cent_is_dropped() -> None:
    """21% of 99 cents are 20 cents."""
    board = MeterBoard({"m": 1000})
    board.contribute(3, "wager", "m", 99, Fraction("0.21"))
    found = settled(board)
    assert (Contribution(seat=3, wager="wager", meter="m", cents=20),) == found.contributions
    assert ({"m": 1000}, {"m": 1020}) == (found.meters_before, found.meters)


def test_a_share_of_the_meter_comes_off_it_in_equal_parts() -> None:
    """10% of 2000110 are 200011 cents, 100005 for each of two; what cannot be divided stays."""
    board = MeterBoard({"m": 2000110})
    assert 100005 == board.award("m", Fraction("0.1"), 500, winners=2)
    assert ({"m": 1800100}, {}) == (settled(board, 100005, 100005).meters, settled(board, 200010).meter_resets)
    assert 0 == board.award("m", Fraction(0), 500)


def test_all_of_the_meter_is_shared_and_it_is_restored() -> None:
    """Dropped cents stay on the meter and lessen what the house adds."""
    board = MeterBoard({"m": 1001})
    assert [333, 667] == board.award_all("m", [1, 2], reset=500)
    found = settled(board, 333, 667)
    assert ({"m": 500}, {"m": 499}) == (found.meters, found.meter_resets)


def test_a_meter_can_be_won_twice_in_a_round() -> None:
    """The second award takes the restored amount; both restorations count."""
    board = MeterBoard({"m": 1000})
    assert [1000, 500] == [board.award("m", Fraction(1), 500) for _ in range(2)]
    assert {"m": 1000} == settled(board, 1000, 500).meter_resets


def test_an_amount_takes_what_the_meter_shows_at_most() -> None:
    """Below the reset amount the house restores the meter; without one it shows what is left."""
    board = MeterBoard({"m": 1000})
    assert [700, 300] == [board.award_amount("m", 700), board.award_amount("m", 700, reset=500)]
    found = settled(board, 700, 300)
    assert ({"m": 500}, {"m": 500}) == (found.meters, found.meter_resets)
