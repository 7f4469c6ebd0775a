"""Background work of the wagering accounts: write off expired promotional money, and watch for late filings."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from services.wagering_accounts.commands.promotions import ExpirePromotion
from services.wagering_accounts.domain.promotions import Lot, expired, left_of
from services.wagering_accounts.queries import filings
from services.wagering_accounts.queries.promotions import Pool, changes_of, pools_to_look_at
from services.wagering_accounts.tables import properties
from shared.runtime.background.periodic import every
from shared.runtime.database import snapshot
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.service.service_context import ServiceContext

log = structlog.get_logger()

BY: Final = "schedule"
"""The person recorded for automatic actions."""

_SECONDS: Final = 30.0
_A_DAY: Final = timedelta(days=1)


async def watch(context: ServiceContext) -> None:
    """Write off expired money and update the metrics, in two independent loops, until cancelled."""
    expiring = every(_SECONDS, lambda: expire_due(context), "expiry of promotional money")
    looking = every(_SECONDS, lambda: observe(context), "promotional money metrics")
    await asyncio.gather(expiring, looking)


async def observe(context: ServiceContext) -> None:
    """Update the metrics for overdue write-offs and filings that were not sent in time."""
    context.metrics.promotions_overdue.set(len(await _wanted(context)))
    context.metrics.filings_late.set(await _late_filings(context))


async def expire_due(context: ServiceContext) -> int:
    """Write off expired available money; return the number of accounts.

    The amounts follow from the journal and the gaming day. The first process to record a write-off does so under a key
    that prevents duplicates. If an account changes meanwhile, the next run computes the amount again.
    """
    return sum([await _expire(context, command) for command in await _wanted(context)])


async def _late_filings(context: ServiceContext) -> int:
    """Return the number of filings not sent by their last day, as of the current gaming day of their property."""
    now, late = context.clock(), 0
    async with snapshot(context.pools.background) as connection:
        places = await known_places(connection, properties)
        for name in await filings.properties_with_filings(connection):
            place = places.place(name, now)
            if place is not None:
                late += await filings.unsent_late(connection, name, place.gaming_day(now))
    return late


async def _wanted(context: ServiceContext) -> list[ExpirePromotion]:
    """Return the commands that write off expired available money, one per account."""
    now = context.clock()
    async with snapshot(context.pools.background) as connection:
        places = await known_places(connection, properties)
        return [
            command
            for pool in await pools_to_look_at(connection, now.date() + _A_DAY)
            for command in _due(places, pool, left_of(await changes_of(connection, pool)), now)
        ]


def _due(places: Places, pool: Pool, lots: Sequence[Lot], now: datetime) -> Iterator[ExpirePromotion]:
    place = places.place(pool.property, now)
    if place is None:
        return
    today = place.gaming_day(now)
    known = tuple((account.account, account.version) for account in pool.accounts)
    for account, cents in expired(lots, today, pool.accounts).items():
        yield ExpirePromotion(property=pool.property, account=account, cents=cents, gaming_day=today, known=known)


async def _expire(context: ServiceContext, command: ExpirePromotion) -> bool:
    """Execute the command under a key derived from its content; return whether it is recorded."""
    answer = await context.commands.do(command, person=BY, key=f"expire-{command.digest().hex()}")
    if answer.reason is not None:
        log.info(
            "expired promotional money not written off",
            property=command.property,
            account=command.account,
            why=answer.body,
        )
    return answer.reason is None
