"""Brings the figures up to date that change with the clock: what is overdue, open or on its way."""

import asyncio
from collections import Counter
from datetime import timedelta

import structlog
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.equipment import CHECKS, clocks_of
from services.table_inventory.tables import counts, days, slips
from services.table_inventory.variances import variances_of_day
from shared.runtime.errors import Kind, kind_of
from shared.runtime.service.run import Parts

log = structlog.get_logger()

_WATCH_SECONDS = 15.0
_LOOK_BACK = timedelta(days=7)
"""How long ago a gaming day may have been for its variances to count."""

_LEVELS = ("noted", "report", "authority")


async def watch(parts: Parts) -> None:
    """Watches until cancelled."""
    while True:
        try:
            async with parts.engine.connect() as connection:
                await observe(parts, connection)
        except Exception as error:
            if kind_of(error) is Kind.BUG:
                raise
            log.warning("inventories not watched", error=str(error))
        await asyncio.sleep(_WATCH_SECONDS)


async def observe(parts: Parts, connection: AsyncConnection) -> None:
    """Updates the figures once."""
    now, metrics = parts.clock(), parts.metrics
    overdue = Counter(clock.check for clock in await clocks_of(connection, None, now) if clock.overdue)
    for check in CHECKS:
        metrics.equipment_overdue.labels(check).set(overdue[check])
    d, c, s = days.c, counts.c, slips.c
    final = select(d.property).where(d.property == c.property, d.gaming_day == c.gaming_day, d.final_at.is_not(None))
    recent = select(c.property, c.gaming_day).where(c.at >= now - _LOOK_BACK, ~final.exists()).distinct()
    levels: Counter[str] = Counter()
    for property_name, gaming_day in (await connection.execute(recent)).all():
        found = await variances_of_day(connection, property_name, gaming_day)
        levels.update(variance.level for variance in found if variance.state != "resolved")
    for level in _LEVELS:
        metrics.variances_open.labels(level).set(levels[level])
    under_way = (
        select(s.slip, func.count())
        .where(s.carried_at.is_not(None), s.received_at.is_(None), s.voided_at.is_(None))
        .group_by(s.slip)
    )
    carried = {row[0]: row[1] for row in await connection.execute(under_way)}
    for slip in ("fill", "credit"):
        metrics.slips_in_transit.labels(slip).set(carried.get(slip, 0))
