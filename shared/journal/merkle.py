"""Merkle trees over a shard's entry hashes: roots, and proofs that a tree holds a leaf.

The hashing and the proofs are those of RFC 9162, section 2.1 (the same as RFC 6962, section 2.1) with SHA-256. A leaf
is the 32-byte hash of an entry; the entry with sequence `seq` is the leaf with index `seq - 1`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()

_LEAF = b"\x00"
_NODE = b"\x01"


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


def inclusion_proof(leaves: Sequence[bytes], index: int, size: int) -> tuple[bytes, ...]:
    """Return the path from the leaf at `index` to the root of the first `size` leaves: siblings, the leaf's first.

    It hashes all of the `size` leaves but one; a million take about a second.
    Raises: ProofError where there is no such leaf in a tree of this size, or fewer than `size` leaves.
    """
    if len(leaves) < size:
        raise ProofError(f"proof: a tree of size {size} needs as many leaves, got {len(leaves)}")
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


def verify_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Check that the leaf is at `index` in the tree of `size` leaves with this root (RFC 9162, section 2.1.3.2).

    Raises: ProofError where it is not, or the proof is malformed.
    """
    if not 0 <= index < size:
        raise ProofError(f"inclusion proof: leaf {index} is not in a tree of size {size}")
    for value in (*path, root):
        if len(value) != HASH_BYTES:
            raise ProofError(f"inclusion proof: {value.hex()!r} has {len(value)} bytes, a hash has {HASH_BYTES}")
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


def _left_size(size: int) -> int:
    """Return the leaves of the left subtree: the largest power of two below `size`, which is at least two."""
    return 1 << (size - 1).bit_length() - 1


def _root(leaves: Sequence[bytes], low: int, high: int) -> bytes:
    return Frontier().extend(leaves[low:high]).root()
