"""Which gaming day the demo plays."""

from datetime import date, datetime

import pytest

from loadtest.floor.floor_day import TIME_ZONE
from services.cli.demo.gaming_day import gaming_day_of


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param("2026-11-22T16:00", "2026-11-21", id="the day before the one that runs"),
        pytest.param("2026-11-23T02:00", "2026-11-21", id="after midnight that one runs on"),
        pytest.param("2026-11-22T06:00", "2026-11-21", id="as soon as it is over"),
    ],
)
def test_the_day_that_is_played_is_over(now: str, expected: str) -> None:
    """It is closed at the end of the demo; all of it has happened."""
    moment = datetime.fromisoformat(now).replace(tzinfo=TIME_ZONE)
    assert date.fromisoformat(expected) == gaming_day_of(moment)
