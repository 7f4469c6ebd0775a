"""Merkle trees against the recursive definition of RFC 9162, section 2.1, written out as it stands there."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.journal.merkle import (
    Frontier,
    ProofError,
    inclusion_proof,
    verify_inclusion,
)

LEAF = st.binary(max_size=3)
LEAVES = st.lists(LEAF, max_size=70)


def _split(count: int) -> int:
    """The largest power of two below a count."""
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def _tree(leaves: list[bytes]) -> bytes:
    """MTH(D[n])."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    split = _split(len(leaves))
    return sha256(b"\x01" + _tree(leaves[:split]) + _tree(leaves[split:])).digest()


def _path(index: int, leaves: list[bytes]) -> list[bytes]:
    """PATH(m, D[n])."""
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*_path(index, leaves[:split]), _tree(leaves[split:])]
    return [*_path(index - split, leaves[split:]), _tree(leaves[:split])]


@given(LEAVES, st.integers(0, 70))
def test_root_is_the_recursive_one_however_the_leaves_arrive(leaves: list[bytes], cut: int) -> None:
    """Batches and single leaves lead to the root of the definition."""
    in_batches = Frontier().extend(leaves[:cut]).extend(leaves[cut:])
    one_by_one = Frontier()
    for leaf in leaves:
        one_by_one = one_by_one.append(leaf)
    assert _tree(leaves) == in_batches.root()
    assert in_batches == one_by_one


@given(st.lists(LEAF, min_size=1, max_size=70), st.data())
def test_inclusion_proof_is_the_recursive_one_and_verifies(leaves: list[bytes], data: st.DataObject) -> None:
    """For every leaf of every tree, the proof is that of the definition and verifies."""
    index = data.draw(st.integers(0, len(leaves) - 1))
    path = inclusion_proof([*leaves, b"later"], index, len(leaves))
    assert tuple(_path(index, leaves)) == path
    verify_inclusion(leaves[index], index, len(leaves), path, _tree(leaves))


@given(st.lists(LEAF, min_size=1, max_size=70), st.data())
def test_no_inclusion_proof_holds_for_another_leaf_index_hash_or_root(leaves: list[bytes], data: st.DataObject) -> None:
    """Whichever part of a proof is altered, it no longer verifies."""
    index = data.draw(st.integers(0, len(leaves) - 1))
    size, root = len(leaves), _tree(leaves)
    path = inclusion_proof(leaves, index, size)
    other_index = data.draw(st.integers(0, size).filter(lambda each: each != index))
    # A leaf that is in the tree twice has two proofs; they differ in their paths unless all its neighbors repeat too.
    if other_index == size or _path(other_index, leaves) != list(path) or leaves[other_index] != leaves[index]:
        with pytest.raises(ProofError):
            verify_inclusion(leaves[index], other_index, size, path, root)
    with pytest.raises(ProofError):
        verify_inclusion(leaves[index] + b"\x00", index, size, path, root)
    with pytest.raises(ProofError):
        verify_inclusion(leaves[index], index, size, path, _flipped(root, data))
    if path:
        at = data.draw(st.integers(0, len(path) - 1))
        altered = (*path[:at], _flipped(path[at], data), *path[at + 1 :])
        with pytest.raises(ProofError):
            verify_inclusion(leaves[index], index, size, altered, root)


def _flipped(value: bytes, data: st.DataObject) -> bytes:
    """The hash with one bit changed."""
    bit = data.draw(st.integers(0, len(value) * 8 - 1))
    return (int.from_bytes(value, "big") ^ (1 << bit)).to_bytes(len(value), "big")
