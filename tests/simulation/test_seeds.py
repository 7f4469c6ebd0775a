"""Seeds of the simulation: whatever happens, the books are those that follow from what was sent."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.simulation.casino import SERVICES
from tests.simulation.chance import UNREAD_EVERY
from tests.simulation.run import WHOLE_EVERY, Simulation, plan_of
from tests.support.nightly import AT_NIGHT, sampled

SEEDS = (20, 5389)
"""`make simulation` runs more of them.

In 20 there are all services. In 5389 records are deleted that another process has read, and whoever has the partition
does not know it yet.
"""

SHORT_SEEDS = (*range(1, 201), 303)
_AT_ONCE = 10
_BY_DAY = sorted(SHORT_SEEDS, key=lambda seed: plan_of(seed, short=True)[0].number)
"""So that not every process of pytest has to prepare every day."""

_BATCHES = [_BY_DAY[at : at + _AT_ONCE] for at in range(0, len(_BY_DAY), _AT_ONCE)]


@AT_NIGHT
@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_the_books_are_those_that_follow(simulated: Simulation, seed: int) -> None:
    """Nothing is lost or doubled, journals verify, a rebuild comes to the same, and money is the same everywhere."""
    outcome = simulated.run(seed)

    assert outcome.injected.total() > 0
    assert outcome.stopped == 0 or seed % UNREAD_EVERY == 0


@sampled(1)
@pytest.mark.parametrize("seeds", _BATCHES, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_whatever_happens_to_one_service_its_books_are_those_that_follow(
    simulated: Simulation, seeds: Sequence[int]
) -> None:
    """The same holds of each service alone, in the last part of a day, under many more seeds."""
    for seed in seeds:
        outcome = simulated.run(seed, short=True)

        assert outcome.stopped == 0 or seed % UNREAD_EVERY == 0, seed


def test_the_seeds_have_every_service_and_a_hole_in_a_topic() -> None:
    """Among the seeds are runs of all services, of each alone, and runs in which records are deleted unread."""
    alone = Counter(service for seed in SHORT_SEEDS for service in plan_of(seed, short=True)[2])

    assert any(seed % WHOLE_EVERY == 0 for seed in SEEDS)
    assert any(seed % UNREAD_EVERY == 0 for seed in SHORT_SEEDS)
    assert set(SERVICES) == alone.keys()
    assert min(alone.values()) >= _AT_ONCE


@AT_NIGHT
def test_a_seed_decides_everything(simulated: Simulation) -> None:
    """The same is decided and recorded when a seed is run again, also in another process with other hashes of texts."""
    seed = 7
    first, second = (simulated.run(seed, short=True, hashed=True) for _ in range(2))
    command = [sys.executable, "-W", "ignore", "-m", "tests.simulation", "--seed", str(seed), "--short"]
    home = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONHASHSEED": "4711", "PYTHONPATH": str(home)}

    told = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=True)

    assert first.trace == second.trace
    assert first.digest == second.digest
    assert told.stdout.split()[-1] == first.digest
