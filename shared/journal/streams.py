"""Determine the position of an event in its stream: next, ahead of a gap, late, or already taken. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum


class StreamPosition(Enum):
    """The position of an event relative to those already taken from its stream."""

    NEXT = "next"
    AHEAD = "ahead"
    LATE = "late"
    TAKEN = "taken"


@dataclass(slots=True)
class Stream:
    """The state of one stream: its highest sequence, and the missing ranges below it (first to last)."""

    last: int = 0
    gaps: dict[int, int] = field(default_factory=dict)

    def copy(self) -> "Stream":
        return Stream(self.last, dict(self.gaps))

    def after_next(self) -> "Stream":
        """Return the stream after its next event; its gaps are unchanged."""
        return Stream(self.last + 1, self.gaps)

    def place(self, sequence: int) -> StreamPosition:
        """Return the position of an event with this sequence."""
        if sequence > self.last:
            return StreamPosition.NEXT if sequence == self.last + 1 else StreamPosition.AHEAD
        return StreamPosition.LATE if self._gap(sequence) is not None else StreamPosition.TAKEN

    def take(self, sequence: int) -> tuple[int, int] | None:
        """Take the event with this sequence; return the gap (first, last) that it opened, if any.

        The sequence must not be taken already.
        """
        if sequence > self.last:
            opened = (self.last + 1, sequence - 1) if sequence > self.last + 1 else None
            if opened is not None:
                self.gaps[opened[0]] = opened[1]
            self.last = sequence
            return opened
        first = self._gap(sequence)
        assert first is not None, f"sequence {sequence} is taken"
        last = self.gaps.pop(first)
        if first < sequence:
            self.gaps[first] = sequence - 1
        if sequence < last:
            self.gaps[sequence + 1] = last
        return None

    def taken(self) -> int:
        """Return the number of taken stream positions."""
        return self.last - sum(last - first + 1 for first, last in self.gaps.items())

    def missing(self) -> Iterator[tuple[int, int]]:
        """Return the gaps, as (first, last), in order."""
        return iter(sorted(self.gaps.items()))

    def _gap(self, sequence: int) -> int | None:
        for first, last in self.gaps.items():
            if first <= sequence <= last:
                return first
        return None
