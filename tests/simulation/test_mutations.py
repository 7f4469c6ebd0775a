"""The simulation finds what it is there to find: each of some mistakes in the kernel."""

import pytest

from tests.simulation.mutations import MUTATIONS, Mutation, mutated
from tests.simulation.run import Failed, Simulation

FOUND_BY: dict[str, int] = {}
"""A seed that finds each."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_seeded_bug_is_found(simulated: Simulation, mutation: Mutation) -> None:
    """A seed that holds with the kernel as it is fails with a mistake in it, and says how it is repeated."""
    seed = FOUND_BY[mutation.__name__]
    simulated.run(seed)

    with mutated(mutation), pytest.raises(Failed, match=f"python -m tests.simulation --seed {seed} --trace"):
        simulated.run(seed)
