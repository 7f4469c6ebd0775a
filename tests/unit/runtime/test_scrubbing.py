"""How fast a service verifies its old entries again: all of them within the time that is set, and no faster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.runtime.audit.journal_verifier import SCRUBBED_A_SECOND, SCRUBBED_A_SECOND_MAX, entries_due, pass_seconds
from shared.runtime.settings import Settings

_DAY = Settings().scrub_seconds


@given(
    entries=st.integers(1, 10**9),
    pauses=st.lists(st.floats(1, 120), min_size=10, max_size=10),
    scrub_seconds=st.floats(600, 10 * _DAY),
)
def test_a_pass_is_over_in_its_time(entries: int, pauses: list[float], scrub_seconds: float) -> None:
    """Whatever the pauses between watches are, what is due adds up to the whole journal by then."""
    scrub_seconds, asked = pass_seconds(entries, scrub_seconds), scrub_seconds
    seconds, verified, at = 0.0, 0, 0
    while seconds < min(scrub_seconds, 10_000):
        verified += entries_due(entries, pauses[at % 10], asked)
        seconds, at = seconds + pauses[at % 10], at + 1
    assert verified >= entries * min(1.0, seconds / scrub_seconds) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("entries", "a_minute"),
    [(0, 6_000), (1_000, 6_000), (8_640_000, 6_000), (17_280_000, 12_000), (86_400_000, 24_000), (10**10, 24_000)],
)
def test_a_small_journal_is_verified_again_sooner(entries: int, a_minute: int) -> None:
    """A hundred entries a second at least, more only where a day needs it, and no more of a journal of any length."""
    assert a_minute == entries_due(entries, 60, _DAY)
    assert 60 * SCRUBBED_A_SECOND <= a_minute <= 60 * SCRUBBED_A_SECOND_MAX
