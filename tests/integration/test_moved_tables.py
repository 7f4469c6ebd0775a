"""A table that is moved while it plays: a round counts where its table stood when the round was opened."""

from collections.abc import Iterator
from typing import Any

import pytest

from services.round_settlement.handlers import KnownProperties
from shared.runtime.ingest.handler import InputRecord
from tests.support import Databases
from tests.support.properties import property_event
from tests.support.rounds import LOSING, TABLES, completed, corrected, encoded, record
from tests.support.services import query, settled_database
from tests.support.table import NOON, Table, kinds, play_at

MOVED = "2026-11-20T10:01:00Z"
BEFORE: dict[str, Any] = {"opened_at": "2026-11-20T10:00:30Z", "closed_at": "2026-11-20T10:01:30Z"}
AFTER: dict[str, Any] = {"opened_at": "2026-11-20T10:01:00Z", "closed_at": "2026-11-20T10:02:30Z"}


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement that has the property and its submission."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


async def move(table: Table, url: str) -> None:
    """Have a version of the property approved without the first table, in effect since the round was opened."""
    event = property_event(tables=list(TABLES[1:]), sequence=2, version=2, effective_from=MOVED)
    keeper = table.consumer(handler=KnownProperties())
    [(offset,)] = query(url, "SELECT next_offset FROM round_settlement.shards WHERE name LIKE 'properties/%'")
    await keeper.assigned([0])
    await keeper.handle([InputRecord("properties", 0, offset, None, encoded(event), NOON)])


@pytest.mark.parametrize("known_before", [True, False], ids=["known-before", "known-meanwhile"])
def test_a_round_counts_where_its_table_was_when_it_was_opened(url: str, known_before: bool) -> None:
    """One that was opened before the move is settled and may be corrected; the next one is refused, and says why."""

    async def play(table: Table) -> None:
        first, second, third = table.records(
            completed(TABLES[0], 1, "before", **BEFORE),
            completed(TABLES[0], 2, "after", **AFTER),
            corrected(TABLES[0], 3, "before", record(LOSING), **BEFORE),
        )
        if known_before:
            await move(table, url)
        reader = await table.owner()
        await reader.handle([first])
        if not known_before:
            await move(table, url)
        await reader.handle([second])
        assert ["settlement.posted", "record.quarantined"] == [kind for kind, _ in kinds(url)]
        [(reason,)] = query(url, "SELECT reason FROM round_settlement.quarantine")
        assert f"table '{TABLES[0]}' is not among the tables of riverside" in reason
        await reader.handle([third])
        assert [("settlement.reversed", 3), ("settlement.posted", 3)] == kinds(url)[-2:]

    play_at(url, play)
