"""Which gaming day the demo plays."""

from datetime import date, datetime

import pytest

from loadtest.floor import TIME_ZONE
from loadtest.games import pit
from services.cli.demo import ROUNDS, gaming_day_of

PLANS = pit(12)


@pytest.mark.parametrize(
    ("now", "rounds", "expected"),
    [
        pytest.param("2026-11-22T16:00", ROUNDS, "2026-11-22", id="the day that runs"),
        pytest.param("2026-11-23T02:00", ROUNDS, "2026-11-22", id="after midnight it runs on"),
        pytest.param("2026-11-22T08:00", ROUNDS, "2026-11-21", id="its rounds are not over yet"),
        pytest.param("2026-11-22T08:00", 144, "2026-11-22", id="a short day is"),
        pytest.param("2026-11-23T05:45", ROUNDS, "2026-11-21", id="it is about to end"),
    ],
)
def test_deposits_are_of_the_day_that_is_played_where_that_can_be(now: str, rounds: int, expected: str) -> None:
    """What cashiers do is of the day on which they do it; no round lies in the future."""
    moment = datetime.fromisoformat(now).replace(tzinfo=TIME_ZONE)
    assert date.fromisoformat(expected) == gaming_day_of(moment, PLANS, rounds)
