"""Two properties on one partition, of which one fails: the rounds of the other are settled all the same, at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import pytest
from sqlalchemy import event as sql_event

from services.round_settlement.handlers import KnownProperties, Submissions
from shared.runtime.ingest.handler import InputRecord
from tests.support import Databases
from tests.support.nightly import sampled
from tests.support.properties import property_event
from tests.support.rounds import PROPERTY, TABLES, completed, encoded, submission
from tests.support.services import query, settled_database
from tests.support.table import NOON, POSTED, Table, play_at, quarantine

STEADY: Final = "steady"
BATCH, BATCHES, BAD_OF_EACH_GOOD = 120, 5, 4
Bad = Callable[[int], bytes]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


def of_steady(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same event of the property that does not fail."""
    said = {**document, "data": document["data"] | {"property": STEADY}}
    return said | {"source": document["source"].replace(f"/{PROPERTY}/", f"/{STEADY}/")}


def unfiled(number: int) -> bytes:
    """A round of a table that the rules submission of the property does not list."""
    return encoded(completed("BJ-09", number))


def poisoned(number: int) -> bytes:
    """Bytes that are no event."""
    return b'{"poison": %d' % number


def conflicting(number: int) -> bytes:
    """Ever another event at the first place of a table."""
    return encoded(completed(TABLES[0], 1, f"r{number}") | {"id": f"other-{number}"})


def implausible(number: int) -> bytes:
    """A round of a future year."""
    return encoded(completed(TABLES[0], number, closed_at="2031-01-01T00:00:00Z"))


def key_of(raw: bytes) -> bytes:
    """The key under which a record of the failing property comes."""
    table = b"BJ-09" if b"/tables/BJ-09" in raw else TABLES[0].encode()
    return b"/properties/%s/tables/%s" % (PROPERTY.encode(), table)


@sampled(1)
@pytest.mark.parametrize("bad", [unfiled, poisoned, conflicting, implausible])
def test_what_one_property_does_wrong_costs_the_other_no_round_and_no_transaction(url: str, bad: Bad) -> None:
    """Four bad records to each good round: each batch ends with its rounds posted and the rest in quarantine.

    A batch takes the few transactions that it takes without them, however many of its records are refused, and the last
    one reads no more rows than the second, whatever lies in quarantine by then.
    """
    transactions: list[int] = []
    rows: list[int] = []
    read: list[int] = []

    async def play(table: Table) -> None:
        for handler, document in ((KnownProperties(), property_event), (Submissions(), submission)):
            reader = table.consumer(handler=handler)
            await reader.assigned([0])
            made = (
                document(sequence=2, property=STEADY) if document is submission else property_event(STEADY, sequence=2)
            )
            await reader.handle([InputRecord(handler.topic, 0, 1, None, encoded(made), NOON)])
        owner = await table.owner()
        sql_event.listen(table.engine.sync_engine, "commit", lambda _: transactions.append(1))
        sql_event.listen(table.engine.sync_engine, "after_cursor_execute", lambda *said: rows.append(said[1].rowcount))
        good = refused = 0
        if bad is conflicting:
            await owner.handle(table.records(completed(TABLES[0], 1)))
        for _ in range(BATCHES):
            records: list[InputRecord] = []
            while len(records) < BATCH:
                good += 1
                records += table.records(of_steady(completed(TABLES[0], good)))
                for _ in range(BAD_OF_EACH_GOOD):
                    refused += 1
                    raw = bad(refused)
                    [one] = table.records(raw)
                    records.append(InputRecord(one.topic, one.partition, one.offset, key_of(raw), raw, NOON))
            transactions.clear()
            rows.clear()
            assert {} == await owner.handle(records)
            assert 1 <= len(transactions) <= 2
            read.append(sum(rows))
            assert good == len(posted(url))
            assert refused == len(quarantine(url))

    play_at(url, play)
    assert read[1] == read[-1]
    assert list(range(1, BATCHES * BATCH // (1 + BAD_OF_EACH_GOOD) + 1)) == posted(url)


def posted(url: str) -> Sequence[int]:
    """The rounds of the property that does not fail, by their places."""
    rows = query(
        url,
        f"""SELECT sequence FROM round_settlement.entries WHERE kind = '{POSTED}'
            AND source LIKE '/properties/{STEADY}/%' ORDER BY sequence""",
    )
    return [sequence for (sequence,) in rows]
