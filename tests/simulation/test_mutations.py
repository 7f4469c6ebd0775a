"""The simulation finds what it is there to find: each of some mistakes in the kernel."""

from collections.abc import Sequence

import pytest

from tests.simulation import mutations
from tests.simulation.mutations import MUTATIONS, Mutation, mutated
from tests.simulation.run import Failed, Simulation
from tests.simulation.test_seeds import SHORT_SEEDS
from tests.support.nightly import sampled

FOUND_BY_SHORT: dict[Mutation, int] = {
    mutations.hash_over_other_bytes: 1,
    mutations.taken_place_taken_again: 2,
    mutations.key_forgotten: 2,
    mutations.position_without_entries: 3,
    mutations.marked_before_it_is_sent: 3,
    mutations.place_not_looked_up: 2,
    mutations.lost_answer_taken_for_done: 303,
    mutations.last_entry_not_projected: 4,
    mutations.stream_known_in_part: 32,
    mutations.lost_answer_taken_for_refusal: 7,
    mutations.projected_after_the_commit: 4,
    mutations.fence_ignored: 16,
    mutations.gap_not_noticed: 15,
    mutations.hole_skipped: 16,
    mutations.memory_published_as_it_is: 52,
}
"""By mistake: a short seed that finds it; all hold with the kernel as it is.

When the statements of the kernel change, or one is at work while the run goes on, another seed finds it.
"""

OTHERS: Sequence[int] = SHORT_SEEDS[:80]
"""The seeds that are tried, one after the other, where that one does not find it."""

NOT_FOUND_NOW = {mutations.position_remembered, mutations.rebuilt_from_what_is_left}
"""Mistakes that no short seed finds since the statements of the kernel have moved: topics that lose records before they
are read, and before a rebuild reads them again, are tested by themselves (tests/integration/test_topics_anew.py,
tests/integration/reporting/test_rebuild.py)."""

assert set(FOUND_BY_SHORT.values()) <= set(SHORT_SEEDS), "that they hold is shown there"
assert FOUND_BY_SHORT.keys() | NOT_FOUND_NOW == set(MUTATIONS), "each is looked for, or known not to be found"


@sampled(1)
@pytest.mark.parametrize("mutation", FOUND_BY_SHORT, ids=lambda mutation: mutation.__name__)
def test_a_seeded_bug_is_found(simulated: Simulation, mutation: Mutation) -> None:
    """A seed fails when the kernel has the mistake, and says how it is repeated."""
    for seed in (FOUND_BY_SHORT[mutation], *OTHERS):
        if (found := _failure(simulated, mutation, seed)) is not None:
            assert f"python -m tests.simulation --seed {seed} --short --trace" in found
            return
    pytest.fail(f"none of {len(OTHERS)} seeds finds it")


def _failure(simulated: Simulation, mutation: Mutation, seed: int) -> str | None:
    """What a seed says of the mistake; None where it does not find it."""
    simulated.prepare(seed, short=True)
    try:
        with mutated(mutation):
            simulated.run(seed, short=True)
    except Failed as failed:
        return str(failed)
    return None
