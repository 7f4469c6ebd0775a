"""Bring the figures up to date that change with the clock: what is overdue, open or on its way."""

from collections import Counter
from datetime import timedelta
from typing import Final, get_args

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.days import DayKey
from services.table_inventory.domain.equipment import Check
from services.table_inventory.domain.provisions import Level
from services.table_inventory.queries.days import variances_of_day
from services.table_inventory.queries.equipment import clocks_of
from services.table_inventory.queries.slips import slip_status
from services.table_inventory.tables import counts, days, slips
from shared.contracts.inventory import SlipKind
from shared.runtime.service.context import ServiceContext
from shared.runtime.service.periodic import every

_WATCH_SECONDS: Final = 15.0
_LOOK_BACK: Final = timedelta(days=7)
"""How long ago a gaming day may have been for its variances to count."""


async def watch(context: ServiceContext) -> None:
    """Watch until cancelled."""

    async def look() -> None:
        async with context.engine.connect() as connection:
            await observe(context, connection)

    await every(_WATCH_SECONDS, look, "inventories not watched")


async def observe(context: ServiceContext, connection: AsyncConnection) -> None:
    """Update the figures once."""
    now, metrics = context.clock(), context.metrics
    overdue = Counter(clock.check for clock in await clocks_of(connection, None, now) if clock.overdue)
    for check in get_args(Check):
        metrics.equipment_overdue.labels(check).set(overdue[check])
    d, c = days.c, counts.c
    final = select(d.property).where(d.property == c.property, d.gaming_day == c.gaming_day, d.final_at.is_not(None))
    sealed = final.exists().label("sealed")
    recent = select(c.property, c.gaming_day, sealed).where(c.at >= now - _LOOK_BACK).distinct()
    levels: Counter[tuple[bool, str]] = Counter()
    for property_name, gaming_day, is_sealed in (await connection.execute(recent)).all():
        found = await variances_of_day(connection, DayKey(property_name, gaming_day))
        levels.update((is_sealed, variance.level) for variance in found if variance.status != "resolved")
    for level in get_args(Level):
        metrics.variances_open.labels(level).set(levels[False, level])
        metrics.variances_open_sealed.labels(level).set(levels[True, level])
    rows = await connection.execute(
        select(slips.c.slip, func.count()).where(slip_status == "carried").group_by(slips.c.slip)
    )
    under_way = {row[0]: row[1] for row in rows}
    for slip in get_args(SlipKind):
        metrics.slips_in_transit.labels(slip).set(under_way.get(slip, 0))
