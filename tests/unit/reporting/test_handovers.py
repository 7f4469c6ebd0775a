"""Where a table was in another shift than the clock: held to every moment of the time in which it was open."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from services.reporting.read_model.handovers import HandedOver, handed_over_arrays, periods_of_another_shift
from tests.support.properties import place

DAY = date(2026, 11, 20)
SHIFTS = [
    {"shift": name, "begins": begins} for name, begins in (("day", "06:00"), ("swing", "14:00"), ("late", "22:00"))
]
PLACE = place(shifts=SHIFTS, gaming_day_begins="06:00")
BEGINS = PLACE.begins_at(DAY)


@dataclass(frozen=True)
class Opened:
    """A table in a shift of a gaming day."""

    shift: str
    after: datetime
    until: datetime
    gaming_day: date = DAY


def minutes_after(begin: datetime, *minutes: int) -> list[datetime]:
    """Moments so many minutes after another, in order."""
    return [begin + timedelta(minutes=one) for one in sorted(minutes)]


@given(st.sampled_from(["day", "swing", "late"]), st.tuples(*[st.integers(0, 24 * 60)] * 2), st.integers(0, 24 * 60))
def test_a_moment_lies_in_a_period_when_the_clock_is_in_another_shift(
    shift: str, open_for: tuple[int, int], at: int
) -> None:
    """To the moment: a period begins after one and includes the other."""
    after, until = minutes_after(BEGINS, *open_for)
    moment = BEGINS + timedelta(minutes=at)
    lies = [one < moment <= other for one, other in periods_of_another_shift(PLACE, Opened(shift, after, until))]
    assert (after < moment <= until and PLACE.shift_at(moment) != shift) == any(lies)
    assert sum(lies) <= 1


@given(st.sampled_from([date(2026, 11, 1), date(2027, 3, 14)]), st.integers(0, 25 * 60), st.integers(0, 25 * 60))
def test_no_moment_is_left_out_when_the_clocks_change(changed: date, first: int, second: int) -> None:
    """Shifts that begin within the hour that comes twice, or never; a period may be longer than it must be."""
    hours = place(shifts=[{"shift": "day", "begins": "06:00"}, {"shift": "late", "begins": "01:30"}])
    day = changed - timedelta(days=1)
    after, until = minutes_after(hours.begins_at(day), first, second)
    for shift in ("day", "late"):
        periods = list(periods_of_another_shift(hours, Opened(shift, after, until, day)))
        minutes = range(1, int((until - after) / timedelta(minutes=1)) + 1)
        for moment in minutes_after(after, *minutes):
            other = hours.shift_at(moment) != shift
            assert not other or [one for one in periods if one[0] < moment <= one[1]], moment


def test_shifts_begin_in_the_order_of_the_gaming_day() -> None:
    """A shift that begins after midnight begins on the following date."""
    begun = place(shifts=[{"shift": "late", "begins": "02:00"}, {"shift": "day", "begins": "06:00"}]).shifts_begin_at(
        DAY
    )
    local = [moment.astimezone(PLACE.zone) for moment in begun]
    assert [(DAY, time(6)), (DAY + timedelta(days=1), time(2))] == [(one.date(), one.time()) for one in local]


def test_periods_are_given_to_a_statement_column_by_column() -> None:
    """None are empty columns."""
    assert {"handed_days": [], "handed_tables": [], "handed_after": [], "handed_until": [], "handed_shifts": []} == (
        handed_over_arrays(())
    )
    found = handed_over_arrays([HandedOver(DAY, "BJ-01", BEGINS, BEGINS, "day")])
    assert {"handed_days": [DAY], "handed_tables": ["BJ-01"], "handed_shifts": ["day"]}.items() <= found.items()
