"""A service as a whole: its parts put together, run until told to stop or until something fails."""

import asyncio
import contextlib
import gc
import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Any

import structlog
import uvicorn
from fastapi import APIRouter, FastAPI
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.journal.ledger import Ledger
from shared.journal.tables import JournalTables
from shared.runtime.command.refusals import Refusals
from shared.runtime.consume.consumer import Clock, Consumer, Step, no_step
from shared.runtime.consume.processing import Processor
from shared.runtime.consume.subscription import Subscription
from shared.runtime.database import create_engine, role_of
from shared.runtime.kafka import cluster_id, new_producer, partitions_of
from shared.runtime.metrics import Metrics
from shared.runtime.publish.relay import Relay
from shared.runtime.service.guard import Guard
from shared.runtime.service.health import Health
from shared.runtime.service.notary import notary
from shared.runtime.settings import Settings
from shared.runtime.web.access import Caller, load_callers
from shared.runtime.web.app import Check, create_app

log = structlog.get_logger()

_LOOK_SECONDS = 0.1
_STOP_SECONDS = 20.0

GARBAGE = (50_000, 20, 50)
"""A batch makes many objects and no cycles: looking for cycles rarely saves about a tenth of the time of settling."""


def utc_now() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a service's own code gets to work with."""

    settings: Settings
    engine: AsyncEngine
    ledger: Ledger
    metrics: Metrics
    clock: Clock
    wake: Callable[[], None]
    """Tells the relay that there is something to publish."""


def _nothing(parts: Parts) -> Sequence[Processor[Any]]:
    del parts
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What makes one service: its journal, what it reads, what it publishes, its routes.

    `references` are read whole by every process, up to where they ended at the start before `processors` begin, whose
    partitions the processes of a service share among them.
    """

    name: str
    tables: JournalTables
    references: Callable[[Parts], Sequence[Processor[Any]]] = _nothing
    processors: Callable[[Parts], Sequence[Processor[Any]]] = _nothing
    publishes: str | None = None
    key: Callable[[Row[Any]], bytes] | None = None
    router: Callable[[Parts], APIRouter] | None = None
    watch: Callable[[Parts], Coroutine[Any, Any, None]] | None = None
    """Runs beside everything else until it is cancelled: figures that no event and no request brings up to date."""


def application(
    service: Service, parts: Parts, *, checks: Mapping[str, Check] | None = None, callers: Sequence[Caller] = ()
) -> FastAPI:
    """The HTTP application of a service, for these callers; what it refuses them goes into the service's journal."""
    refusals = Refusals(
        service=service.name,
        engine=parts.engine,
        ledger=parts.ledger,
        metrics=parts.metrics,
        clock=parts.clock,
        wake=parts.wake,
    )
    return create_app(
        service=service.name,
        version=version("pitledger"),
        metrics=parts.metrics,
        checks=checks or {},
        callers=callers,
        record_refusal=refusals.record,
        router=service.router(parts) if service.router is not None else None,
    )


async def serve(
    service: Service,
    settings: Settings,
    *,
    clock: Clock = utc_now,
    step: Step = no_step,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Runs a service until SIGINT or SIGTERM.

    Raises: Stop, or the bug that ended it.
    """
    gc.set_threshold(*GARBAGE)
    await _Run(service, settings, clock, step, started).run()


class _Run:
    def __init__(
        self, service: Service, settings: Settings, clock: Clock, step: Step, started: Callable[[], None]
    ) -> None:
        self._service = service
        self._settings = settings
        self._clock = clock
        self._step = step
        self._started = started
        self._metrics = metrics = Metrics()
        metrics.info.labels(version("pitledger")).set(1)
        self._engine = create_engine(settings.database_url.get_secret_value(), role=role_of(service.name))
        self._ledger = Ledger(service.tables)
        self._relay: Relay | None = None
        self._guard = Guard(
            tables=service.tables,
            engine=self._engine,
            metrics=metrics,
            clock=clock,
            interval_seconds=min(settings.verification_seconds, settings.checkpoint_seconds),
            notary=notary(settings, service.name),
        )
        self._health = Health(
            settings=settings, tables=service.tables, engine=self._engine, metrics=metrics, guard=self._guard
        )
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._finish)
        parts = Parts(self._settings, self._engine, self._ledger, self._metrics, self._clock, self._wake)
        web = self._web(parts)
        tasks = [self._task(web.serve(), "http")]
        if self._service.publishes is not None:
            self._relay = self._new_relay(self._service.publishes)
            tasks.append(self._task(self._relay.run(), "relay"))
        tasks.append(self._task(self._guard.run(), "guard"))
        tasks.append(self._task(self._health.run(), "health"))
        tasks.append(self._task(self._read(parts), "read"))
        if self._service.watch is not None:
            tasks.append(self._task(self._service.watch(parts), "watch"))
        try:
            await self._over
        finally:
            await self._close(web, tasks)

    async def _close(self, web: uvicorn.Server, tasks: Sequence[asyncio.Task[None]]) -> None:
        for subscription in reversed(self._health.subscriptions):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(subscription.stop(), _STOP_SECONDS)
        web.should_exit = True
        for task in tasks[1:]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._engine.dispose()

    def _task(self, work: Any, name: str) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work, name=name)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _finish(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    def _fail(self, error: BaseException) -> None:
        if not self._over.done():
            self._over.set_exception(error)

    def _wake(self) -> None:
        if self._relay is not None:
            self._relay.wake()

    # --- parts ---

    def _web(self, parts: Parts) -> uvicorn.Server:
        app = application(
            self._service,
            parts,
            checks=self._health.checks,
            callers=load_callers(self._settings.api_tokens_file),
        )
        config = uvicorn.Config(
            app,
            host=self._settings.http_host,
            port=self._settings.port(self._service.name),
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_graceful_shutdown=5,
        )
        server = uvicorn.Server(config)
        server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        return server

    def _new_relay(self, topic: str) -> Relay:
        return Relay(
            service=self._service.name,
            topic=topic,
            tables=self._service.tables,
            engine=self._engine,
            new_producer=partial(new_producer, self._settings.kafka_bootstrap_servers, self._service.name),
            metrics=self._metrics,
            key=self._service.key,
            step=self._step,
        )

    async def _read(self, parts: Parts) -> None:
        references, processors = self._service.references(parts), self._service.processors(parts)
        servers = self._settings.kafka_bootstrap_servers
        cluster = await asyncio.to_thread(cluster_id, servers) if references or processors else ""
        for processor in references:
            subscription = await self._subscribe(processor, cluster, whole=True)
            self._health.waiting_for = f"{processor.topic} is being read"
            await _until(subscription.is_caught_up)
        for processor in processors:
            await asyncio.to_thread(partitions_of, servers, processor.topic)  # it must be there
            await self._subscribe(processor, cluster, whole=False)
        self._health.waiting_for = "the partitions are being assigned"
        await _until(lambda: all(subscription.joined for subscription in self._health.subscriptions))
        self._health.waiting_for = None
        gc.collect()
        gc.freeze()  # what is there by now stays: looking through it took a tenth of a second each time
        self._started()
        log.info("started", http=f"{self._settings.http_host}:{self._settings.port(self._service.name)}")

    async def _subscribe(self, processor: Processor[Any], cluster: str, *, whole: bool) -> Subscription:
        settings = self._settings
        consumer = Consumer(
            processor=processor,
            ledger=self._ledger,
            engine=self._engine,
            metrics=self._metrics,
            clock=self._clock,
            cluster_id=cluster,
            retry_seconds_max=settings.retry_seconds_max,
            committed=self._wake,
            step=self._step,
        )
        subscription = Subscription(
            bootstrap_servers=settings.kafka_bootstrap_servers,
            group=f"{settings.kafka_group_prefix}-{self._service.name}-{processor.topic}",
            whole=whole,
            consumer=consumer,
            metrics=self._metrics,
            clock=self._clock,
            failed=self._fail,
            batch_records_max=settings.batch_records_max,
            poll_seconds=settings.poll_seconds,
            session_seconds=settings.kafka_session_seconds,
            step=self._step,
        )
        await subscription.start()
        self._health.subscriptions.append(subscription)
        return subscription


async def _until(done: Callable[[], bool]) -> None:
    while not done():  # noqa: ASYNC110 (librdkafka knows, and tells nobody)
        await asyncio.sleep(_LOOK_SECONDS)
