"""Proofs that several entries are in a shard's tree, and the inclusion path of each that follows from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.journal.archive.subset_proof import SubsetTree, ranges_of, subset_proof
from shared.journal.merkle import Frontier, ProofError, inclusion_proof, verify_inclusion
from tests.support.checkpoints import LEAVES


def root_of(low: int, high: int) -> bytes:
    return Frontier().extend(LEAVES[low:high]).root()


def known(seqs: list[int]) -> list[bytes]:
    return [LEAVES[seq - 1] for seq in seqs]


@given(st.integers(1, 300), st.data())
def test_any_entries_lead_to_the_root_of_their_tree(size: int, data: st.DataObject) -> None:
    """With the roots of the subtrees that have none of them; each one's path is that of RFC 9162."""
    seqs = sorted(data.draw(st.sets(st.integers(1, size), min_size=1)))
    ranges = ranges_of(seqs)
    proof = subset_proof(ranges, size, root_of)
    tree = SubsetTree(ranges, size, known(seqs), proof)
    seq = data.draw(st.sampled_from(seqs))

    assert root_of(0, size) == tree.root()
    assert inclusion_proof(LEAVES, seq - 1, size) == tree.path(seq)
    verify_inclusion(LEAVES[seq - 1], seq - 1, size, tree.path(seq), tree.root())


def test_a_whole_tree_needs_no_proof() -> None:
    """All leaves are known."""
    assert [] == subset_proof([(1, 77)], 77, root_of)


def test_another_leaf_leads_to_another_root() -> None:
    """As does a proof whose hashes are exchanged."""
    ranges = [(3, 4), (6, 6)]
    proof = subset_proof(ranges, 8, root_of)
    leaves = known([3, 4, 6])

    assert root_of(0, 8) == SubsetTree(ranges, 8, leaves, proof).root()
    assert root_of(0, 8) != SubsetTree(ranges, 8, [leaves[1], leaves[0], leaves[2]], proof).root()
    assert root_of(0, 8) != SubsetTree(ranges, 8, leaves, proof[::-1]).root()


@pytest.mark.parametrize(
    ("ranges", "size", "leaves", "hashes"),
    [
        ([], 4, [], 0),  # no entries
        ([(3, 2)], 4, [], 0),  # backwards
        ([(1, 2), (3, 3)], 4, [1, 2, 3], 1),  # no gap between the ranges
        ([(2, 2), (1, 1)], 4, [1, 2], 1),  # not ascending
        ([(4, 5)], 4, [4], 1),  # beyond the tree
        ([(1, 2)], 4, [1], 1),  # a leaf is missing
        ([(1, 2)], 4, [1, 2], 0),  # a hash is missing
        ([(1, 2)], 4, [1, 2], 2),  # a hash too many
    ],
)
def test_what_does_not_fit_together_is_refused(
    ranges: list[tuple[int, int]], size: int, leaves: list[int], hashes: int
) -> None:
    """Ranges, leaves and hashes belong together."""
    with pytest.raises(ProofError, match="proof"):
        SubsetTree(ranges, size, known(leaves), [bytes(32)] * hashes)


def test_entries_that_are_not_known_have_no_path() -> None:
    """A path to them would need leaves that are not there."""
    tree = SubsetTree([(2, 2)], 4, known([2]), subset_proof([(2, 2)], 4, root_of))
    with pytest.raises(ProofError, match="entry 3 is none of those"):
        tree.path(3)
