"""Win, hold and theoretical win: exact for any amounts."""

from fractions import Fraction

import pytest

from services.reporting.figures import hold_percent, theoretical_win, whole_cents, win_cents


def test_win_is_what_was_wagered_taken_and_won_in_banks_less_what_was_paid() -> None:
    """Win is before meters; vigorish and what the house won in a bank are part of it."""
    assert -9475 == win_cents(handle=10000, payout=19500, vigorish=25, house_in_bank=0)
    assert 5750 == win_cents(handle=0, payout=0, vigorish=750, house_in_bank=5000)


@pytest.mark.parametrize(
    ("win", "handle", "expected"),
    [
        (4_000_00, 9_000_00, "44.4444"),
        (1, 2_000_000, "0.0001"),
        (1, 2_000_001, "0.0000"),
        (-1, 3, "-33.3333"),
        (-1, 10**9, "0.0000"),
        (0, 5, "0.0000"),
        (5, -10, "-50.0000"),
        (10**18 + 1, 10**18 + 1, "100.0000"),
        (Fraction(1, 3), 1, "33.3333"),
        (Fraction(-1, 2_000_000), 1, "-0.0001"),
        (5, 0, None),
    ],
)
def test_hold_is_win_by_handle(win: int | Fraction, handle: int, expected: str | None) -> None:
    """Four decimals, half a step away from zero, exact for any amounts; none where nothing was wagered."""
    assert expected == hold_percent(win, handle)


@pytest.mark.parametrize(
    ("handle", "parts", "expected"),
    [
        (0, [], Fraction(0)),
        (300, [(300, Fraction(1, 7))], Fraction(300, 7)),
        (300, [(100, Fraction(1, 7)), (200, Fraction(1, 3))], Fraction(100, 7) + Fraction(200, 3)),
        (300, [(300, None)], None),
        (300, [(300, Fraction(1, 7)), (0, None)], Fraction(300, 7)),
        (300, [(200, Fraction(1, 7))], None),
        (0, [(300, Fraction(1, 7)), (-300, Fraction(1, 3))], 300 * (Fraction(1, 7) - Fraction(1, 3))),
    ],
)
def test_theoretical_win_is_handle_by_house_edge(
    handle: int, parts: list[tuple[int, Fraction | None]], expected: Fraction | None
) -> None:
    """The sum over the parts of the handle; none where a part has no house edge, or is not known."""
    assert expected == theoretical_win(handle, parts)


@pytest.mark.parametrize(
    ("exact", "cents"),
    [("1/2", 0), ("3/2", 2), ("5/2", 2), ("-1/2", 0), ("-3/2", -2), ("501/1000", 1), ("-2501/1000", -3), ("7", 7)],
)
def test_half_a_cent_goes_to_the_even_one(exact: str, cents: int) -> None:
    """Rounding favors neither side."""
    assert cents == whole_cents(Fraction(exact))
