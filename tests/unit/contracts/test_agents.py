"""Who moves currency for others: whoever does is known, acts for nobody twice, and not for himself."""

from typing import Any

import pytest
from pydantic import ValidationError

from shared.contracts.agents import wrong_agency
from shared.contracts.pit import SoldChips

SOLD = {
    "property": "riverside",
    "table": "BJ-01",
    "gaming_day": "2026-11-20",
    "shift": "day",
    "cents": 1_000_00,
    "dealer": "dealer.dan",
    "instrument": "currency",
}


@pytest.mark.parametrize(
    ("conductor", "others", "why"),
    [
        ("p-1", ("p-2", "p-3"), None),
        (None, None, None),
        (None, ("p-2",), "nobody says who conducts it"),
        ("p-1", ("p-2", "p-1"), "has p-1, who conducts it"),
        ("p-1", ("p-2", "p-3", "p-2"), "has p-2 twice"),
    ],
)
def test_who_acts_for_others(conductor: str | None, others: tuple[str, ...] | None, why: str | None) -> None:
    """What is wrong with it is said, or nothing is."""
    wrong = wrong_agency(conductor, others)
    assert wrong is None if why is None else why in str(wrong)


@pytest.mark.parametrize("said", [{"on_behalf_of": ["p-2"]}, {"patron": "p-1", "on_behalf_of": ["p-1"]}])
def test_a_sale_for_others_that_cannot_be_is_no_event(said: dict[str, Any]) -> None:
    """The pit says who is at the table, and others for whom it is."""
    assert SoldChips.model_validate(SOLD | {"patron": "p-1", "on_behalf_of": ["p-2"]}).on_behalf_of == ("p-2",)
    with pytest.raises(ValidationError, match="on_behalf_of"):
        SoldChips.model_validate(SOLD | said)
