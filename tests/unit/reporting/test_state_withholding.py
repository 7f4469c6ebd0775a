"""Income tax of a state that is withheld beside the federal one: whether, of what, and by which law."""

from datetime import date
from typing import Any

import pytest

from services.reporting.domain.federal.state_withholding import applied_to, state_tax_cents
from services.reporting.domain.federal.winnings import candidates
from shared.jurisdictions import PackWrong, gaming_pack, pack
from shared.jurisdictions.forms import StateWithholding
from tests.support.packs import changed, dated
from tests.unit.reporting.test_winnings import line

LAW = pack("us-federal")
RHODE_ISLAND = gaming_pack("us-ri")


def of_winnings() -> StateWithholding:
    """A state that takes its rate of the winnings."""
    law = changed(RHODE_ISLAND, {"state_withholding.base": [dated("winnings", "2019-07-05")]})
    assert law.state_withholding is not None
    return law.state_withholding


@pytest.mark.parametrize(
    ("rule", "stake", "paid_on", "expected"),
    [
        (RHODE_ISLAND.state_withholding, 20, date(2026, 11, 20), 143_76),  # 24% of $10,000.00, and 5.99% of that
        (of_winnings(), 20, date(2026, 11, 20), 599_00),
        (RHODE_ISLAND.state_withholding, 10, date(2026, 11, 20), 0),
        (RHODE_ISLAND.state_withholding, 20, date(2019, 7, 4), 0),
        (gaming_pack("us-pa").state_withholding, 20, date(2026, 11, 20), 0),
        (None, 20, date(2026, 11, 20), 0),
    ],
)
def test_what_a_state_demands(rule: StateWithholding | None, stake: int, paid_on: date, expected: int) -> None:
    """Where regular federal withholding is due, as the law of the day of payment has it."""
    found = candidates(LAW, [line(stake, 500, paid_on=paid_on)])
    assert expected == state_tax_cents(rule, found)


def test_no_state_takes_part_in_another_form() -> None:
    """What is withheld of a nonresident alien is none of Form W-2G's."""
    found = candidates(LAW, [line(20, 500, nonresident_alien=True)], of="nonresident_alien")
    assert ["form_1042_s"] == [one.form for one in found]
    assert (0, ()) == (state_tax_cents(RHODE_ISLAND.state_withholding, found), applied_to(of_winnings(), found[0]))


def test_the_law_that_was_applied_is_named() -> None:
    """Where nothing is withheld, that is."""
    [found] = candidates(LAW, [line(20, 500)])
    assert ["withheld", "base", "rate"] == [
        one.place.removeprefix("state_withholding.") for one in applied_to(RHODE_ISLAND.state_withholding, found)
    ]
    assert ["never"] == [one.value for one in applied_to(gaming_pack("us-pa").state_withholding, found)]


@pytest.mark.parametrize("part", ["base", "rate"])
def test_what_is_withheld_has_a_base_and_a_rate(part: str) -> None:
    """From the first day on."""
    later: dict[str, Any] = {"base": dated("winnings", "2020-01-01"), "rate": dated("0.05", "2020-01-01")}
    with pytest.raises((PackWrong, ValueError), match="what is withheld from 2019-07-05 on has a base and a rate"):
        changed(RHODE_ISLAND, {f"state_withholding.{part}": [later[part]]})
