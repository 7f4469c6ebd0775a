"""The simulation finds what it is there to find: each of some mistakes in the kernel."""

import pytest

from tests.simulation.mutations import MUTATIONS, Mutation, mutated
from tests.simulation.run import Failed, Simulation
from tests.simulation.test_seeds import SEEDS

TRIED = (14, 22, 9, 8, 31)
"""Seeds that hold with the kernel as it is. In all of them the same day is played, with plants."""

assert set(TRIED) <= set(SEEDS)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_seeded_bug_is_found(simulated: Simulation, mutation: Mutation) -> None:
    """One of a few seeds fails when the kernel has the mistake, and says how it is repeated."""
    found = next((failed for seed in TRIED if (failed := _failed(simulated, mutation, seed)) is not None), None)

    assert found is not None, f"{mutation.__name__} is not found by the seeds {TRIED}"
    assert f"python -m tests.simulation --seed {found.seed} --trace" in str(found)


def _failed(simulated: Simulation, mutation: Mutation, seed: int) -> Failed | None:
    simulated.prepare(seed)
    try:
        with mutated(mutation):
            simulated.run(seed)
    except Failed as failed:
        return failed
    return None
