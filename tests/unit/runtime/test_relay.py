"""The relay's loop, over a journal without entries."""

import asyncio

import pytest
from sqlalchemy import MetaData

from shared.journal.ledger import Ledger
from shared.journal.tables import journal_tables
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools, create_engine
from shared.runtime.outbox.relay import Relay
from shared.runtime.settings import Settings


@pytest.mark.parametrize("turns", range(8))
def test_a_relay_ends_when_it_is_told_to_while_it_is_woken(turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancellation is not lost, whichever turn of the loop it meets after something was committed."""
    waits = asyncio.Event()

    async def publish(relay: Relay) -> int:
        waits.set()
        return 0

    async def scenario() -> None:
        context = RuntimeContext(
            service="tests",
            settings=Settings(),
            pools=Pools.of_one(create_engine("postgresql://nobody@127.0.0.1:1/none", role="tests")),
            ledger=Ledger(journal_tables(MetaData(), "tests")),
        )
        relay = Relay(context, lambda _: "tests")
        running = asyncio.create_task(relay.run())
        await waits.wait()
        await asyncio.sleep(0)
        relay.wake()
        for _ in range(turns):
            await asyncio.sleep(0)
        running.cancel()
        done, _ = await asyncio.wait({running}, timeout=5)
        assert {running} == done
        assert running.cancelled()

    monkeypatch.setattr(Relay, "publish", publish)
    asyncio.run(scenario())
