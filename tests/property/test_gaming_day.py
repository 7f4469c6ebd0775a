"""What is true of gaming days in every zone, whenever they begin: each moment lies in exactly one."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from shared.jurisdictions import begins_at, gaming_day
from tests.support.nightly import examples

ZONES: Final = st.sampled_from(sorted(available_timezones() - {"localtime"})).map(ZoneInfo)
MOMENTS: Final = st.integers(-2 * 10**9, 4 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
"""From 1906 to 2096."""
STARTS: Final = st.integers(0, 24 * 3600 - 1).map(lambda n: time(n // 3600, n // 60 % 60, n % 60))
NEW_YORK: Final = ZoneInfo("America/New_York")
ST_JOHNS: Final = ZoneInfo("America/St_Johns")  # put its clock back at 00:01, to the day before
APIA: Final = ZoneInfo("Pacific/Apia")  # left out December 30, 2011
DAY: Final = timedelta(days=1)
MANY: Final = settings(max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow])


def utc(*parts: int) -> datetime:
    """A moment in UTC."""
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


@MANY
@given(zone=ZONES, moment=MOMENTS, begins=STARTS)
@example(zone=NEW_YORK, moment=utc(2026, 3, 8, 6, 59, 59), begins=time(2, 30))
@example(zone=NEW_YORK, moment=utc(2026, 3, 8, 7), begins=time(2, 30))
@example(zone=NEW_YORK, moment=utc(2026, 11, 1, 5, 30), begins=time(1, 30))
@example(zone=NEW_YORK, moment=utc(2026, 11, 1, 6, 15), begins=time(1, 30))
@example(zone=ST_JOHNS, moment=utc(2005, 10, 30, 3), begins=time(0))
@example(zone=APIA, moment=utc(2011, 12, 30, 10), begins=time(0))
@example(zone=APIA, moment=utc(2011, 12, 30, 12), begins=time(6))
def test_each_moment_lies_in_exactly_one_day(zone: ZoneInfo, moment: datetime, begins: time) -> None:
    """Its day has begun, and the next has not."""
    day = gaming_day(moment, zone, begins)
    assert begins_at(day, zone, begins) <= moment < begins_at(day + DAY, zone, begins)


@MANY
@given(zone=ZONES, moments=st.tuples(MOMENTS, MOMENTS), begins=STARTS)
def test_a_later_moment_lies_in_no_earlier_day(
    zone: ZoneInfo, moments: tuple[datetime, datetime], begins: time
) -> None:
    """Whatever the clock does between them."""
    before, after = sorted(moments)
    assert gaming_day(before, zone, begins) <= gaming_day(after, zone, begins)


@MANY
@given(zone=ZONES, moment=MOMENTS, hours=st.integers(0, 72), begins=STARTS)
def test_days_follow_one_another(zone: ZoneInfo, moment: datetime, hours: int, begins: time) -> None:
    """Within hours too: no day is gone back to."""
    assert gaming_day(moment, zone, begins) <= gaming_day(moment + timedelta(hours=hours), zone, begins)


@MANY
@given(zone=ZONES, day=MOMENTS.map(datetime.date), begins=STARTS)
@example(zone=NEW_YORK, day=date(2026, 3, 8), begins=time(2, 30))
@example(zone=APIA, day=date(2011, 12, 30), begins=time(0))
def test_a_day_begins_as_soon_as_the_clock_shows_its_start(zone: ZoneInfo, day: date, begins: time) -> None:
    """The start or, where the clock skips it, a later time; a second before, an earlier one."""
    start, moment = datetime.combine(day, begins), begins_at(day, zone, begins)

    def shown(at: datetime) -> datetime:
        return at.astimezone(zone).replace(tzinfo=None, fold=0)

    assert shown(moment - timedelta(seconds=1)) < start <= shown(moment)


@pytest.mark.parametrize(
    ("day", "begins", "hours"),
    [
        (date(2026, 3, 7), time(6), 23),  # the clock is put forward in the night after it
        (date(2026, 3, 8), time(6), 24),
        (date(2026, 10, 31), time(6), 25),
        (date(2026, 3, 7), time(2, 30), 23.5),  # its end is skipped: the next begins at 03:00
        (date(2026, 3, 8), time(2, 30), 23.5),
        (date(2026, 10, 31), time(1, 30), 24),  # its end is repeated: the first time counts
        (date(2026, 11, 1), time(1, 30), 25),
    ],
)
def test_a_change_of_the_clock_makes_a_day_shorter_or_longer(day: date, begins: time, hours: float) -> None:
    """New York, 2026."""
    assert timedelta(hours=hours) == begins_at(day + DAY, NEW_YORK, begins) - begins_at(day, NEW_YORK, begins)


def test_a_moment_without_an_offset_is_refused() -> None:
    """Nobody guesses a zone."""
    with pytest.raises(TypeError, match="offset-naive"):
        gaming_day(datetime(2026, 1, 1), NEW_YORK, time(6))  # noqa: DTZ001
