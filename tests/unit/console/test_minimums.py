"""The page of table minimums: the amounts that somebody types."""

import pytest

from services.console.pages.minimums import _cents


@pytest.mark.parametrize("text", ["", "010", "25 015", "1e2", "1_000", "-5", "0", "12.345", "x"])
def test_amounts_that_can_be_read_in_two_ways_are_refused(text: str) -> None:
    """As in the forms of commands."""
    with pytest.raises(ValueError):
        _cents(text)


def test_several_amounts_are_separated_by_spaces_or_commas() -> None:
    """With a dollar sign or without."""
    assert ["2500", "5050", "10000"] == _cents("$25, 50.50 $100")
