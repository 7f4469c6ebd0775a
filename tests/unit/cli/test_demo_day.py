"""Which gaming day the demo plays."""

import json
from datetime import UTC, date, datetime, timedelta
from itertools import count

import pytest

from loadtest.floor import TIME_ZONE
from loadtest.games import pit
from loadtest.messages import day as messages_of_day
from loadtest.pit import PitBook
from services.cli.demo import ROUNDS
from services.cli.demo_day import gaming_day_of

PLANS = pit(12)


@pytest.mark.parametrize(
    ("now", "rounds", "expected"),
    [
        pytest.param("2026-11-22T16:00", ROUNDS, "2026-11-22", id="the day that runs"),
        pytest.param("2026-11-23T02:00", ROUNDS, "2026-11-22", id="after midnight it runs on"),
        pytest.param("2026-11-22T08:00", ROUNDS, "2026-11-21", id="its rounds are not over yet"),
        pytest.param("2026-11-22T10:30", 144, "2026-11-21", id="a table is open until its cards are changed"),
        pytest.param("2026-11-22T11:00", 144, "2026-11-22", id="a short day is over"),
        pytest.param("2026-11-23T05:45", ROUNDS, "2026-11-21", id="it is about to end"),
    ],
)
def test_deposits_are_of_the_day_that_is_played_where_that_can_be(now: str, rounds: int, expected: str) -> None:
    """What cashiers do is of the day on which they do it; no round lies in the future."""
    moment = datetime.fromisoformat(now).replace(tzinfo=TIME_ZONE)
    assert date.fromisoformat(expected) == gaming_day_of(moment, PLANS, rounds)


def test_all_that_the_pit_reports_of_a_short_day_has_happened() -> None:
    """From the first minute on in which the day is played: services refuse what lies ahead of them."""
    day = date(2026, 11, 22)
    opened = datetime.combine(day, datetime.min.time(), TIME_ZONE)
    begins = next(
        moment
        for moment in (opened + timedelta(minutes=minutes) for minutes in count())
        if gaming_day_of(moment, PLANS, 144) == day
    )
    book = PitBook("riverside", PLANS, day)
    for message in messages_of_day(
        property_name="riverside", plans=PLANS, gaming_day=day, seed=56, rounds=144, plants=True, linked=True
    ):
        book.look(message)
    reported = book.day()
    reports = reported.reports(dict.fromkeys(reported.slips, 1))
    moments = [datetime.fromisoformat(json.loads(report.value)["time"]) for report in reports]
    assert max(moments) < begins.astimezone(UTC)
