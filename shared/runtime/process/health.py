"""Health of a service: readiness checks, and metrics that are sampled rather than counted."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from sqlalchemy import func, select, text

from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.audit.rederivation_job import RederivationJob
from shared.runtime.context import RuntimeContext
from shared.runtime.errors import ErrorKind, kind_of
from shared.runtime.http.app import ReadinessCheck
from shared.runtime.http.bearer_tokens import Tokens
from shared.runtime.ingest.partition_ends import RESPONSE_AGE_SECONDS_MAX
from shared.runtime.ingest.subscription import Subscription
from shared.runtime.outbox.relay import Relay
from shared.runtime.projections.drift_monitor import DriftMonitor

log = structlog.get_logger()

OBSERVE_SECONDS: Final = 5.0
"""Interval at which the metrics are sampled."""
ANSWER_SECONDS_MAX: Final = 3.0
"""Maximum time for the database to answer; it is shorter than the time for which probes wait for `/readyz`."""


class Question:
    """A database query with a limit on the time to wait for its answer.

    A hung server does not even answer a request to cancel. So the query stays pending, and the next caller waits for
    the same query instead of sending another.
    """

    def __init__(self, ask: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._ask = ask
        self._asked: asyncio.Task[None] | None = None

    async def answered(self) -> None:
        """Send the query unless it is already pending; await its answer. Raises: TimeoutError; the query's errors."""
        asked = self._asked = self._asked or asyncio.create_task(self._ask())
        await asyncio.wait({asked}, timeout=ANSWER_SECONDS_MAX)
        if not asked.done():
            raise TimeoutError(f"no answer in {ANSWER_SECONDS_MAX:g} s")
        if self._asked is asked:
            self._asked = None
        asked.result()


@dataclass(slots=True)
class Health:
    """Monitors the parts of a running service. `waiting_for` is the reason why it has not started; None once it has."""

    context: RuntimeContext
    guard: JournalVerifier
    comparer: DriftMonitor
    subscriptions: list[Subscription] = field(default_factory=list)
    waiting_for: str | None = "the service is starting"
    identities: Tokens | None = None
    relay: Relay | None = None
    rederiver: RederivationJob | None = None
    _answers: Question = field(init=False)
    _counts: Question = field(init=False)

    def __post_init__(self) -> None:
        self._answers, self._counts = Question(self._ask), Question(self._count)

    @property
    def checks(self) -> dict[str, ReadinessCheck]:
        """Return the readiness checks by name; the service is ready if all of them pass."""
        checks: dict[str, ReadinessCheck] = {
            "start": self._check_start,
            "database": self._check_database,
            "broker": self._check_broker,
            "input": self._check_input,
            "lag": self._check_lag,
            "verification": self._check_verification,
            "projections": self._check_projections,
        }
        if self.rederiver is not None:
            checks["derivation"] = self.rederiver.check
        return checks if self.identities is None else checks | {"identities": self.identities.check}

    def behind(self) -> dict[tuple[str, int], float]:
        """Return the age in seconds of the oldest unread record, by (topic, partition).

        The age is infinite if it is unknown, or if another process reads the partition. Until the service has started,
        the mapping is empty.
        """
        if self.waiting_for is not None:
            return {}
        return {
            (subscription.consumer.topic, partition): seconds
            for subscription in self.subscriptions
            for partition, seconds in subscription.behind().items()
        }

    def observe(self) -> None:
        """Update the metrics whose values are in memory and need no query."""
        for subscription in self.subscriptions:
            subscription.observe()
        if self.relay is not None:
            self.context.metrics.relay_waiting.set(self.relay.waiting_seconds)
        self.guard.observe()
        if self.rederiver is not None:
            self.rederiver.observe()
        self.comparer.observe()

    async def run(self) -> None:
        """Update all metrics periodically until cancelled."""
        while True:
            self.observe()
            wrong = [await check() for check in self.checks.values()]
            self.context.metrics.ready.set(not any(wrong))
            try:
                await self._counts.answered()
            except Exception as error:
                if kind_of(error) is ErrorKind.BUG:
                    raise
                log.warning("database metrics unavailable, keeping the last ones", error=str(error))
            await asyncio.sleep(OBSERVE_SECONDS)

    async def _count(self) -> None:
        gaps, quarantine = self.context.tables.gaps, self.context.tables.quarantine
        async with self.context.pools.background.connect() as connection:
            open_gaps = select(func.count()).select_from(gaps)
            self.context.metrics.gaps_open.set((await connection.execute(open_gaps)).scalar_one())
            unmended = select(func.count()).where(quarantine.c.resolved_at.is_(None))
            self.context.metrics.quarantine_open.set((await connection.execute(unmended)).scalar_one())

    async def _check_start(self) -> str | None:
        return self.waiting_for

    async def _ask(self) -> None:
        async with self.context.pools.background.connect() as connection:
            await connection.execute(text("SELECT 1"))

    async def _check_database(self) -> str | None:
        try:
            await self._answers.answered()
        except Exception as error:
            if kind_of(error) is ErrorKind.BUG:
                raise
            return f"does not answer: {error}"
        return None

    async def _check_broker(self) -> str | None:
        for subscription in self.subscriptions:
            if (seconds := subscription.response_age_seconds()) > RESPONSE_AGE_SECONDS_MAX:
                return f"no answer for {subscription.consumer.topic} for {seconds:.0f} s: it is not known what waits"
        if self.relay is not None and (seconds := self.relay.waiting_seconds) > RESPONSE_AGE_SECONDS_MAX:
            return f"what is recorded could not be published for {seconds:.0f} s"
        if (seconds := self.context.high_water.waiting_seconds) > RESPONSE_AGE_SECONDS_MAX:
            return f"what was published before could not be read for {seconds:.0f} s: no command is taken meanwhile"
        return None

    async def _check_input(self) -> str | None:
        for subscription in self.subscriptions:
            for number, reason in subscription.consumer.stopped.reasons.items():
                return f"{subscription.consumer.topic}/{number} is not read on: {reason}"
        return None

    async def _check_lag(self) -> str | None:
        for subscription in self.subscriptions:
            topic = subscription.consumer.topic
            lag = subscription.lag_records
            if lag is None:
                return f"it is not known how far {topic} goes"
            if lag > self.context.settings.ready_lag_records_max:
                return f"{topic} is {lag} records behind"
            if subscription.age_seconds > self.context.settings.ready_age_seconds_max:
                return f"the oldest unprocessed record of {topic} is {subscription.age_seconds:.0f} s old"
        return None

    async def _check_verification(self) -> str | None:
        if self.guard.problems:
            first = self.guard.problems[0]
            return f"{len(self.guard.problems)} problems, first: {first.shard} entry {first.seq}: {first.what}"
        return None if self.guard.begun else "the verification of the journal has not begun"

    async def _check_projections(self) -> str | None:
        return self.comparer.problem
