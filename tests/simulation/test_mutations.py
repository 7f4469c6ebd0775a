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
    mutations.lost_answer_taken_for_done: 26,
    mutations.last_entry_not_projected: 4,
    mutations.stream_known_in_part: 7,
    mutations.lost_answer_taken_for_refusal: 3,
    mutations.projected_after_the_commit: 4,
    mutations.fence_ignored: 16,
    mutations.gap_not_noticed: 15,
    mutations.hole_skipped: 8,
    mutations.memory_published_as_it_is: 52,
}
"""By mistake: the first short seed that finds it; all hold with the kernel as it is."""

NOT_FOUND_NOW = {mutations.position_remembered, mutations.rebuilt_from_what_is_left}
"""Mistakes that no short seed finds since the statements of the kernel have moved: topics that lose records before they
are read, and before a rebuild reads them again, are tested by themselves (tests/integration/test_topics_anew.py,
tests/integration/reporting/test_rebuild.py)."""

FOUND_BY_ONE_OF: dict[Mutation, Sequence[int]] = {
    mutations.projected_after_the_commit: (40, 44, 60, 140, 148),
    mutations.place_not_looked_up: (14, 15),
    mutations.marked_before_it_is_sent: (16,),
    mutations.stream_known_in_part: (20,),
    mutations.lost_answer_taken_for_refusal: (21, 38),
    mutations.hole_skipped: (32, 56),
    mutations.fence_ignored: (29, 30),
}
"""By mistake: more short seeds. Each finds it in most runs where a statement is at work while the run goes on, and when
the statements of the kernel change, another one finds it."""

assert set(FOUND_BY_SHORT.values()) <= set(SHORT_SEEDS), "that they hold is shown there"
assert FOUND_BY_SHORT.keys() | NOT_FOUND_NOW == set(MUTATIONS), "each is looked for, or known not to be found"


@sampled(1)
@pytest.mark.parametrize("mutation", FOUND_BY_SHORT, ids=lambda mutation: mutation.__name__)
def test_a_seeded_bug_is_found(simulated: Simulation, mutation: Mutation) -> None:
    """A seed fails when the kernel has the mistake, and says how it is repeated."""
    seeds = [FOUND_BY_SHORT[mutation], *FOUND_BY_ONE_OF.get(mutation, ())]
    said = [(seed, found) for seed in seeds if (found := _failure(simulated, mutation, seed))]
    assert said, f"none of {seeds} finds it"
    for seed, found in said:
        assert f"python -m tests.simulation --seed {seed} --short --trace" in found


def _failure(simulated: Simulation, mutation: Mutation, seed: int) -> str | None:
    """What a seed says of the mistake; None where it does not find it."""
    simulated.prepare(seed, short=True)
    try:
        with mutated(mutation):
            simulated.run(seed, short=True)
    except Failed as failed:
        return str(failed)
    return None
