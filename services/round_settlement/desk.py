"""Background work of round settlement: send approved corrections so that they take effect."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.queries.corrections import approved_event, waiting_corrections
from services.round_settlement.tables import journal
from shared.contracts.topics import TABLE_EVENTS
from shared.runtime.background.periodic import every
from shared.runtime.service.approved_events import ApprovedEvent, ApprovedSender
from shared.runtime.service.service_context import ServiceContext

_SECONDS: Final = 1.0


def corrections_sender(context: ServiceContext) -> ApprovedSender:
    """Return the sender that publishes approved corrections to the topic of table events."""
    return ApprovedSender(context, TABLE_EVENTS, journal, _waiting)


async def _waiting(connection: AsyncConnection) -> Sequence[ApprovedEvent]:
    return [approved_event(one) for one in await waiting_corrections(connection)]


async def watch(context: ServiceContext) -> None:
    """Send approved corrections until cancelled."""
    await every(_SECONDS, corrections_sender(context).send, "sending of approved corrections")
