"""A guard over the journal of round settlement, and whoever alters that journal as a superuser."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.tables import journal
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.entry import Account, EntryDraft, Posting
from shared.journal.ledger import Ledger
from shared.journal.signed_note import Signer
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from shared.runtime.settings import Settings
from tests.support.engines import create_engine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ORIGIN = "pitledger/round-settlement/table.events/0@test"
PAUSE = timedelta(seconds=Settings().verification_seconds)
ACCOUNTS = [Account("p", "t", "blackjack", "handle"), Account("p", "t", "", "chips")]


REPLICA = "SET LOCAL session_replication_role = replica"
"""As a superuser alters rows past all triggers."""

REWRITE = (
    "DELETE FROM round_settlement.entries",
    "DELETE FROM round_settlement.shards",
    "DELETE FROM round_settlement.relay",
)


class Clock:
    """A clock that the test sets; each guard of it watches as often as the settings say."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    async def watch(self, guard: JournalVerifier, times: int = 1) -> None:
        """Have a guard watch, each time after the pause between two verifications."""
        for _ in range(times):
            self.now += PAUSE
            await guard.watch()


def guard_of(
    engine: AsyncEngine, notary: CheckpointSigner | None, clock: Callable[[], datetime] = lambda: NOON
) -> JournalVerifier:
    """A guard as a service has it after a start."""
    context = RuntimeContext(
        service="round-settlement", settings=Settings(), pools=Pools.of_one(engine), ledger=Ledger(journal), clock=clock
    )
    return JournalVerifier(context, notary)


def run_on(url: str, work: Callable[[AsyncEngine], Awaitable[None]]) -> None:
    async def main() -> None:
        engine = create_engine(url, role="round_settlement")
        try:
            await work(engine)
        finally:
            await engine.dispose()

    asyncio.run(main())


async def record_entries(engine: AsyncEngine, first: int, last: int, cents: int = 100) -> None:
    ledger = Ledger(journal)
    await ledger.ensure_accounts(engine, ACCOUNTS)
    drafts = [
        EntryDraft(
            kind="settlement.posted",
            source="/properties/p/tables/t",
            sequence=number,
            event_id=str(number),
            offset=number,
            gaming_day=None,
            occurred_at=NOON,
            data=b"{}",
            postings=(Posting(ACCOUNTS[0], -cents), Posting(ACCOUNTS[1], cents)),
        )
        for number in range(first, last + 1)
    ]
    async with engine.begin() as connection:
        shard = await ledger.open_shard(connection, "table.events/0@test")
        await ledger.append(
            connection, shard, drafts, next_offset=last + 1, recorded_at=NOON + timedelta(seconds=cents)
        )


async def as_owner(url: str, *statements: str) -> None:
    engine = create_engine(url, role="postgres")
    async with engine.begin() as connection:
        for statement in statements:
            await connection.exec_driver_sql(statement)
    await engine.dispose()


def notary_in(directory: Path) -> CheckpointSigner:
    """A key of round settlement, and a directory outside the database."""
    return CheckpointSigner(
        "round-settlement", Signer.generate("pitledger/round-settlement"), DirectoryStore(directory)
    )
