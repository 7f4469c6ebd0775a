"""Consistency proofs against published ones, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.journal.merkle import (
    Frontier,
    ProofError,
    Tree,
    consistency_proof,
    inclusion_proof,
    verify_consistency,
    verify_inclusion,
)

LEAVES_MAX = 70
VECTORS = json.loads((Path(__file__).parent / "data" / "rfc6962-vectors.json").read_text())
CT = [bytes.fromhex(leaf) for leaf in VECTORS["leaves"]]
CT_ROOTS = [bytes.fromhex(root) for root in VECTORS["roots"]]
PUBLISHED = [
    (1, 1, []),
    (
        1,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        6,
        8,
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        5,
        [
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
]
"""The consistency proofs of certificate-transparency's merkle_tree_test."""

LEAVES = [b"entry %d" % number for number in range(LEAVES_MAX)]
ROOTS = [Frontier().extend(LEAVES[:size]).root() for size in range(LEAVES_MAX + 1)]


def _proof(leaves: list[bytes], old: int, size: int) -> tuple[bytes, ...]:
    return consistency_proof(Frontier().extend(leaves[:old]), leaves[old:size])


@pytest.mark.parametrize(("old", "size", "proof"), PUBLISHED, ids=lambda each: str(each)[:3])
def test_consistency_proof_is_the_published_one(old: int, size: int, proof: list[str]) -> None:
    """The proofs of the reference tree of Certificate Transparency are made and hold."""
    made = _proof(CT, old, size)
    assert proof == [node.hex() for node in made]
    verify_consistency(old, CT_ROOTS[old], size, CT_ROOTS[size], made)


def test_every_tree_is_the_beginning_of_every_later_one() -> None:
    """All pairs of sizes up to seventy leaves: the proof holds, and for no other root."""
    for size in range(LEAVES_MAX + 1):
        for old in range(size + 1):
            proof = _proof(LEAVES, old, size)
            verify_consistency(old, ROOTS[old], size, ROOTS[size], proof)
            with pytest.raises(ProofError, match="root"):
                verify_consistency(old, bytes(32), size, ROOTS[size], proof)


def test_paths_of_a_whole_tree_are_inclusion_proofs() -> None:
    """A tree that is kept whole gives the same path of every leaf as one that is hashed each time."""
    for size in (0, 1, 2, 7, 8, 33, LEAVES_MAX):
        tree = Tree.of(LEAVES[:size])
        assert [inclusion_proof(LEAVES, index, size) for index in range(size)] == [tree.path(i) for i in range(size)]
        for index in range(size):
            verify_inclusion(LEAVES[index], index, size, tree.path(index), ROOTS[size])
    with pytest.raises(ProofError, match="leaf 70 is not in a tree of size 70"):
        Tree.of(LEAVES).path(LEAVES_MAX)


@given(st.data())
def test_a_tampered_proof_is_refused(data: st.DataObject) -> None:
    """A bit that is turned, a hash too few, too many, or in another place, another size or root: none of it holds."""
    size = data.draw(st.integers(2, LEAVES_MAX))
    old = data.draw(st.integers(1, size - 1))
    proof, roots = list(_proof(LEAVES, old, size)), (ROOTS[old], ROOTS[size])
    how = data.draw(st.sampled_from(["bit", "short", "long", "old root", "root", "swapped"]))
    place = data.draw(st.integers(0, len(proof) - 1))
    turned = bytes([proof[place][0] ^ 1]) + proof[place][1:]
    if how == "bit":
        proof[place] = turned
    elif how == "short":
        del proof[place]
    elif how == "long":
        proof.insert(place, turned)
    elif how == "old root":
        roots = (turned, roots[1])
    elif how == "root":
        roots = (roots[0], turned)
    else:
        proof.insert(place, proof.pop())
        if tuple(proof) == _proof(LEAVES, old, size):
            return
    with pytest.raises(ProofError):
        verify_consistency(old, roots[0], size, roots[1], proof)


def test_a_tree_does_not_become_smaller() -> None:
    """A later tree with fewer leaves, or a proof where none is needed, is refused."""
    with pytest.raises(ProofError, match="does not become smaller"):
        verify_consistency(3, ROOTS[3], 2, ROOTS[2], ())
    with pytest.raises(ProofError, match="1 hashes where none is needed"):
        verify_consistency(3, ROOTS[3], 3, ROOTS[3], (ROOTS[1],))
    with pytest.raises(ProofError, match="has 31 bytes"):
        verify_consistency(2, ROOTS[2], 3, ROOTS[3], (bytes(31),))
