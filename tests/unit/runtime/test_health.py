"""What a service says of itself while a server stands still: accepts connections and answers nothing."""

import asyncio
import socket

import pytest

from services.cli.services import load
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.database import Pools
from shared.runtime.database_names import role_of
from shared.runtime.high_water import HighWater
from shared.runtime.process import health as health_of
from shared.runtime.process.health import Health, Question
from shared.runtime.process.run import context_of
from shared.runtime.projections.drift_monitor import DriftMonitor
from shared.runtime.settings import Settings

MANIFEST = load("vigorish")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long here."""
    monkeypatch.setattr(health_of, "ANSWER_SECONDS_MAX", 0.01)
    monkeypatch.setattr(health_of, "OBSERVE_SECONDS", 0.0)


def test_a_database_that_stands_still_is_named_and_the_metric_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readiness answers, with the reason, and whoever samples the metrics goes on sampling."""

    async def scene(port: int) -> None:
        pools = Pools.of(
            Settings(DATABASE_URL=f"postgresql+psycopg://nobody@127.0.0.1:{port}/none"), role_of("vigorish")
        )
        context = context_of(MANIFEST, Settings(), pools)
        health = Health(context, JournalVerifier(context), DriftMonitor(context, MANIFEST))
        assert "does not answer: no answer in 0.01 s" == await health.checks["database"]()

        said = asyncio.Queue[bool]()
        monkeypatch.setattr(context.metrics.ready, "set", said.put_nowait)
        watching = asyncio.create_task(health.run())
        assert [False, False] == [await said.get(), await said.get()]
        watching.cancel()

    with socket.create_server(("127.0.0.1", 0)) as still:  # it listens, and nobody takes a connection
        asyncio.run(asyncio.wait_for(scene(still.getsockname()[1]), 60))


def test_while_nobody_says_what_was_published_the_service_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that reads no topic, and publishes nothing yet, takes no command until the broker has answered."""
    monkeypatch.setattr(health_of, "RESPONSE_AGE_SECONDS_MAX", 0.0)

    async def away(self: HighWater) -> None:
        raise ConnectionError("what is published cannot be read")

    async def there(self: HighWater) -> None:
        self._compared = self._servers

    async def scene() -> None:
        context = context_of(MANIFEST, Settings(), Pools.of(Settings(), role_of("vigorish")))
        health = Health(context, JournalVerifier(context), DriftMonitor(context, MANIFEST))
        assert await health.checks["broker"]() is None
        monkeypatch.setattr(HighWater, "_compare", away)
        with pytest.raises(ConnectionError):
            await context.high_water.compared()
        assert "no command is taken meanwhile" in str(await health.checks["broker"]())
        monkeypatch.setattr(HighWater, "_compare", there)
        await context.high_water.compared()
        assert await health.checks["broker"]() is None

    asyncio.run(scene())


def test_a_question_is_asked_once_until_it_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not again by each who waits in vain; the answer is that of all who wait, and the next question a new one."""

    async def scene() -> None:
        asked, answers = 0, asyncio.Event()

        async def ask() -> None:
            nonlocal asked
            asked += 1
            await answers.wait()
            if asked > 1:
                raise ConnectionError("gone")

        question = Question(ask)
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await question.answered()
        answers.set()
        monkeypatch.setattr(health_of, "ANSWER_SECONDS_MAX", 60.0)
        await asyncio.gather(question.answered(), question.answered())
        assert 1 == asked
        with pytest.raises(ConnectionError, match="gone"):
            await question.answered()
        assert 2 == asked

    asyncio.run(scene())
