"""Streams: whatever the order in which events come, every one is taken once, and what is missing is known."""

from hypothesis import given
from hypothesis import strategies as st

from shared.journal.streams import Stream, StreamPosition


@given(st.lists(st.integers(1, 40), max_size=120))
def test_a_stream_knows_what_it_has_seen(sequences: list[int]) -> None:
    """Against the obvious implementation, a set: taken exactly when seen, missing exactly when below the highest."""
    stream, seen = Stream(), set[int]()
    for sequence in sequences:
        place = stream.place(sequence)
        assert (place is StreamPosition.TAKEN) == (sequence in seen)
        assert (place is StreamPosition.NEXT) == (sequence == max(seen, default=0) + 1)
        assert (place is StreamPosition.LATE) == (sequence not in seen and sequence < max(seen, default=0))
        if place is not StreamPosition.TAKEN:
            stream.take(sequence)
            seen.add(sequence)
        missing = {number for first, last in stream.missing() for number in range(first, last + 1)}
        assert set(range(1, max(seen, default=0) + 1)) - seen == missing


@given(st.permutations(list(range(1, 30))))
def test_the_order_of_arrival_does_not_matter(order: list[int]) -> None:
    """All events, in any order: nothing is missing in the end."""
    stream = Stream()
    for sequence in order:
        stream.take(sequence)
    assert (29, []) == (stream.last, list(stream.missing()))


def test_a_gap_is_told_once() -> None:
    """The event that jumps ahead opens the gap; those that fill it open none."""
    stream = Stream()
    assert [None, (2, 4), None, None] == [stream.take(sequence) for sequence in (1, 5, 3, 6)]
