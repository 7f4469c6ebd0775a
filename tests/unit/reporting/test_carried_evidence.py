"""Tests that are carried on: days add up, a restated day takes the place of itself, and alarms stand."""

from datetime import UTC, date, datetime, timedelta
from math import isclose, log

from hypothesis import given
from hypothesis import strategies as st

from services.reporting.domain.carried_evidence import (
    NOTHING,
    THRESHOLD,
    Alarm,
    Subject,
    alarms_as_text,
    alarms_of_text,
    evidence_as_text,
    evidence_of_text,
    statistic_of,
    summary_of,
)
from services.reporting.domain.evidence import Evidence

DAY = date(2026, 11, 20)
SEAL = datetime(2026, 11, 21, 12, tzinfo=UTC)
DEALER = Subject("counts", dealer="d-1")
ROW = Subject("row", game="blackjack", wager="royal_match_21", row="royal_match")

wealths = st.tuples(*[st.floats(-3, 3).map(lambda value: round(value, 6))] * 3)
evidence = st.builds(Evidence, st.integers(1, 50), wealths)
days = st.lists(st.dictionaries(st.sampled_from([DEALER, ROW]), evidence), min_size=1, max_size=5)


@given(days, st.data())
def test_a_restated_day_leaves_what_the_days_come_to(added: list[dict[Subject, Evidence]], data: st.DataObject) -> None:
    """Whichever day is tested again, and whatever it adds then: the same as if it had always been so."""
    number = data.draw(st.integers(0, len(added) - 1))
    again = data.draw(st.dictionaries(st.sampled_from([DEALER, ROW]), evidence))
    restated, directly = NOTHING, NOTHING
    for place, one in enumerate(added):
        restated = restated.after(DAY + timedelta(days=place), SEAL, one)
        directly = directly.after(DAY + timedelta(days=place), SEAL, again if place == number else one)
    restated = restated.after(DAY + timedelta(days=number), SEAL, again, added[number])
    for tested, known in directly.evidence.items():
        assert known.n == restated.evidence[tested].n
        assert isclose(statistic_of(known), statistic_of(restated.evidence[tested]), abs_tol=1e-9)


@given(st.dictionaries(st.sampled_from([DEALER, ROW]), evidence))
def test_evidence_survives_the_database(found: dict[Subject, Evidence]) -> None:
    """What is read back is what was written, to a millionth of each logarithm."""
    assert found == evidence_of_text(evidence_as_text(found))


def test_an_alarm_is_raised_once_and_stands() -> None:
    """On the day on which the wealth has become a thousand; that it falls later changes nothing."""
    half = Evidence(10, (log(1000) / 2,) * 3)
    first = NOTHING.after(DAY, SEAL, {DEALER: half, ROW: Evidence(5, (-1.0,) * 3)})
    assert () == first.alarms
    more = Evidence(7, (log(1000) / 2 + 0.001,) * 3)
    second = first.after(DAY + timedelta(days=1), SEAL + timedelta(days=1), {DEALER: more})
    [alarm] = second.alarms
    assert (DEALER, DAY + timedelta(days=1), 17) == (alarm.tested, alarm.since, alarm.n)
    assert SEAL + timedelta(days=1) == alarm.raised_at
    assert THRESHOLD == 3.0 <= alarm.statistic < 3.001
    assert "short" in alarm.says
    third = second.after(DAY + timedelta(days=2), SEAL + timedelta(days=2), {DEALER: Evidence(1, (-9.0,) * 3)})
    assert (alarm,) == third.alarms == alarms_of_text(alarms_as_text(third.alarms))


def test_a_summary_counts_tests_and_observations() -> None:
    """By kind: how many there are, of how many observations."""
    found = {DEALER: Evidence(3), Subject("counts", dealer="d-2"): Evidence(4), ROW: Evidence(9)}
    assert {"counts": (2, 7), "row": (1, 9)} == summary_of(found)
    assert Alarm(ROW, DAY, SEAL, 9, 3.5).says != Alarm(DEALER, DAY, SEAL, 9, 3.5).says
