"""Claims to relief under a tax treaty: which hold on the day of payment, and why others do not."""

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from shared.contracts.treaties import TreatyClaim, treaty_refusal

CLAIM = TreatyClaim(country="DE", article="21(1)", signed_on=date(2026, 11, 1), valid_until=date(2029, 12, 31))
HOLDS: dict[str, Any] = {"paid_on": date(2026, 11, 20), "residence": "DE", "has_number": True}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, None),
        ({"paid_on": date(2026, 11, 1)}, None),
        ({"paid_on": date(2029, 12, 31)}, None),
        ({"paid_on": date(2026, 10, 31)}, "the claim holds from 2026-11-01 to 2029-12-31"),
        ({"paid_on": date(2030, 1, 1)}, "and the win was paid on 2030-01-01"),
        ({"residence": "FR"}, "the winner is a resident of FR, not of DE"),
        ({"residence": None}, "a resident of no known country"),
        ({"has_number": False}, "without a taxpayer number"),
    ],
)
def test_a_claim_holds_for_residents_with_a_number_for_a_time(changes: dict[str, Any], why: str | None) -> None:
    """Its first and its last day belong to it."""
    wrong = treaty_refusal(CLAIM, {"DE": "0"}, **HOLDS | changes)
    assert wrong is None if why is None else why in str(wrong)


def test_a_treaty_that_gives_no_relief_is_none() -> None:
    """On the day of payment."""
    wrong = treaty_refusal(CLAIM, {"FR": "0"}, **HOLDS)
    assert "no treaty with DE gives relief on winnings of 2026-11-20" == wrong


def test_a_claim_does_not_end_before_it_was_signed() -> None:
    """Nor on another day than one."""
    with pytest.raises(ValidationError, match="'valid_until' 2026-10-31 is before 'signed_on' 2026-11-01"):
        TreatyClaim(**dict(CLAIM) | {"valid_until": date(2026, 10, 31)})
