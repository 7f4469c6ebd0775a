"""Merkle trees over a shard's entry hashes: roots, and proofs that a tree holds a leaf or continues an older tree.

The hashing and the proofs are those of RFC 9162, section 2.1 (the same as RFC 6962, section 2.1) with SHA-256. A leaf
is the 32-byte hash of an entry; the entry with sequence `seq` is the leaf with index `seq - 1`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Self

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()

_LEAF = b"\x00"
_NODE = b"\x01"
_SIZE_BYTES = 8


class EvidenceError(ValueError):
    """Evidence that the journal has not been tampered with is malformed or does not hold."""


class ProofError(EvidenceError):
    """A Merkle proof is malformed or does not lead to the root that it is checked against."""


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf's data, as it enters the tree (32 bytes)."""
    return sha256(_LEAF + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node over its two children (32 bytes)."""
    return sha256(_NODE + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """All that is needed of a tree to append to it: its size, and the roots of its perfect subtrees, largest first.

    There is one subtree per bit that is set in `size`, so a frontier stays below 2 KB however long the shard is.
    """

    size: int = 0
    nodes: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ProofError(f"frontier: size {self.size} is negative; rebuild it from the entries")
        if len(self.nodes) != self.size.bit_count() or any(len(node) != HASH_BYTES for node in self.nodes):
            raise ProofError(
                f"frontier: size {self.size} needs {self.size.bit_count()} nodes of {HASH_BYTES} bytes, "
                f"got lengths {[len(node) for node in self.nodes]}; rebuild it from the entries"
            )

    def append(self, leaf: bytes) -> "Frontier":
        """Return the frontier with one leaf more."""
        return self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> "Frontier":
        """Return the frontier with these leaves more, in order. A call a batch is much faster than one a leaf."""
        nodes = list(self.nodes)
        size = self.size
        push, pop, digest, leaf_tag, node_tag = nodes.append, nodes.pop, sha256, _LEAF, _NODE
        for leaf in leaves:
            node = digest(leaf_tag + leaf).digest()
            filled = size
            while filled & 1:
                node = digest(node_tag + pop() + node).digest()
                filled >>= 1
            push(node)
            size += 1
        return Frontier(size, tuple(nodes))

    def root(self) -> bytes:
        """Return the root of the tree (32 bytes)."""
        if not self.nodes:
            return EMPTY_ROOT
        *left, root = self.nodes
        for node in reversed(left):
            root = node_hash(node, root)
        return root

    def to_bytes(self) -> bytes:
        """Return the size in eight bytes, big-endian, then the nodes."""
        return self.size.to_bytes(_SIZE_BYTES, "big") + b"".join(self.nodes)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the frontier that `to_bytes` wrote.

        Raises:
            ProofError: the bytes are not those of a frontier.
        """
        if len(data) < _SIZE_BYTES:
            raise ProofError(f"frontier: {len(data)} bytes are too few; rebuild it from the entries")
        return cls(
            int.from_bytes(data[:_SIZE_BYTES], "big"),
            tuple(data[at : at + HASH_BYTES] for at in range(_SIZE_BYTES, len(data), HASH_BYTES)),
        )


def inclusion_proof(leaves: Sequence[bytes], index: int, size: int) -> tuple[bytes, ...]:
    """Return the path from the leaf at `index` to the root of the first `size` leaves: siblings, the leaf's first.

    Hashes all of the `size` leaves but one; a million take about a second.

    Raises:
        ProofError: no such leaf in a tree of this size, or fewer than `size` leaves.
    """
    _check_leaves(leaves, size)
    if not 0 <= index < size:
        raise ProofError(f"inclusion proof: leaf {index} is not in a tree of size {size}; take a later checkpoint")
    path: list[bytes] = []
    low, high = 0, size
    while high - low > 1:
        middle = low + _left_size(high - low)
        if index < middle:
            path.append(_root(leaves, middle, high))
            high = middle
        else:
            path.append(_root(leaves, low, middle))
            low = middle
    return tuple(reversed(path))


def consistency_proof(leaves: Sequence[bytes], old_size: int, new_size: int) -> tuple[bytes, ...]:
    """Return the proof that the tree of the first `new_size` leaves continues that of the first `old_size` leaves.

    The proof is empty if the sizes are equal or the older tree is empty.

    Raises:
        ProofError: the old size is above the new one, or there are fewer than `new_size` leaves.
    """
    _check_leaves(leaves, new_size)
    _check_order(old_size, new_size)
    if old_size == 0:
        return ()
    proof: list[bytes] = []
    low, high = 0, new_size
    while old_size < high:
        middle = low + _left_size(high - low)
        if old_size <= middle:
            proof.append(_root(leaves, middle, high))
            high = middle
        else:
            proof.append(_root(leaves, low, middle))
            low = middle
    if low > 0:  # else the subtree is the older tree itself, whose root the verifier has
        proof.append(_root(leaves, low, high))
    return tuple(reversed(proof))


def verify_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Check that the leaf is at `index` in the tree of `size` leaves with this root (RFC 9162, section 2.1.3.2).

    Raises:
        ProofError: it is not, or the proof is malformed.
    """
    if not 0 <= index < size:
        raise ProofError(f"inclusion proof: leaf {index} is not in a tree of size {size}")
    _check_hashes("inclusion proof", (*path, root))
    node, position, last = leaf_hash(leaf), index, size - 1
    for sibling in path:
        if last == 0:
            raise ProofError(f"inclusion proof: {len(path)} hashes are too many for leaf {index} of {size}")
        if position & 1 or position == last:
            node = node_hash(sibling, node)
            while position and not position & 1:
                position, last = position >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        position, last = position >> 1, last >> 1
    if last != 0:
        raise ProofError(f"inclusion proof: {len(path)} hashes are too few for leaf {index} of {size}")
    if node != root:
        raise ProofError(f"inclusion proof: leaf {index} of {size} leads to root {node.hex()}, expected {root.hex()}")


def verify_consistency(old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]) -> None:
    """Check that the newer tree continues the older one: nothing in it was altered (RFC 9162, section 2.1.4.2).

    Raises:
        ProofError: it does not, or the proof is malformed.
    """
    _check_order(old_size, new_size)
    _check_hashes("consistency proof", (*proof, old_root, new_root))
    what = f"consistency proof from size {old_size} to {new_size}"
    if old_size in (0, new_size):
        expected_root = EMPTY_ROOT if old_size == 0 else new_root
        if proof:
            raise ProofError(f"{what}: {len(proof)} hashes are too many, none are needed")
        if old_root != expected_root:
            raise ProofError(f"{what}: the older root is {old_root.hex()}, expected {expected_root.hex()}")
        return
    # A power of two is one perfect subtree of the newer tree, and its root is not repeated in the proof.
    path = list(proof) if old_size.bit_count() > 1 else [old_root, *proof]
    if not path:
        raise ProofError(f"{what}: it has no hashes")
    position, last = old_size - 1, new_size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    old_node = new_node = path[0]
    for sibling in path[1:]:
        if last == 0:
            raise ProofError(f"{what}: {len(proof)} hashes are too many")
        if position & 1 or position == last:
            old_node = node_hash(sibling, old_node)
            new_node = node_hash(sibling, new_node)
            while position and not position & 1:
                position, last = position >> 1, last >> 1
        else:
            new_node = node_hash(new_node, sibling)
        position, last = position >> 1, last >> 1
    if last != 0:
        raise ProofError(f"{what}: {len(proof)} hashes are too few")
    if old_node != old_root:
        raise ProofError(f"{what}: it leads to the older root {old_node.hex()}, expected {old_root.hex()}")
    if new_node != new_root:
        raise ProofError(f"{what}: it leads to the newer root {new_node.hex()}, expected {new_root.hex()}")


def _left_size(size: int) -> int:
    """Return the leaves of the left subtree: the largest power of two below `size`, which is at least two."""
    return 1 << (size - 1).bit_length() - 1


def _root(leaves: Sequence[bytes], low: int, high: int) -> bytes:
    return Frontier().extend(leaves[low:high]).root()


def _check_leaves(leaves: Sequence[bytes], size: int) -> None:
    if len(leaves) < size:
        raise ProofError(f"proof: a tree of size {size} needs as many leaves, got {len(leaves)}")


def _check_order(old_size: int, new_size: int) -> None:
    if not 0 <= old_size <= new_size:
        raise ProofError(f"consistency proof: the older size {old_size} is not between 0 and the newer size {new_size}")


def _check_hashes(what: str, hashes: Iterable[bytes]) -> None:
    for value in hashes:
        if len(value) != HASH_BYTES:
            raise ProofError(f"{what}: {value.hex()!r} has {len(value)} bytes, a hash has {HASH_BYTES}")
