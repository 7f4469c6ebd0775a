"""A copy of a property or a rules submission that somebody altered, past the service, decides nothing."""

from collections.abc import Iterator

import pytest

from services.round_settlement.handlers import KnownProperties, Submissions
from shared.runtime.ingest.handler import InputRecord
from tests.support import Databases
from tests.support.properties import property_event
from tests.support.rebuilding import execute
from tests.support.rounds import TABLES, completed, encoded, submission
from tests.support.services import query, settled_database
from tests.support.table import NOON, Table, kinds, play_at

NOT_AS_TAKEN = "is not what this service took from its topic"
ALTERED = {
    "no signatures needed": """UPDATE round_settlement.properties
        SET document = document #- '{devices,signatures_required_from}' || '{"approved_by": "nobody"}'""",
    "another payout": """UPDATE round_settlement.submissions
        SET document = replace(document::text, '"hash": "', '"hash": "0')::jsonb""",
    "another moment": "UPDATE round_settlement.submissions SET received_at = received_at - interval '1 day'",
    "added": """INSERT INTO round_settlement.properties
        SELECT property, version + 1, effective_from, document, received_at FROM round_settlement.properties""",
    "added elsewhere": """INSERT INTO round_settlement.properties
        SELECT 'elsewhere', version, effective_from, document, received_at FROM round_settlement.properties""",
    "deleted": "DELETE FROM round_settlement.submissions",
    "unsigned": "UPDATE round_settlement.copies SET signature = NULL",
    "without a signature": "DELETE FROM round_settlement.copies",
}
COPIED = ("properties", "submissions", "copies")
KEPT = [f"CREATE TABLE kept_{name} AS TABLE round_settlement.{name}" for name in COPIED]
PUT_BACK = [
    statement.format(name)
    for name in COPIED
    for statement in ("DELETE FROM round_settlement.{0}", "INSERT INTO round_settlement.{0} TABLE kept_{0}")
]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement that has the property and its submission."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.mark.parametrize("how", ALTERED)
def test_nothing_is_settled_under_an_altered_copy(url: str, how: str) -> None:
    """The partition stops before anything is recorded; put back, it goes on, and nothing was let in."""

    async def play(table: Table) -> None:
        first, second = table.records(*(completed(TABLES[0], number) for number in (1, 2)))
        execute(url, *KEPT, ALTERED[how])
        reader = await table.owner()
        await reader.handle([first])
        assert NOT_AS_TAKEN in reader.stopped.reasons[0]
        assert [] == kinds(url)
        execute(url, *PUT_BACK)
        again = await table.owner()
        await again.handle([first, second])
        assert [("settlement.posted", 1), ("settlement.posted", 2)] == kinds(url)

    play_at(url, play)


@pytest.mark.parametrize("of", ["submissions", "properties"])
def test_nothing_is_settled_under_an_earlier_copy_with_its_signature_of_then(url: str, of: str) -> None:
    """Who knows the later one stops before anything is recorded; the later one put back, it goes on."""

    async def play(table: Table) -> None:
        first, second, third = table.records(*(completed(TABLES[0], number) for number in (1, 2, 3)))
        execute(url, *(f"CREATE TABLE earlier_{name} AS TABLE round_settlement.{name}" for name in COPIED))
        reader = await table.owner()
        await reader.handle([first])
        handler = {"submissions": Submissions, "properties": KnownProperties}[of]()
        event = submission(2, version=2) if of == "submissions" else property_event(sequence=2, version=2)
        keeper = table.consumer(handler=handler)
        [(offset,)] = query(url, f"SELECT next_offset FROM round_settlement.shards WHERE name LIKE '{of}/%'")
        await keeper.assigned([0])
        await keeper.handle([InputRecord(of, 0, offset, None, encoded(event), NOON)])
        await reader.handle([second])
        execute(url, *KEPT, *(one.replace("kept_", "earlier_") for one in PUT_BACK))
        await reader.handle([third])
        assert f"the copy of {of} is not as far as this process knows it: 1 " in reader.stopped.reasons[0]
        assert [("settlement.posted", 1), ("settlement.posted", 2)] == kinds(url)
        execute(url, *PUT_BACK)
        again = await table.owner()
        await again.handle([third])
        assert ("settlement.posted", 3) == kinds(url)[-1]

    play_at(url, play)


def test_nothing_is_signed_together_with_what_was_altered(url: str) -> None:
    """The next version of a document does not make good what was done to those before it."""

    async def play(table: Table) -> None:
        execute(url, ALTERED["another payout"])
        reader = table.consumer(handler=Submissions())
        [(offset,)] = query(url, "SELECT next_offset FROM round_settlement.shards WHERE name LIKE 'submissions/%'")
        await reader.assigned([0])
        await reader.handle([InputRecord("submissions", 0, offset, None, encoded(submission(2, version=2)), NOON)])
        assert NOT_AS_TAKEN in reader.stopped.reasons[0]
        assert [(1,)] == query(url, "SELECT version FROM round_settlement.submissions")

    play_at(url, play)
