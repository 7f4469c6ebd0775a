"""Update the metrics that change with time: overdue checks, open variances, slips in transit, unsealed days."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Final, get_args

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.desk import changes_sender
from services.table_inventory.domain.days import DayKey
from services.table_inventory.domain.equipment import Check
from services.table_inventory.domain.provisions import Level
from services.table_inventory.progress import PROGRESS
from services.table_inventory.queries.days import variances_of_day
from services.table_inventory.queries.equipment import clocks_of
from services.table_inventory.queries.watched import (
    SERIES,
    missing_numbers,
    running_days,
    slips_under_way,
    unsealed_days,
)
from services.table_inventory.rating_statements import RatingStatements
from services.table_inventory.stating import Stating
from services.table_inventory.tables import counts, days
from shared.contracts.inventory import SlipKind
from shared.runtime.background.periodic import every
from shared.runtime.service.service_context import ServiceContext

_WATCH_SECONDS: Final = 15.0
_STATE_SECONDS: Final = 1.0
_WATCH_DAYS_SECONDS: Final = 300.0
"""The interval between updates of slow-changing metrics, which read all slip numbers and five weeks of gaming days."""
_LOOK_BACK: Final = timedelta(days=7)
"""The age of the oldest gaming day whose variances are counted."""
_OLD: Final = timedelta(days=1)
"""The age from which an unresolved variance counts as old."""


async def watch(context: ServiceContext) -> None:
    """Until cancelled, update the metrics and record statements of wins and ratings."""
    stating, rated = Stating(context), RatingStatements(context)

    async def look() -> None:
        async with context.pools.background.connect() as connection:
            await observe(context, connection)

    async def look_back() -> None:
        async with context.pools.background.connect() as connection:
            await observe_days(context, connection)

    await asyncio.gather(
        PROGRESS.watch(context),
        every(_STATE_SECONDS, stating.state, "win statements"),
        every(_STATE_SECONDS, rated.state, "rating statements"),
        every(_STATE_SECONDS, changes_sender(context).send, "sending of approved changes"),
        every(_WATCH_SECONDS, look, "inventory metrics"),
        every(_WATCH_DAYS_SECONDS, look_back, "metrics of slips and unsealed days"),
    )


async def observe(context: ServiceContext, connection: AsyncConnection) -> None:
    """Update the metrics of equipment, variances and slips, once."""
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
        found = await variances_of_day(connection, DayKey(property_name, gaming_day), now=now)
        levels.update((is_sealed, variance.level) for variance in found if variance.status != "resolved")
    for level in get_args(Level):
        metrics.variances_open.labels(level).set(levels[False, level])
        metrics.variances_open_sealed.labels(level).set(levels[True, level])
    await _observe_slips(context, connection)


async def _observe_slips(context: ServiceContext, connection: AsyncConnection) -> None:
    """Update the metrics of slips that are neither received nor void."""
    now, metrics = context.clock(), context.metrics
    under_way, running = await slips_under_way(connection), await running_days(connection, now)
    for slip in get_args(SlipKind):
        listed = [one for one in under_way if one.slip == slip]
        carried = [one for one in listed if one.is_carried]
        ended = [one for one in listed if one.property in running and one.gaming_day < running[one.property]]
        oldest = min((one.first_at for one in carried), default=now)
        metrics.slips_in_transit.labels(slip).set(sum(one.slips for one in carried))
        metrics.slips_in_transit_age.labels(slip).set(max(0.0, (now - oldest).total_seconds()))
        metrics.slips_not_received.labels(slip).set(sum(one.slips for one in ended))


async def observe_days(context: ServiceContext, connection: AsyncConnection) -> None:
    """Update the metrics of unsealed days, old variances and missing slip numbers, once."""
    now, metrics = context.clock(), context.metrics
    unsealed = await unsealed_days(connection, now)
    metrics.days_unsealed.set(len(unsealed))
    levels: Counter[str] = Counter()
    for key in unsealed:
        found = await variances_of_day(connection, key, now=now)
        levels.update(one.level for one in found if one.status != "resolved" and one.at < now - _OLD)
    for level in get_args(Level):
        metrics.variances_open_old.labels(level).set(levels[level])
    missing = await missing_numbers(connection)
    for series in SERIES:
        for slip in get_args(SlipKind):
            metrics.slip_numbers_missing.labels(series, slip).set(missing.get((series, slip), 0))
