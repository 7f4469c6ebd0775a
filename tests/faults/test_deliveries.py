"""Whatever a broker delivers, twice, again, to two owners at once or out of order: the same books, in every service."""

import asyncio
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count

import pytest

from shared.runtime.ingest.handler import InputRecord
from tests.faults.books import books_of, check_order, figures_of, without_offsets
from tests.faults.in_process import database, read, reader, records_of
from tests.faults.subject import Subject
from tests.faults.subjects import READING
from tests.support import Databases
from tests.support.nightly import sampled
from tests.support.services import query


class Runs:
    """Runs of a subject's story, each on a database of its own."""

    def __init__(self, subject: Subject, databases: Databases) -> None:
        self.subject = subject
        self.records = records_of({**subject.references, **subject.records})
        self._databases = databases
        self._urls: list[str] = []

    def database(self) -> str:
        """The URL of a database as the records find it."""
        self._urls.append(database(self.subject, self._databases))
        return self._urls[-1]

    def run(self, *lives: Sequence[InputRecord], size: int = 20) -> str:
        """Reads records, each sequence in another process; gives the URL of the database, which is in order."""
        url = self.database()
        for records in lives:
            read(self.subject, url, records, size=size)
        check_order(self.subject, url)
        return url

    @cached_property
    def undisturbed(self) -> str:
        """The database of the run that nothing disturbs."""
        return self.run(self.records)

    @cached_property
    def accepted(self) -> list[InputRecord]:
        """The records that are not refused; a duplicate is among them."""
        refused = query(self.undisturbed, f'SELECT topic, "offset" FROM {self.subject.schema}.quarantine')
        return _numbered(record for record in self.records if (record.topic, record.offset) not in refused)

    @cached_property
    def alike(self) -> str:
        """The database of a run of the accepted records."""
        return self.run(self.accepted)

    def drop(self) -> None:
        """Drops every database."""
        for url in self._urls:
            self._databases.drop(url)


def _numbered(records: Iterable[InputRecord]) -> list[InputRecord]:
    """The records in this order: each at the offset to which it comes in its topic."""
    offsets: dict[str, count[int]] = {}
    return [replace(record, offset=next(offsets.setdefault(record.topic, count()))) for record in records]


@pytest.fixture(scope="module", params=READING, ids=lambda subject: subject.name)
def runs(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Runs]:
    """Runs of a subject, which share what nothing disturbs."""
    runs = Runs(request.param, databases)
    yield runs
    runs.drop()


@sampled(3, of="deliveries")
def test_every_event_twice(runs: Runs) -> None:
    """In the same batch, in a later batch, and after a restart."""
    once = runs.accepted
    twice = [record for record in once for _ in range(2)]
    everything = _numbered([*twice, *once, *once])
    again = runs.run(everything[: len(twice) + len(once)], everything)
    assert without_offsets(books_of(runs.subject, runs.alike)) == without_offsets(books_of(runs.subject, again))


@sampled(3, of="deliveries")
def test_batches_delivered_again(runs: Runs) -> None:
    """A rebalance hands everything to a process that was assigned before the first batch was committed."""
    url = runs.database()

    async def main() -> None:
        async with reader(runs.subject, url, runs.records) as first, reader(runs.subject, url, runs.records) as second:
            await first.read()
            await second.read()

    asyncio.run(main())
    assert books_of(runs.subject, runs.undisturbed) == books_of(runs.subject, url)


@sampled(3, of="deliveries")
def test_two_owners_of_every_partition(runs: Runs) -> None:
    """Two processes that both believe they own everything record every event once between them."""
    url = runs.database()

    async def main() -> None:
        async with (
            reader(runs.subject, url, runs.records, size=7) as first,
            reader(runs.subject, url, runs.records, size=3) as second,
        ):
            await asyncio.gather(first.read(), second.read())

    asyncio.run(main())
    check_order(runs.subject, url)
    assert books_of(runs.subject, runs.undisturbed) == books_of(runs.subject, url)


@sampled(3, of="deliveries")
def test_late_events_fill_their_gaps(runs: Runs, rng: random.Random) -> None:
    """Missing events are known by number; once they have come, in whatever order, everything is as if in order."""
    late = {(topic, index) for topic, indexes in runs.subject.late.items() for index in indexes}
    assert late <= {(record.topic, record.offset) for record in runs.accepted}
    in_time = [record for record in runs.accepted if (record.topic, record.offset) not in late]
    at_the_end = [record for record in reversed(runs.accepted) if (record.topic, record.offset) in late]
    shuffled = runs.run(_numbered([*in_time, *at_the_end]), size=rng.choice((1, 4, 200)))
    assert figures_of(runs.subject, runs.alike) == figures_of(runs.subject, shuffled)
    gaps = f"SELECT source, first, last FROM {runs.subject.schema}.gaps ORDER BY 1, 2"
    assert query(runs.alike, gaps) == query(shuffled, gaps)
    filled = f"SELECT count(*) FROM {runs.subject.schema}.entries WHERE kind = 'gap.filled'"
    assert query(runs.alike, filled)[0][0] + len(late) == query(shuffled, filled)[0][0]
