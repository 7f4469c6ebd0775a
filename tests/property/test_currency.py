"""What is true of currency reports of any movements: every cent is in one total, and order changes nothing."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from services.reporting.domain.federal.currency import CashMovement, currency_totals, department_logs
from services.reporting.reports.currency.structuring import patterns
from shared.jurisdictions import pack

LAW: Final = pack("us-federal")
DAY: Final = date(2026, 11, 20)
NOON: Final = datetime(2026, 11, 20, 17, tzinfo=UTC)
PLACES: Final = {"cage-1": "cage", "BJ-01": "table", "BJ-02": "table", "GA-1": "account"}


@st.composite
def movements(draw: st.DrawFn) -> list[CashMovement]:
    """Movements of a few persons on a few gaming days, each with a reference of its own."""
    found = []
    for number in range(draw(st.integers(0, 25))):
        day, place = draw(st.integers(0, 4)), draw(st.sampled_from(sorted(PLACES)))
        found.append(
            CashMovement(
                patron=draw(st.sampled_from((None, "p-1", "p-2"))),
                property=draw(st.sampled_from(("riverside", "lakeside"))),
                gaming_day=DAY + timedelta(days=day),
                moment=NOON + timedelta(days=day, minutes=draw(st.integers(0, 9))),
                direction=draw(st.sampled_from(("in", "out"))),
                cents=draw(st.integers(1, 12_000_00)),
                kind="chips",
                department=PLACES[place],  # type: ignore[arg-type]
                place=place,
                reference=f"r-{number}",
            )
        )
    return found


@given(given_=movements(), data=st.data())
def test_every_cent_is_in_one_total(given_: list[CashMovement], data: st.DataObject) -> None:
    """Of its person, gaming day and direction; what comes in another order is added up the same."""
    found = currency_totals(LAW, "ctr", given_)
    assert sorted(one.reference for one in given_) == sorted(
        entry.movement.reference for total in found for entry in total.entries
    )
    known: Counter[tuple[str, str, date, str]] = Counter()
    for one in given_:
        if one.patron is not None:
            known[one.property, one.patron, one.gaming_day, one.direction] += one.cents
    assert known == {
        (one.first.property, one.first.patron, one.held.gaming_day, one.first.direction): one.cents
        for one in found
        if one.first.patron is not None
    }
    for total in found:
        last = total.entries[-1]
        assert total.cents == (last.in_cents if total.first.direction == "in" else last.out_cents)
        assert (total.standing == "reached") == (total.cents > 10_000_00) == (total.file_by is not None)
    shuffled = data.draw(st.permutations(given_))
    assert found == currency_totals(LAW, "ctr", shuffled)
    assert patterns(LAW, given_) == patterns(LAW, shuffled)


@given(given_=movements())
def test_logs_hold_what_was_reached_and_nothing_else(given_: list[CashMovement]) -> None:
    """Each movement once, in the log of its department."""
    totals = currency_totals(LAW, "mtl", given_)
    reached = [entry for total in totals if total.standing == "reached" for entry in total.entries]
    logs = department_logs(totals)
    assert sorted(entry.movement.reference for entry in reached) == sorted(
        entry.movement.reference for entries in logs.values() for entry in entries
    )
    assert all(entry.movement.department == name for name, entries in logs.items() for entry in entries)


@given(given_=movements())
def test_a_pattern_is_of_one_person_and_no_report(given_: list[CashMovement]) -> None:
    """No movement in it would have been reported alone."""
    for pattern in patterns(LAW, given_):
        assert {(pattern.property, pattern.patron, pattern.direction)} == {
            (one.property, one.patron, one.direction) for one in pattern.movements
        }
        assert max(one.cents for one in pattern.movements) <= 10_000_00
        assert pattern.cents == sum(one.cents for one in pattern.movements)
