"""How far the journals have been read, as every report says it of the moment that it is about."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from tests.support.reporting import Books
from tests.unit.reporting.entries import NOON, total


def _posted(books: Books, seq: int, minutes: int) -> dict[str, Any]:
    """A round that was recorded so many minutes after noon."""
    at = {"recordedat": (NOON + timedelta(minutes=minutes)).isoformat()}
    return books.posted(seq, "BJ-01", [total(handle=100)]) | at


def _through(books: Books, minutes: int) -> int:
    """Return the last entry of round settlement that had been recorded so many minutes after noon."""
    known_at = quote((NOON + timedelta(minutes=minutes)).isoformat())
    [reached] = [
        one["seq"] for one in books.settled(f"&known_at={known_at}")["through"] if one["service"] == "round-settlement"
    ]
    return int(reached)


def test_a_moment_that_goes_on_in_another_batch_has_its_last_entry(books: Books) -> None:
    """Batches cut a moment anywhere: what is asked for as of then ends with the last entry that was recorded then."""
    books.publish(_posted(books, 1, 1), _posted(books, 2, 1), _posted(books, 3, 2))
    books.publish(_posted(books, 4, 2), _posted(books, 5, 3))
    assert [2, 4, 5, 5] == [_through(books, at) for at in (1, 2, 3, 9)]


def test_an_entry_that_comes_late_counts_at_its_own_moment(books: Books) -> None:
    """What was recorded earlier and is read later is known from the moment of its recording on."""
    books.publish(_posted(books, 1, 1), _posted(books, 3, 5))
    books.publish(_posted(books, 2, 3))
    assert [1, 2, 3] == [_through(books, at) for at in (2, 4, 6)]
