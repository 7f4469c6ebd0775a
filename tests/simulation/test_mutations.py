"""The simulation finds what it is there to find: each of some mistakes in the kernel."""

import pytest

from tests.simulation import mutations
from tests.simulation.mutations import Mutation, mutated
from tests.simulation.run import Failed, Simulation
from tests.simulation.test_seeds import SEEDS

FOUND_BY: dict[Mutation, int] = {
    mutations.fence_ignored: 14,
    mutations.taken_place_taken_again: 14,
    mutations.gap_not_noticed: 14,
    mutations.position_without_entries: 14,
    mutations.last_entry_not_projected: 14,
    mutations.hole_skipped: 8,
    mutations.lost_answer_taken_for_refusal: 31,
}
"""By mistake: a seed that finds it, and that holds with the kernel as it is."""

assert set(FOUND_BY.values()) <= set(SEEDS), "that they hold is shown there"


@pytest.mark.parametrize("mutation", FOUND_BY, ids=lambda mutation: mutation.__name__)
def test_a_seeded_bug_is_found(simulated: Simulation, mutation: Mutation) -> None:
    """A seed fails when the kernel has the mistake, and says how it is repeated."""
    seed = FOUND_BY[mutation]
    simulated.prepare(seed)

    with mutated(mutation), pytest.raises(Failed, match=f"python -m tests.simulation --seed {seed} --trace"):
        simulated.run(seed)
