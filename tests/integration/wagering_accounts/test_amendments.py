"""A report amends what was accepted last when it is released and sent, and not only when it was prepared."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.integration.wagering_accounts.filing_steps import (
    FIRST,
    SAM,
    SECOND,
    answer,
    file,
    prepare,
    prepare_returns,
    step,
)
from tests.support.accounts import House, a_house
from tests.support.asgi import assert_problem
from tests.support.returns_filed import corrected, row

THIRD = "31000000000003"
MISNAMED = f"the report of patron p-1 for 2026-11-19 amends {FIRST}, and {SECOND} was accepted last, in filing 1"
WITHDRAW = "withdraw it, and prepare it again"


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service after a report was accepted, and an amendment of it was prepared."""
    del patron_keys
    with a_house(url) as house:
        prepare(house)
        file(house)
        assert 200 == answer(house, FIRST).status_code
        assert 201 == prepare(house, corrects=[FIRST]).status_code
        yield house
        house.check()


def replace(house: House, identifier: str | None, filing: int = 1) -> None:
    """Correct what was recorded of the identifier of a report."""
    assert 200 == answer(house, identifier, filing=filing, reason="typed wrong").status_code


def sent(house: House, at: timedelta | None = None) -> Any:
    """Record that the amendment was sent, now or so long after now."""
    said = {} if at is None else {"filed_at": (house.clock.now + at).isoformat()}
    return step(house, "filed", said | {"tracking_id": "260000000002"}, filing=2)


def test_an_amendment_of_a_replaced_identifier_is_not_released(house: House) -> None:
    """The refusal names both identifiers; withdrawn and prepared again, it is."""
    replace(house, SECOND)
    refused = step(house, "release", filing=2, person=SAM)
    assert_problem(refused, 409, f"{MISNAMED}: {WITHDRAW}")
    assert "urn:pitledger:problem:contradicts" == refused.json()["type"]
    assert 200 == step(house, "withdraw", {"reason": "the identifier"}, filing=2).status_code
    assert 201 == prepare(house, corrects=[SECOND]).status_code
    assert 200 == step(house, "release", filing=3, person=SAM).status_code


def test_an_amendment_of_a_replaced_identifier_is_not_sent(house: House) -> None:
    """Unless it went out before the identifier was replaced: that is recorded as it was."""
    assert 200 == step(house, "release", filing=2, person=SAM).status_code
    house.clock.now += timedelta(hours=1)
    replace(house, SECOND)
    assert_problem(sent(house), 409, f"{MISNAMED}: {WITHDRAW}")
    assert_problem(sent(house, timedelta()), 409, MISNAMED)
    assert 200 == sent(house, timedelta(minutes=-1)).status_code
    again = {"tracking_id": "260000000003", "reason": "that of another file"}
    assert 200 == step(house, "filed", again, filing=2).status_code


def test_a_second_report_of_a_day_is_not_released_once_the_first_was_accepted(house: House) -> None:
    """It was prepared while the first was recorded as rejected."""
    replace(house, None)
    assert 200 == step(house, "withdraw", {"reason": "rejected"}, filing=2).status_code
    assert 201 == prepare(house).status_code
    replace(house, THIRD)
    refused = step(house, "release", filing=3, person=SAM)
    assert_problem(refused, 409, f"amends nothing, and {THIRD} was accepted last, in filing 1: {WITHDRAW}")


def test_a_return_corrects_the_one_that_was_accepted_last(house: House) -> None:
    """Neither what is recorded as rejected since, nor a return anew of what is recorded as accepted since."""

    def answered(filing: int, accepted: bool, **more: Any) -> None:
        said = {"accepted": True, "reports": [{"report": 1, "accepted": accepted}]} | more
        assert 200 == step(house, "acknowledgement", said, filing=filing).status_code

    why = {"reason": "that of another return"}
    prepare_returns(house)
    file(house, 3)
    answered(3, accepted=False)
    assert 201 == prepare_returns(house).status_code
    answered(3, accepted=True, **why)
    anew = step(house, "release", filing=4, person=SAM)
    assert_problem(anew, 409, f"return 0000000001 is new, and one was accepted in filing 3: {WITHDRAW}")
    assert 200 == step(house, "withdraw", {"reason": "accepted"}, filing=4).status_code
    two = [*corrected(row(), None), row(winnings_cents=260_000)]
    assert 201 == prepare_returns(house, "p-1", "p-1", rows=two).status_code
    answered(3, accepted=False, **why)
    gone = step(house, "release", filing=5, person=SAM)
    assert_problem(gone, 409, f"corrects that of filing 3, which is not accepted any more: {WITHDRAW}")
    answered(3, accepted=True, **why)
    assert 200 == step(house, "release", filing=5, person=SAM).status_code
