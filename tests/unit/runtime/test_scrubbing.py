"""How fast a service verifies its old entries again: all of them within the time that is set, and no faster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.runtime.service.guard import SCRUBBED_A_SECOND, entries_due
from shared.runtime.settings import Settings

_DAY = Settings().scrub_seconds


@given(
    entries=st.integers(1, 10**9),
    pauses=st.lists(st.floats(1, 120), min_size=10, max_size=10),
    scrub_seconds=st.floats(600, 10 * _DAY),
)
def test_a_pass_is_over_in_its_time(entries: int, pauses: list[float], scrub_seconds: float) -> None:
    """Whatever the pauses between watches are, what is due adds up to the whole journal by then."""
    seconds, verified, at = 0.0, 0, 0
    while seconds < min(scrub_seconds, 10_000):
        verified += entries_due(entries, pauses[at % 10], scrub_seconds)
        seconds, at = seconds + pauses[at % 10], at + 1
    assert verified >= entries * min(1.0, seconds / scrub_seconds) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("entries", "a_minute"),
    [(0, 6_000), (1_000, 6_000), (8_640_000, 6_000), (86_400_000, 60_000)],
)
def test_a_small_journal_is_verified_again_sooner(entries: int, a_minute: int) -> None:
    """A hundred entries a second at least; more only where a day needs it."""
    assert a_minute == entries_due(entries, 60, _DAY) >= 60 * SCRUBBED_A_SECOND
