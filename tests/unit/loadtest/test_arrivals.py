"""When rounds arrive: open loop, at the rates of stages."""

from itertools import pairwise

import pytest

from loadtest.bench.profiles import PROFILES
from loadtest.traffic.arrivals import UNPACED, Stage, due, scaled


def test_arrivals_have_the_rate_of_their_stage() -> None:
    """A second stage begins where the first has ended; both are as long as rounds by rate."""
    moments = list(due([Stage(20_000, 100), Stage(10_000, 1000)], seed=1))
    assert 0.0 == moments[0]
    assert sorted(moments) == moments
    assert pytest.approx(200, rel=0.05) == moments[20_000]
    assert pytest.approx(210, rel=0.05) == moments[-1]


def test_arrivals_are_independent_of_each_other() -> None:
    """The times between them are exponential: as wide as they are long; the same seed repeats them."""
    moments = list(due([Stage(20_000, 50)], seed=1))
    gaps = [after - before for before, after in pairwise(moments)]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert pytest.approx(0.02, rel=0.05) == mean
    assert pytest.approx(mean, rel=0.05) == deviation
    assert moments == list(due([Stage(20_000, 50)], seed=1))
    assert moments != list(due([Stage(20_000, 50)], seed=2))


def test_unpaced_rounds_are_due_at_once() -> None:
    """They come as fast as the broker takes them."""
    assert [0.0] * 5 == list(due([Stage(5, UNPACED)], seed=1))


def test_a_scaled_profile_has_the_same_rates() -> None:
    """Only its rounds are fewer, and one at least is left of each stage."""
    stages = scaled(PROFILES["spike"].stages, 0.001)
    assert [1, 10, 2] == [stage.rounds for stage in stages]
    assert [stage.rate for stage in PROFILES["spike"].stages] == [stage.rate for stage in stages]
    assert pytest.approx(0.01) == stages[1].seconds


def test_the_profiles_that_the_target_promises_are_there() -> None:
    """`make loadtest PROFILE=...`"""
    promised = {"casino", "state", "world", "soak", "spike", "hot-table", "one-shard", "restart", "all-services"}
    assert promised <= set(PROFILES)
    assert all(profile.rounds > 0 and profile.about for profile in PROFILES.values())
