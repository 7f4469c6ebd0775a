"""Computes the reports again: from the topic, reporting's own journal and its copy of the rules submissions."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import projection
from services.reporting.domain import Changes
from services.reporting.events import decode
from services.reporting.house_edges import count_again
from services.reporting.processing import add_dismissed, add_own
from services.reporting.tables import PROJECTIONS as OF_TOPIC
from services.reporting.tables import house_edges, journal
from shared.contracts.settlements import TOPIC
from shared.journal.entry import Entry
from shared.runtime.consume.rereading import read_again
from shared.runtime.service.rebuild import Projections, replay
from shared.runtime.settings import Settings


async def _fill(connection: AsyncConnection, settings: Settings) -> None:
    await count_again(connection)
    await replay(connection, journal, _add_own_entries)
    async for events in read_again(connection, journal, TOPIC, decode, settings):
        changes = Changes()
        for event in events:
            changes.add(event)
        await projection.write(connection, changes)


async def _add_own_entries(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    changes = Changes()
    add_own(changes, entries)
    await projection.write(connection, changes)


PROJECTIONS = Projections(journal=journal, tables=(*OF_TOPIC, house_edges), fill=_fill, catch_up=add_dismissed)
