"""Background work of table inventory: put approved changes to pit events into effect."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.queries.pit_changes import approved_event, waiting_changes
from services.table_inventory.tables import journal
from shared.contracts.topics import PIT_EVENTS
from shared.runtime.service.approved_events import ApprovedEvent, ApprovedSender
from shared.runtime.service.service_context import ServiceContext


def changes_sender(context: ServiceContext) -> ApprovedSender:
    """Return the background job that sends approved changes to the topic of pit events."""
    return ApprovedSender(context, PIT_EVENTS, journal, _waiting)


async def _waiting(connection: AsyncConnection) -> Sequence[ApprovedEvent]:
    return [approved_event(one) for one in await waiting_changes(connection)]
