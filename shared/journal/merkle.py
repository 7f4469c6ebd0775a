"""Merkle trees over a shard's entry hashes: roots, and proofs of inclusion and of consistency with an earlier tree.

Hashing and proofs follow RFC 9162, section 2.1 (identical to RFC 6962, section 2.1) with SHA-256. A leaf is the 32-byte
hash of an entry; the entry with sequence `seq` is the leaf with index `seq - 1`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()

_LEAF = b"\x00"
_NODE = b"\x01"


class EvidenceError(ValueError):
    """A signature, proof, checkpoint or manifest that should prove the journal's integrity is malformed or invalid."""


class ProofError(EvidenceError):
    """A Merkle proof is malformed or does not lead to the expected root."""


def leaf_hash(leaf: bytes) -> bytes:
    """Return the leaf hash of a leaf's data (32 bytes)."""
    return sha256(_LEAF + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node over its two children (32 bytes)."""
    return sha256(_NODE + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """The state needed to append to a tree: its size, and the roots of its perfect subtrees, largest first.

    There is one subtree per bit set in `size`, so a frontier stays below 2 KB for a shard of any length.
    """

    size: int = 0
    nodes: tuple[bytes, ...] = ()

    def append(self, leaf: bytes) -> "Frontier":
        """Return the frontier with one more leaf."""
        return self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> "Frontier":
        """Return the frontier with these leaves appended. One call per batch is much faster than one per leaf."""
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
    """Return the inclusion proof of the leaf at `index` in the tree of the first `size` leaves, leaf's sibling first.

    It hashes all but one of the `size` leaves; a million take about a second. Raises: ProofError if there is no such
    leaf in a tree of this size, or fewer than `size` leaves.
    """
    if len(leaves) < size:
        raise ProofError(f"proof: a tree of size {size} needs as many leaves, got {len(leaves)}")
    return inclusion_path(index, size, lambda low, high: _root(leaves, low, high))


def inclusion_path(index: int, size: int, root: Callable[[int, int], bytes]) -> tuple[bytes, ...]:
    """Return the path from a leaf to the root of a tree: the roots of sibling subtrees, the leaf's sibling first.

    `root(low, high)` returns the root of the subtree of the leaves from index `low` up to but not including `high`.
    Raises: ProofError if there is no such leaf.
    """
    if not 0 <= index < size:
        raise ProofError(f"inclusion proof: leaf {index} is not in a tree of size {size}; take a later checkpoint")
    path: list[bytes] = []
    low, high = 0, size
    while high - low > 1:
        middle = low + left_size(high - low)
        if index < middle:
            path.append(root(middle, high))
            high = middle
        else:
            path.append(root(low, middle))
            low = middle
    return tuple(reversed(path))


def verify_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Check that the leaf is at `index` in the tree of `size` leaves with this root (RFC 9162, section 2.1.3.2).

    Raises: ProofError if it is not, or the proof is malformed.
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


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole tree with the roots of all perfect subtrees, for many proofs; uses twice the memory of its leaves."""

    levels: tuple[tuple[bytes, ...], ...]
    """Level `n`, from zero, has the roots of the perfect subtrees of 2**n leaves, from the left."""

    @classmethod
    def of(cls, leaves: Iterable[bytes]) -> "Tree":
        """Return the tree over these leaves."""
        levels = [tuple(leaf_hash(leaf) for leaf in leaves)]
        while len(below := levels[-1]) > 1:
            levels.append(tuple(map(node_hash, below[::2], below[1::2])))
        return cls(tuple(levels))

    def path(self, index: int) -> tuple[bytes, ...]:
        """Return the inclusion proof of a leaf, like `inclusion_proof`. Raises: ProofError if there is no such leaf."""
        return inclusion_path(index, len(self.levels[0]), self._root)

    def _root(self, low: int, high: int) -> bytes:
        left = left_size(high - low) if high - low > 1 else 1
        if high - low in (1, 2 * left):
            level = (high - low).bit_length() - 1
            return self.levels[level][low >> level]
        return node_hash(self._root(low, low + left), self._root(low + left, high))


def consistency_proof(old: Frontier, leaves: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the proof that a tree extends an earlier one (RFC 9162, section 2.1.4.1).

    `leaves` are the leaves that were added after `old`; the leaves of the earlier tree are not needed. The proof is
    empty if the trees are equal, or if the earlier tree is empty.
    """
    proof: list[bytes] = []
    nodes = list(old.nodes)
    low, high = 0, old.size + len(leaves)
    if old.size in (0, high):
        return ()
    while high > old.size:
        middle = low + left_size(high - low)
        if old.size <= middle:
            proof.append(_root(leaves, middle - old.size, high - old.size))
            high = middle
        else:
            proof.append(nodes.pop(0))
            low = middle
    # The rest of the earlier tree is one perfect subtree. If it is the whole tree, the verifier knows its root.
    return tuple(reversed(proof)) if low == 0 else (*nodes, *reversed(proof))


def verify_consistency(old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """Check that the tree with this root extends the earlier one (RFC 9162, section 2.1.4.2).

    Any tree extends an empty one. Raises: ProofError if the tree does not, or if the proof is malformed.
    """
    what = f"consistency proof from {old_size} to {size}"
    if not 0 <= old_size <= size:
        raise ProofError(f"{what}: a tree does not become smaller")
    for value in (*proof, old_root, root):
        if len(value) != HASH_BYTES:
            raise ProofError(f"{what}: {value.hex()!r} has {len(value)} bytes, a hash has {HASH_BYTES}")
    if old_size in (0, size):
        if proof:
            raise ProofError(f"{what}: {len(proof)} hashes where none is needed")
        if old_root != (root if old_size == size else EMPTY_ROOT):
            raise ProofError(f"{what}: the earlier root is {old_root.hex()}, which is another tree")
        return
    # Climb the right edge of the earlier tree until the node is a left child.
    position, last = old_size - 1, size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    path = list(proof) if position else [old_root, *proof]
    if not path:
        raise ProofError(f"{what}: it is empty")
    before = after = path[0]
    for node in path[1:]:
        if last == 0:
            raise ProofError(f"{what}: {len(proof)} hashes are too many")
        if position & 1 or position == last:
            before, after = node_hash(node, before), node_hash(node, after)
            while position and not position & 1:
                position, last = position >> 1, last >> 1
        else:
            after = node_hash(after, node)
        position, last = position >> 1, last >> 1
    if last != 0:
        raise ProofError(f"{what}: {len(proof)} hashes are too few")
    if before != old_root:
        raise ProofError(f"{what}: leads from root {before.hex()}, expected {old_root.hex()}; it is another log")
    if after != root:
        raise ProofError(f"{what}: leads to root {after.hex()}, expected {root.hex()}")


def left_size(size: int) -> int:
    """Return the number of leaves in the left subtree: the largest power of two below `size` (at least 2)."""
    return 1 << (size - 1).bit_length() - 1


def _root(leaves: Sequence[bytes], low: int, high: int) -> bytes:
    return Frontier().extend(leaves[low:high]).root()
