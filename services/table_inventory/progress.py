"""The read progress of the settlements topic, over all processes of the service."""

from datetime import datetime, timedelta
from typing import Final

from services.table_inventory.tables import read_until
from shared.contracts.topics import SETTLEMENTS
from shared.runtime.process.read_progress import ReadProgress
from shared.runtime.service.service_context import ServiceContext

PROGRESS: Final = ReadProgress(read_until)
_UNREAD_MAX: Final = timedelta(seconds=5)
"""The age at which an unread settlement prevents closing a gaming day."""


async def unread(context: ServiceContext) -> list[str]:
    """Return a text for each partition of the settlements topic that no process has read up to date."""
    await PROGRESS.note(context)
    now, known = context.clock(), await PROGRESS.read(context, context.pools.background)
    found = {number: until for (topic, number), until in sorted(known.items()) if topic == SETTLEMENTS.name}
    if not found:
        return ["nobody reads them"]
    late = {number: until for number, until in found.items() if until is None or now - until > _UNREAD_MAX}
    return [f"partition {number}: {_since(until, now)}" for number, until in late.items()]


def _since(until: datetime | None, now: datetime) -> str:
    return "nobody reads it" if until is None else f"{(now - until).total_seconds():.0f} s"
