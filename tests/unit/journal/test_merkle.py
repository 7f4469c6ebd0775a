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
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    verify_consistency,
    verify_inclusion,
)

DATA = Path(__file__).parent / "data"


class Inclusion(NamedTuple):
    """A published inclusion proof with the leaves and the root that it belongs to."""

    leaves: list[bytes]
    size: int
    leaf_index: int
    path: tuple[bytes, ...]


class Consistency(NamedTuple):
    """A published consistency proof with the leaves that it belongs to."""

    leaves: list[bytes]
    old_size: int
    new_size: int
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
CONSISTENCIES = [
    Consistency(leaves, each["old_size"], each["new_size"], _hashes(each["path"]))
    for vectors, leaves in BOTH
    for each in vectors["consistency"]
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


@pytest.mark.parametrize("vector", CONSISTENCIES, ids=lambda each: f"{each.old_size}-to-{each.new_size}")
def test_consistency_proof_is_the_published_one_and_verifies(vector: Consistency) -> None:
    """A consistency proof has the published hashes, and leads to both roots."""
    leaves, old_size, new_size, path = vector
    assert path == consistency_proof(leaves, old_size, new_size)
    verify_consistency(old_size, _root(leaves, old_size), new_size, _root(leaves, new_size), path)


def test_leaf_and_node_hashes_are_kept_apart() -> None:
    """A leaf is hashed behind a zero byte and a node behind a one, so that no leaf can pass for a node."""
    left, right = leaf_hash(b"left"), leaf_hash(b"right")
    assert sha256(b"\x00left").digest() == left
    assert sha256(b"\x01" + left + right).digest() == node_hash(left, right)
    assert node_hash(left, right) != leaf_hash(left + right)


def test_frontier_has_golden_bytes() -> None:
    """A stored frontier is its size in eight bytes and its subtrees' roots: here those of four and of one leaf."""
    frontier = Frontier().extend(RFC6962_LEAVES[:5])
    expected = (
        "0000000000000005"
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
    )
    assert expected == frontier.to_bytes().hex()
    assert frontier == Frontier.from_bytes(bytes.fromhex(expected))


def test_appending_leaves_the_older_frontier_as_it_was() -> None:
    """A batch that is rolled back still has the frontier from before it."""
    before = Frontier().extend(RFC6962_LEAVES[:3])
    after = before.append(RFC6962_LEAVES[3])
    assert (3, RFC6962["roots"][3]) == (before.size, before.root().hex())
    assert (4, RFC6962["roots"][4]) == (after.size, after.root().hex())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes are too few"),
        (bytes(7), "7 bytes are too few"),
        (bytes(7) + b"\x01", r"size 1 needs 1 nodes of 32 bytes, got lengths \[\]"),
        (bytes(7) + b"\x01" + bytes(31), r"got lengths \[31\]"),
        (bytes(8) + bytes(32), r"size 0 needs 0 nodes of 32 bytes, got lengths \[32\]"),
        (bytes(7) + b"\x02" + bytes(64), r"size 2 needs 1 nodes of 32 bytes, got lengths \[32, 32\]"),
    ],
)
def test_bytes_that_are_no_frontier_are_refused(data: bytes, message: str) -> None:
    """A damaged frontier is refused instead of leading to a wrong root."""
    with pytest.raises(ProofError, match=message):
        Frontier.from_bytes(data)


def test_a_frontier_of_negative_size_is_refused() -> None:
    """A size is a number of leaves."""
    with pytest.raises(ProofError, match="size -1 is negative"):
        Frontier(-1, (bytes(32),))


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
    with pytest.raises(ProofError, match="a tree of size 9 needs as many leaves, got 8"):
        consistency_proof(RFC6962_LEAVES, 1, 9)


@pytest.mark.parametrize(("old_size", "new_size"), [(5, 4), (-1, 4)])
def test_a_tree_cannot_continue_a_larger_one(old_size: int, new_size: int) -> None:
    """A shard never shrinks."""
    message = f"older size {old_size} is not between 0 and the newer size {new_size}"
    with pytest.raises(ProofError, match=message):
        consistency_proof(RFC6962_LEAVES, old_size, new_size)
    with pytest.raises(ProofError, match=message):
        verify_consistency(old_size, bytes(32), new_size, bytes(32), ())


def test_every_tree_continues_the_empty_one() -> None:
    """The first checkpoint of a shard needs no proof, but the empty tree has one root only."""
    root = _root(RFC6962_LEAVES, 8)
    assert consistency_proof(RFC6962_LEAVES, 0, 8) == ()
    verify_consistency(0, EMPTY_ROOT, 8, root, ())
    with pytest.raises(ProofError, match="the older root is"):
        verify_consistency(0, root, 8, root, ())


def test_trees_of_one_size_with_two_roots_are_inconsistent() -> None:
    """Two checkpoints of one size that differ are a fork, and no proof can reconcile them."""
    root, other = _root(RFC6962_LEAVES, 6), _root(RFC6962_LEAVES[1:], 6)
    verify_consistency(6, root, 6, root, ())
    with pytest.raises(ProofError, match="the older root is"):
        verify_consistency(6, other, 6, root, ())
    with pytest.raises(ProofError, match="1 hashes are too many, none are needed"):
        verify_consistency(6, root, 6, root, (root,))


@pytest.mark.parametrize("old_size", [4, 5, 6])
def test_a_consistency_proof_of_the_wrong_length_is_refused(old_size: int) -> None:
    """A proof that is cut off or has a hash too many is refused, also where the older tree is one perfect subtree."""
    old_root, new_root = _root(RFC6962_LEAVES, old_size), _root(RFC6962_LEAVES, 8)
    proof = consistency_proof(RFC6962_LEAVES, old_size, 8)
    with pytest.raises(ProofError, match=r"too few|no hashes"):
        verify_consistency(old_size, old_root, 8, new_root, proof[:-1])
    with pytest.raises(ProofError, match=r"it has no hashes|too few"):
        verify_consistency(old_size, old_root, 8, new_root, ())
    with pytest.raises(ProofError, match="too many"):
        verify_consistency(old_size, old_root, 8, new_root, (*proof, bytes(32)))


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
        verify_consistency(6, root + b"\x00", 8, root, path)
