"""Makes what is owed anew from the journal, and the shifts from the pit events that were read."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish import store
from services.vigorish.events import Pit, decode_pit
from services.vigorish.tables import PROJECTIONS as OF_JOURNAL
from services.vigorish.tables import journal, shifts
from shared.contracts import pit_events
from shared.runtime.consume.rereading import read_again
from shared.runtime.service.rebuild import Projections, replay
from shared.runtime.settings import Settings


async def _fill(connection: AsyncConnection, settings: Settings) -> None:
    await replay(connection, journal, store.project)
    async for events in read_again(connection, journal, pit_events.TOPIC, decode_pit, settings):
        await store.add_shifts(connection, (event for event in events if isinstance(event, Pit)))


PROJECTIONS = Projections(journal=journal, tables=(*OF_JOURNAL, shifts), fill=_fill)
