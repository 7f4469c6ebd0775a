"""Read rounds without a result."""

from datetime import datetime
from typing import Final

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.documents import HoldDocument, OpenRound
from services.wagering_accounts.tables import holds, rounds
from shared.runtime.rows import thing_of

OpenPlace = tuple[datetime, str, str]
"""The place of an open round in the list: (opened_at, table, round id)."""

_LIVE: Final = ("held", "captured")


async def open_rounds_after(
    connection: AsyncConnection, property_name: str, *, after: OpenPlace | None, limit: int
) -> list[OpenRound]:
    """Return rounds with wagers on hold or in play, oldest first, after a position."""
    c, h = rounds.c, holds.c
    waiting = select(h.hold).where(
        h.property == c.property, h.table == c.table, h.round_id == c.round_id, h.status.in_(_LIVE)
    )
    place = (c.opened_at, c.table, c.round_id)
    query = (
        select(rounds)
        .where(c.property == property_name, c.status.in_(("open", "captured")), waiting.exists())
        .order_by(*place)
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(*place) > after)
    found = (await connection.execute(query)).all()
    held: dict[tuple[str, str], list[HoldDocument]] = {(each.table, each.round_id): [] for each in found}
    if held:
        of_rounds = select(holds).where(
            h.property == property_name, tuple_(h.table, h.round_id).in_(held), h.status.in_(_LIVE)
        )
        for row in await connection.execute(of_rounds.order_by(h.account, h.hold)):
            held[row.table, row.round_id].append(HoldDocument.of(row))
    return [thing_of(OpenRound, each, holds=held[each.table, each.round_id]) for each in found]
