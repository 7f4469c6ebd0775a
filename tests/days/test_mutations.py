"""The machine finds what it is there to find: each of some mistakes in the model of a table's day."""

import pytest

from tests.days.mutations import MUTATIONS, Mutation, found_by
from tests.days.run import play
from tests.support.nightly import sampled

SEEDS = range(1, 25)
"""Those of which one has to find a mistake; most are found by the first."""


@sampled(2)
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_seeded_bug_is_found(mutation: Mutation) -> None:
    """The tables of a seed differ from the reference when the model has the mistake."""
    assert any(found_by(mutation, seed) for seed in SEEDS)


@sampled(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_tables_of_a_seed_hold_with_the_model_as_it_is(seed: int) -> None:
    """So the mistake is what is found."""
    assert play(1, seed)["days"] > 0
