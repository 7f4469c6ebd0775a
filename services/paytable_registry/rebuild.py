"""Makes the versions of the rules submissions anew from the journal alone."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.store import project
from services.paytable_registry.tables import journal, submissions
from shared.runtime.service.rebuild import Projections, replay
from shared.runtime.settings import Settings


async def _fill(connection: AsyncConnection, settings: Settings) -> None:
    del settings
    await replay(connection, journal, project)


PROJECTIONS = Projections(journal=journal, tables=(submissions,), fill=_fill)
