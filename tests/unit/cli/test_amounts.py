"""Amounts on the command line: dollars in plain decimal digits."""

import pytest

from services.cli.amounts import cents_of
from services.cli.exits import UsageWrong


@pytest.mark.parametrize(
    "text", ["010", "00", "-01", "1_000", "1e3", "+5", ".5", "5.", "5.001", "NaN", "\u0663", "1,000"]
)
def test_an_amount_that_can_be_read_in_two_ways_is_refused(text: str) -> None:
    """Leading zeros, underscores and exponents among them; the message says what to type."""
    with pytest.raises(UsageWrong, match=r"give dollars, such as 25 or 12\.50"):
        cents_of("--amount", text, least_cents=0)


def test_dollars_are_read_as_cents() -> None:
    """With one or two digits after the point, or none."""
    assert [0, 500, 550, 1_234_05] == [cents_of("--amount", one, least_cents=0) for one in ("0", "5", "5.5", "1234.05")]
