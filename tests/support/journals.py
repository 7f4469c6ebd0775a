"""The journal of round settlement, written to and verified without the service."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from services.round_settlement.tables import journal
from shared.journal.checkpoint import Checkpoint
from shared.journal.entry import Account, EntryDraft, Posting
from shared.journal.ledger import Ledger
from shared.journal.shard import Seals, Shard
from shared.journal.verification import VerificationProblem, Verified, read_shards, verify_shard
from tests.support.engines import create_engine

SHARD = "table.events/0@test"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = date(2026, 11, 20)
T = TypeVar("T")

HANDLE, CHIPS = Account("riverside", "BJ-01", "blackjack", "handle"), Account("riverside", "BJ-01", "", "chips")


def draft_of(sequence: int, cents: int = 10000, *, hours: int = 0, day: date = DAY) -> EntryDraft:
    return EntryDraft(
        kind="settlement.posted",
        source="/properties/riverside/tables/BJ-01",
        sequence=sequence,
        event_id=f"e-{sequence}",
        offset=sequence - 1,
        gaming_day=day,
        occurred_at=NOON + timedelta(hours=hours),
        data=f'{{"n": {sequence}, "text": "back\\\\slash \\u00a7\\ttab"}}'.encode(),
        postings=(Posting(HANDLE, -cents), Posting(CHIPS, cents)),
    )


def run(url: str, work: Callable[[AsyncEngine], Awaitable[T]], *, role: str | None = "round_settlement") -> T:
    async def main() -> T:
        engine = create_engine(url, role=role) if role is not None else create_async_engine(url)
        try:
            return await work(engine)
        finally:
            await engine.dispose()

    return asyncio.run(main())


async def append(
    engine: AsyncEngine, *drafts: EntryDraft, recorded_at: datetime = NOON, seals: Seals | None = None
) -> Shard:
    ledger = Ledger(journal, seals)
    await ledger.ensure_accounts(engine, {HANDLE, CHIPS})
    async with engine.begin() as connection:
        shard = await ledger.open_shard(connection, SHARD)
        _, after = await ledger.append(
            connection, shard, drafts, next_offset=shard.next_offset + len(drafts), recorded_at=recorded_at
        )
    return after


async def problems_of(
    connection: AsyncConnection, reached: Verified | None = None, checkpoints: tuple[Checkpoint, ...] = ()
) -> list[VerificationProblem]:
    found: list[VerificationProblem] = []
    for shard in await read_shards(connection, journal):
        start = reached or Verified(shard.name)
        found += [problem async for problem in verify_shard(connection, journal, shard, start, checkpoints)]
    return found
