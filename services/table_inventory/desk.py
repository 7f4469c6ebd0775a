"""What table inventory does by itself: have changes of pit events take effect that two people stand for."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.queries.pit_changes import waiting_changes
from services.table_inventory.tables import journal
from shared.contracts.envelope import pit_source
from shared.contracts.pit_changes import event_of
from shared.contracts.topics import PIT_EVENTS
from shared.runtime.service.approved_events import ApprovedEvent, ApprovedSender
from shared.runtime.service.service_context import ServiceContext


def changes_sender(context: ServiceContext) -> ApprovedSender:
    """Return what sends approved changes to the topic of the pit events."""
    return ApprovedSender(context, PIT_EVENTS, journal, _waiting)


async def _waiting(connection: AsyncConnection) -> Sequence[ApprovedEvent]:
    return [
        ApprovedEvent(event_of(one), pit_source(one.property, one.table)) for one in await waiting_changes(connection)
    ]
