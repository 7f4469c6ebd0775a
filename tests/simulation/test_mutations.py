"""The simulation finds what it is there to find: each of some mistakes in the kernel."""

import pytest

from tests.simulation import mutations
from tests.simulation.mutations import Mutation, mutated
from tests.simulation.run import Failed, Simulation
from tests.simulation.test_seeds import SEEDS

FOUND_BY: dict[Mutation, int] = {
    mutations.fence_ignored: 1,
    mutations.position_without_entries: 1,
    mutations.last_entry_not_projected: 1,
    mutations.projected_after_the_commit: 1,
    mutations.hash_over_other_bytes: 1,
    mutations.key_forgotten: 1,
    mutations.taken_place_taken_again: 2,
    mutations.memory_published_as_it_is: 2,
    mutations.place_not_looked_up: 3,
    mutations.lost_answer_taken_for_done: 5,
    mutations.gap_not_noticed: 8,
    mutations.marked_before_it_is_sent: 9,
    mutations.lost_answer_taken_for_refusal: 10,
    mutations.hole_skipped: 32,
    mutations.rebuilt_from_what_is_left: 1016,
    mutations.stream_known_in_part: 1099,
    mutations.position_remembered: 5365,
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
