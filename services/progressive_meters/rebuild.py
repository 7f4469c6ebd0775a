"""Makes the pools, and all that moved them, anew from the journal alone."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters import store
from services.progressive_meters.tables import PROJECTIONS as OF_JOURNAL
from services.progressive_meters.tables import journal
from shared.runtime.service.rebuild import Projections, replay
from shared.runtime.settings import Settings


async def _fill(connection: AsyncConnection, settings: Settings) -> None:
    del settings
    await replay(connection, journal, store.project)


PROJECTIONS = Projections(journal=journal, tables=OF_JOURNAL, fill=_fill)
