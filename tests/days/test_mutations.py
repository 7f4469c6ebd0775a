"""The machine finds what it is there to find: each of some mistakes in the model of a table's day."""

import pytest

from tests.days import mutations
from tests.days.mutations import MUTATIONS, Mutation, found_by
from tests.days.run import play
from tests.days.test_days import SEED

FOUND_BY: dict[Mutation, int] = {
    mutations.another_box_will_do: 3,
    mutations.box_always_for_the_count: 2,
    mutations.box_never_for_the_count: 2,
    mutations.count_ends_any_day: 2,
    mutations.older_days_left: 2,
    mutations.opener_ends_a_day: 2,
    mutations.spot_count_forgets: 2,
    mutations.written_off_in_vain: 2,
}
"""The seed that finds a mistake, where the first does not."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_seeded_bug_is_found(mutation: Mutation) -> None:
    """The tables of a seed differ from the reference when the model has the mistake."""
    assert found_by(mutation, FOUND_BY.get(mutation, SEED))


@pytest.mark.parametrize("seed", sorted({*FOUND_BY.values()} - {SEED}))
def test_the_tables_of_a_seed_hold_with_the_model_as_it_is(seed: int) -> None:
    """So the mistake is what is found."""
    assert play(1, seed)["days"] > 0
