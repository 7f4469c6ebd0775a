"""Prove that some entries of a shard are in its Merkle tree: all entries of a gaming day with one proof.

The entries are given as ranges of leaves. The proof has the roots of the largest subtrees without any of these leaves,
from left to right; with the leaves they lead to the root of the tree. One leaf's inclusion path follows from both.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from shared.journal.merkle import HASH_BYTES, Frontier, ProofError, inclusion_path, left_size, node_hash

Ranges = Sequence[tuple[int, int]]
"""Ranges of sequences of entries, first and last, ascending; between two of them at least one entry is missing."""


def ranges_of(seqs: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending sequences as ranges.

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
    Raises: ProofError if the ranges are not those of such a tree.
    """
    leaves = _Leaves(ranges, size)
    return [root(low, high) for low, high in _without(leaves, 0, size)]


def _without(leaves: "_Leaves", low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the largest subtrees without any of the leaves, from left to right."""
    count = leaves.count(low, high)
    if count == 0:
        yield low, high
    elif count < high - low:
        middle = low + left_size(high - low)
        yield from _without(leaves, low, middle)
        yield from _without(leaves, middle, high)


class _Leaves:
    """The positions of leaves in a tree."""

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
        """Return the number of the leaves that are before this index of the tree."""
        number = bisect_right(self._starts, index) - 1
        if number < 0:
            return 0
        return self._before[number] + min(index - self._starts[number], self._lengths[number])

    def count(self, low: int, high: int) -> int:
        """Return the number of the leaves in a subtree."""
        return self.before(high) - self.before(low)


class SubsetTree:
    """A tree of which some leaves are known, and the roots of the subtrees without any of these."""

    def __init__(self, ranges: Ranges, size: int, leaves: Sequence[bytes], proof: Sequence[bytes]) -> None:
        """Take the leaves of the ranges in order, and the proof. Raises: ProofError if they do not fit the ranges."""
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
        """Return the inclusion path of one of the entries. Raises: ProofError if there is no such entry."""
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
