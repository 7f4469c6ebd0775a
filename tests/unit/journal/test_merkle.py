"""Merkle trees against bytes that other implementations published."""

import json
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

from shared.journal.merkle import (
    EMPTY_ROOT,
    Frontier,
    ProofError,
    inclusion_proof,
    leaf_hash,
    node_hash,
    verify_inclusion,
)

DATA = Path(__file__).parent / "data"


class Inclusion(NamedTuple):
    """A published inclusion proof with the leaves and the root that it belongs to."""

    leaves: list[bytes]
    size: int
    leaf_index: int
    path: tuple[bytes, ...]


def _hashes(path: list[str]) -> tuple[bytes, ...]:
    return tuple(bytes.fromhex(node) for node in path)


RFC6962 = json.loads((DATA / "rfc6962-vectors.json").read_text())
RFC6962_LEAVES = [bytes.fromhex(leaf) for leaf in RFC6962["leaves"]]
SUMDB = json.loads((DATA / "sumdb-vectors.json").read_text())
SUMDB_LEAVES = [sha256(f"entry {number}".encode()).digest() for number in range(1000)]
BOTH = ((RFC6962, RFC6962_LEAVES), (SUMDB, SUMDB_LEAVES))

INCLUSIONS = [
    Inclusion(leaves, each["size"], each["index"], _hashes(each["path"]))
    for vectors, leaves in BOTH
    for each in vectors["inclusion"]
]


def _root(leaves: list[bytes], size: int) -> bytes:
    return Frontier().extend(leaves[:size]).root()


@pytest.mark.parametrize(("size", "root"), list(enumerate(RFC6962["roots"])))
def test_root_is_that_of_the_rfc_6962_reference_tree(size: int, root: str) -> None:
    """The roots of the reference tree of Certificate Transparency, from no leaves to eight."""
    assert root == _root(RFC6962_LEAVES, size).hex()


@pytest.mark.parametrize(("size", "root"), SUMDB["roots"].items())
def test_root_is_that_of_the_go_implementation(size: str, root: str) -> None:
    """The roots that golang.org/x/mod/sumdb/tlog computes, up to a thousand leaves."""
    assert root == _root(SUMDB_LEAVES, int(size)).hex()


@pytest.mark.parametrize("vector", INCLUSIONS, ids=lambda each: f"{each.leaf_index}-of-{each.size}")
def test_inclusion_proof_is_the_published_one_and_verifies(vector: Inclusion) -> None:
    """An inclusion proof has the published hashes, and leads to the root."""
    leaves, size, leaf_index, path = vector
    assert path == inclusion_proof(leaves, leaf_index, size)
    verify_inclusion(leaves[leaf_index], leaf_index, size, path, _root(leaves, size))


def test_leaf_and_node_hashes_are_kept_apart() -> None:
    """A leaf is hashed behind a zero byte and a node behind a one, so that no leaf can pass for a node."""
    left, right = leaf_hash(b"left"), leaf_hash(b"right")
    assert sha256(b"\x00left").digest() == left
    assert sha256(b"\x01" + left + right).digest() == node_hash(left, right)
    assert node_hash(left, right) != leaf_hash(left + right)


def test_appending_leaves_the_older_frontier_as_it_was() -> None:
    """A batch that is rolled back still has the frontier from before it."""
    before = Frontier().extend(RFC6962_LEAVES[:3])
    after = before.append(RFC6962_LEAVES[3])
    assert (3, RFC6962["roots"][3]) == (before.size, before.root().hex())
    assert (4, RFC6962["roots"][4]) == (after.size, after.root().hex())


@pytest.mark.parametrize(("index", "size"), [(8, 8), (-1, 8), (0, 0)])
def test_a_leaf_outside_the_tree_has_no_proof(index: int, size: int) -> None:
    """An entry that the checkpoint does not cover yet cannot be proven under it."""
    with pytest.raises(ProofError, match=f"leaf {index} is not in a tree of size {size}"):
        inclusion_proof(RFC6962_LEAVES, index, size)
    with pytest.raises(ProofError, match=f"leaf {index} is not in a tree of size {size}"):
        verify_inclusion(b"", index, size, (), EMPTY_ROOT)


def test_a_proof_needs_all_leaves_of_the_tree() -> None:
    """Too few leaves are refused instead of leading to a proof of another tree."""
    with pytest.raises(ProofError, match="a tree of size 9 needs as many leaves, got 8"):
        inclusion_proof(RFC6962_LEAVES, 0, 9)


def test_an_inclusion_proof_of_the_wrong_length_is_refused() -> None:
    """A proof that is cut off or has a hash too many is refused."""
    path, root = inclusion_proof(RFC6962_LEAVES, 5, 8), _root(RFC6962_LEAVES, 8)
    with pytest.raises(ProofError, match="2 hashes are too few for leaf 5 of 8"):
        verify_inclusion(RFC6962_LEAVES[5], 5, 8, path[:-1], root)
    with pytest.raises(ProofError, match="4 hashes are too many for leaf 5 of 8"):
        verify_inclusion(RFC6962_LEAVES[5], 5, 8, (*path, bytes(32)), root)


def test_a_hash_of_the_wrong_length_is_refused() -> None:
    """Two hashes run together could otherwise be cut at another place."""
    path, root = inclusion_proof(RFC6962_LEAVES, 5, 8), _root(RFC6962_LEAVES, 8)
    with pytest.raises(ProofError, match="has 31 bytes, a hash has 32"):
        verify_inclusion(RFC6962_LEAVES[5], 5, 8, (path[0][:-1], *path[1:]), root)
    with pytest.raises(ProofError, match="has 33 bytes, a hash has 32"):
        verify_inclusion(RFC6962_LEAVES[5], 5, 8, path, root + b"\x00")
