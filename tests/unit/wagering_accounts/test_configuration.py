"""The dated configuration: what holds when, and in which gaming day a moment lies."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from services.wagering_accounts.domain.configuration import Configurations

FILE = """
- {effective_from: 2026-01-01T00:00:00Z, gaming_day_begins: "06:00", time_zone: America/New_York}
- {effective_from: 2026-07-01T00:00:00Z, gaming_day_begins: "04:00", time_zone: America/New_York}
"""


@pytest.fixture
def configurations(tmp_path: Path) -> Configurations:
    """A file with a change in the middle of the year."""
    (tmp_path / "configuration.yaml").write_text(FILE)
    return Configurations.load(tmp_path / "configuration.yaml")


def test_each_item_holds_until_the_next(configurations: Configurations) -> None:
    """A change holds from its moment on, and does not reach back."""
    assert [6, 6, 4, 4] == [
        configurations.at(moment).gaming_day_begins.hour
        for moment in (
            datetime(2026, 1, 1, tzinfo=UTC),
            datetime(2026, 6, 30, 23, 59, tzinfo=UTC),
            datetime(2026, 7, 1, tzinfo=UTC),
            datetime(2030, 1, 1, tzinfo=UTC),
        )
    ]


def test_the_pack_says_how_accounts_are_guarded(configurations: Configurations) -> None:
    """Three wrong codes, half an hour, a day: the figures of the gaming day in which the moment lies."""
    found = configurations.at(datetime(2026, 1, 1, tzinfo=UTC))
    assert (3, 30, 24) == (found.failed_codes_max, found.lock_minutes, found.loosening_hours)


def test_nothing_holds_before_the_first_item(configurations: Configurations) -> None:
    """It is said which moment has no configuration."""
    with pytest.raises(LookupError, match=r"2025-12-31.*add an item that begins earlier"):
        configurations.at(datetime(2025, 12, 31, tzinfo=UTC))


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 3, 2, 10, 59, tzinfo=UTC), date(2026, 3, 1)),  # 05:59 in winter
        (datetime(2026, 3, 2, 11, 0, tzinfo=UTC), date(2026, 3, 2)),
        (datetime(2026, 6, 2, 9, 59, tzinfo=UTC), date(2026, 6, 1)),  # 05:59 in summer
        (datetime(2026, 6, 2, 10, 0, tzinfo=UTC), date(2026, 6, 2)),
        (datetime(2026, 7, 2, 8, 0, tzinfo=UTC), date(2026, 7, 2)),  # 04:00 under the later item
    ],
)
def test_the_gaming_day_begins_on_the_clock_of_the_place(
    configurations: Configurations, moment: datetime, day: date
) -> None:
    """Summer and winter, and as the configuration of that moment says."""
    assert day == configurations.at(moment).gaming_day(moment)


@pytest.mark.parametrize("wrong", ["lock_minutes: 30", "gaming_day_begins: noon", "time_zone: 5"])
def test_what_is_not_allowed_is_refused(tmp_path: Path, wrong: str) -> None:
    """Nothing is misspelt, and what law fixes has no place here."""
    name, _, value = wrong.partition(": ")
    item = {
        "effective_from": "2026-01-01T00:00:00Z",
        "gaming_day_begins": "'06:00'",
        "time_zone": "America/New_York",
    } | {name: value}
    path = tmp_path / "configuration.yaml"
    path.write_text(f"- {{{', '.join(f'{key}: {value}' for key, value in item.items())}}}")
    with pytest.raises(ValueError, match=name):
        Configurations.load(path)
