"""Makes the projections of the table inventory anew from its journal alone."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import projection
from services.table_inventory.tables import PROJECTIONS as OF_JOURNAL
from services.table_inventory.tables import journal
from shared.runtime.service.rebuild import Projections, replay
from shared.runtime.settings import Settings


async def _fill(connection: AsyncConnection, settings: Settings) -> None:
    """A slip is prepared in one shard and carried in another: first all rows, then what becomes of them."""
    del settings
    await replay(connection, journal, projection.add_rows)
    await replay(connection, journal, projection.change_rows)


PROJECTIONS = Projections(journal=journal, tables=OF_JOURNAL, fill=_fill)
