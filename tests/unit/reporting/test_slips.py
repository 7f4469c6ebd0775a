"""Slips from the facts of their steps, in whatever order those come."""

from collections.abc import Sequence
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.reading import Listed
from services.reporting.read_model.slips import Slip, slips_from
from shared.contracts.facts import KINDS
from tests.support.pit import chips
from tests.support.pit_ledger import DAY, Event, Ledger, Said, at

_DAY = date.fromisoformat(DAY)


def _listed(event: Event) -> Listed:
    """The entry as the books have it."""
    fact = KINDS[event["type"]].model.model_validate(event["data"])
    entry = EntryRef("table-inventory", 1, event["sequence"])
    return Listed(entry, event["type"], fact, _DAY, at(12), at(12))


def _steps() -> list[Listed]:
    """A credit that was carried and came back, a fill that arrived short, and a request."""
    ledger, people = Ledger(), Said(observed_by="floor.fay")
    carried = {"surrendered_by": "dealer.dan", "carried_by": "sec.gus"} | people
    void = {"void_reason": "wrong table", "voided_by": "cage.bob", "voided_at": at(12).isoformat()}
    return [
        _listed(event)
        for event in (
            ledger.requested(1, "credit", "BJ-01", at(9), chips(c500=10)),
            ledger.prepared(7, 1, "credit", "BJ-01", at(10), chips(c500=10)),
            ledger.pit("BJ-01", "credit.carried", at(11), moved=-5000, number=7, **carried),
            ledger.desk("slip.voided", at(12), table="BJ-01", slip="credit", number=7, returned=chips(c500=10), **void),
            ledger.prepared(7, 2, "fill", "BJ-01", at(10), chips(c500=10)),
            ledger.pit(
                "BJ-01", "fill.received", at(11), number=7, contents=chips(c500=9), received_by="dealer.dan", **people
            ),
            ledger.requested(3, "fill", "BJ-01", at(12), chips(c500=4)),
        )
    ]


def _said(slips: Sequence[Slip]) -> set[tuple[object, ...]]:
    return {
        (slip.slip, slip.number, slip.status, slip.value.value, slip.moved(_DAY, _DAY).value, len(slip.steps))
        for slip in slips
    }


@given(st.permutations(_steps()))
def test_a_slip_is_the_same_in_whatever_order_its_steps_come(steps: list[Listed]) -> None:
    """Fills count as they arrive, credits as they leave less what comes back; a request alone moves nothing."""
    assert {
        ("credit", 7, "void", 5000, 0, 4),
        ("fill", 7, "received", 5000, 4500, 2),
        ("fill", None, "requested", 2000, 0, 1),
    } == _said(slips_from(steps))


def test_of_a_step_alone_it_is_not_known_what_is_on_the_slip() -> None:
    """It says so, so that the preparation is looked for on earlier days."""
    [slip] = slips_from([one for one in _steps() if one.fact.KIND.name == "slip.voided"])
    assert (False, 7) == (slip.is_known, slip.number)
