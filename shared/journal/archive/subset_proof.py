"""Subset proofs: one proof that several entries, such as all of a gaming day, are in a shard's Merkle tree.

The entries are the leaves of the tree and are given as ranges. The proof lists, from left to right, the roots of the
largest subtrees that contain none of these leaves. The root of the tree, and the inclusion path of each of the leaves,
can be computed from the leaves and the proof.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from shared.journal.merkle import HASH_BYTES, Frontier, ProofError, inclusion_path, left_size, node_hash

Ranges = Sequence[tuple[int, int]]
"""Ranges of sequences as (first, last), ascending; at least one sequence lies between two ranges."""


def ranges_of(seqs: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending sequences as ranges of consecutive sequences.

    >>> ranges_of([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    found: list[tuple[int, int]] = []
    for seq in seqs:
        if found and found[-1][1] + 1 == seq:
            found[-1] = (found[-1][0], seq)
        else:
            found.append((seq, seq))
    return found


def subset_proof(ranges: Ranges, size: int, root: Callable[[int, int], bytes]) -> list[bytes]:
    """Return the proof that the entries of `ranges` are in the tree of the first `size` entries.

    `root(low, high)` returns the root of the subtree of the leaves from index `low` up to but not including `high`.
    Raises: ProofError if there are no ranges, or if they are not ascending or exceed `size`.
    """
    leaves = _Leaves(ranges, size)
    return [root(low, high) for low, high in _without(leaves, 0, size)]


def _without(leaves: "_Leaves", low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the largest subtrees between `low` and `high` that contain none of the leaves, as (low, high) indexes."""
    count = leaves.count(low, high)
    if count == 0:
        yield low, high
    elif count < high - low:
        middle = low + left_size(high - low)
        yield from _without(leaves, low, middle)
        yield from _without(leaves, middle, high)


class _Leaves:
    """The positions of the known leaves in a tree."""

    def __init__(self, ranges: Ranges, size: int) -> None:
        end = -1
        for first, last in ranges:
            if not end + 1 < first <= last <= size:
                raise ProofError(f"proof: entries {first} to {last} do not follow {end} in a tree of size {size}")
            end = last
        if not ranges:
            raise ProofError("proof: there are no entries")
        self._starts: Final = [first - 1 for first, _ in ranges]
        self._lengths: Final = [last - first + 1 for first, last in ranges]
        self._before: Final = [0, *accumulate(self._lengths)]

    def before(self, index: int) -> int:
        """Return the number of known leaves whose index is below `index`."""
        number = bisect_right(self._starts, index) - 1
        if number < 0:
            return 0
        return self._before[number] + min(index - self._starts[number], self._lengths[number])

    def count(self, low: int, high: int) -> int:
        """Return the number of known leaves in the subtree from index `low` up to but not including `high`."""
        return self.before(high) - self.before(low)


class SubsetTree:
    """A Merkle tree that is known from some of its leaves and the roots of the subtrees that contain none of them."""

    def __init__(self, ranges: Ranges, size: int, leaves: Sequence[bytes], proof: Sequence[bytes]) -> None:
        """Create the tree from the leaves of `ranges`, in order, and the subset proof.

        Raises: ProofError if the number of leaves or hashes does not match the ranges.
        """
        self._positions, self._leaves, self._size = _Leaves(ranges, size), leaves, size
        others = list(_without(self._positions, 0, size))
        wanted = self._positions.count(0, size)
        if len(leaves) != wanted:
            raise ProofError(f"proof: {len(leaves)} leaves where the ranges have {wanted}")
        if len(proof) != len(others) or any(len(node) != HASH_BYTES for node in proof):
            raise ProofError(f"proof: {len(proof)} hashes where the ranges need {len(others)} of {HASH_BYTES} bytes")
        self._others = dict(zip(others, proof, strict=True))

    def root(self) -> bytes:
        """Return the root of the whole tree."""
        return self._root(0, self._size)

    def path(self, seq: int) -> tuple[bytes, ...]:
        """Return the inclusion path of an entry. Raises: ProofError if the entry is not in the ranges."""
        if self._positions.count(seq - 1, seq) != 1:
            raise ProofError(f"proof: entry {seq} is none of those that are known")
        return inclusion_path(seq - 1, self._size, self._root)

    def _root(self, low: int, high: int) -> bytes:
        other = self._others.get((low, high))
        if other is not None:
            return other
        first, last = self._positions.before(low), self._positions.before(high)
        if last - first == high - low:
            return Frontier().extend(self._leaves[first:last]).root()
        middle = low + left_size(high - low)
        return node_hash(self._root(low, middle), self._root(middle, high))
