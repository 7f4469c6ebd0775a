"""The life cycle of a service: assemble its parts, and run them until a stop is requested or a part fails."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import structlog
import uvicorn
from fastapi import APIRouter, FastAPI

from shared.journal.entry import Entry
from shared.journal.ledger import Ledger
from shared.journal.shard import Seals
from shared.journal.signed_batch import BatchVerifier
from shared.journal.signed_note import Signer
from shared.journal.topic_identity import TopicIdentity, first_input
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.audit.outside_evidence import outside_evidence_of
from shared.runtime.audit.rederivation_job import RederivationJob
from shared.runtime.audit.witness_client import WitnessClient
from shared.runtime.background.periodic import every
from shared.runtime.background.stalled_sessions import LOOK_SECONDS, end_stalled_sessions
from shared.runtime.clock import Clock, Step, no_step, utc_now
from shared.runtime.commands.record_replay import KafkaOutbox, ReplayOutbox, ReplaySender
from shared.runtime.context import Behind, Wake
from shared.runtime.database import Pools
from shared.runtime.database_names import role_of
from shared.runtime.high_water import HighWaterSource
from shared.runtime.http.access import Identities, Nobody
from shared.runtime.http.app import ReadinessCheck, create_app
from shared.runtime.http.bearer_tokens import identities_of
from shared.runtime.http.bulk_dismissal_routes import dismissal_routes
from shared.runtime.http.connection_limits import ConnectionLimits, protocol_of
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.http.quarantine_routes import quarantine_routes
from shared.runtime.http.refusal_log import Refusals
from shared.runtime.http.serving import listen, server_of
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import Handler
from shared.runtime.ingest.retry import retry_until_deadline
from shared.runtime.ingest.subscription import KafkaTopics, Subscription
from shared.runtime.kafka import TopicLog, topic_logs
from shared.runtime.logs import withhold_details
from shared.runtime.outbox.relay import Relay
from shared.runtime.process.health import Health
from shared.runtime.process.shutdown import Shutdown, stop_on_signals
from shared.runtime.process_memory import raise_gc_threshold, trim_malloc
from shared.runtime.projections.drift_monitor import DriftMonitor
from shared.runtime.release_attestation import manifest_digest
from shared.runtime.service.checkpoint_signer import notary
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.service.signing_keys import message_signer, message_verifier, shard_seals
from shared.runtime.service.site_packs import load_site_packs
from shared.runtime.settings import Settings
from shared.runtime.tracing import NO_TRACING, Tracing, tracing_of

log = structlog.get_logger()

_LOOK_SECONDS = 0.1
_LOOK_AT_TOPICS_SECONDS = 10.0
"""Interval of checking that the topics still hold the next records."""
_SWITCH_SECONDS = 0.001
"""Thread switch interval in seconds: how long the event loop waits for a worker thread after each socket read.

While a worker thread is busy, a report takes 2.5 times its normal time with Python's default of five milliseconds, and
1.5 times with this value.
"""


def context_of(
    manifest: Manifest,
    settings: Settings,
    pools: Pools,
    *,
    verifier: BatchVerifier | None = None,
    signer: Signer | None = None,
    seals: Seals | None = None,
    clock: Clock = utc_now,
    wake: Wake = lambda _: None,
    outbox: ReplayOutbox | None = None,
    step: Step = no_step,
    behind: Behind = dict,
    tracing: Tracing = NO_TRACING,
    witness: HighWaterSource | None = None,
) -> ServiceContext:
    """Return the context of a service with these connection pools."""
    return ServiceContext(
        service=manifest.name,
        settings=settings,
        pools=pools,
        ledger=Ledger(manifest.journal, seals),
        verifier=verifier,
        projector=manifest.whole_projector,
        clock=clock,
        wake=wake,
        step=step,
        behind=behind,
        tracing=tracing,
        handled=manifest.all_commands,
        outbox=outbox or KafkaOutbox(settings, manifest.name),
        signer=signer,
        witness=witness,
    )


def application(
    manifest: Manifest,
    context: ServiceContext,
    *,
    identities: Identities,
    checks: Mapping[str, ReadinessCheck] | None = None,
    observe: Callable[[], None] = lambda: None,
) -> FastAPI:
    """Return the HTTP application of a service; refused requests of authenticated callers are journaled."""
    return create_app(
        service=manifest.name,
        version=version("pitledger"),
        metrics=context.metrics,
        checks=checks or {},
        identities=identities,
        record_refusal=Refusals(context).record,
        router=_routes(manifest, context),
        request_seconds_max=context.settings.http_request_seconds_max,
        observe=observe,
        confidential_to=frozenset(role.name for role in manifest.roles) if manifest.confidential else frozenset(),
    )


def _routes(manifest: Manifest, context: ServiceContext) -> APIRouter:
    """Return the service's own routes and, if it reads topics, its quarantine routes."""
    parts = [] if manifest.routes is None else [manifest.routes(context)]
    if manifest.readers:
        replays = ReplaySender(context, manifest.readers, context.outbox, context.signer)
        parts.append(dismissal_routes(context, context.commands))
        parts.append(quarantine_routes(context, context.commands, replays))
    return merge_routers(*parts)


async def serve(
    manifest: Manifest,
    settings: Settings,
    *,
    stop: asyncio.Event | None = None,
    clock: Clock = utc_now,
    step: Step = no_step,
    started: Callable[[], None] = lambda: None,
    ending: Callable[[], None] = lambda: None,
) -> None:
    """Run a service until `stop` is set; without `stop`, until SIGINT or SIGTERM.

    `started` is called when the service is up. `ending` is called when it begins to shut down for any reason. Raises:
    FatalServiceError, or the exception that ended the service.
    """
    raise_gc_threshold()
    trim_malloc()
    load_site_packs(settings)
    if manifest.confidential:
        withhold_details()
    await _Run(manifest, settings, clock, step, started, ending).run(stop or stop_on_signals())


class _Run:
    def __init__(
        self,
        manifest: Manifest,
        settings: Settings,
        clock: Clock,
        step: Step,
        started: Callable[[], None],
        ending: Callable[[], None],
    ) -> None:
        self._manifest = manifest
        self._started = started
        self._ending = ending
        signer = message_signer(settings, manifest.name)
        signing = notary(settings, manifest.name)
        verifier = message_verifier(settings, manifest.reads, manifest.name)
        self._context = context = context_of(
            manifest,
            settings,
            Pools.of(settings, role_of(manifest.name)),
            verifier=verifier,
            signer=signer,
            seals=shard_seals(settings, manifest.name, signer),
            clock=clock,
            wake=self._wake,
            step=step,
            behind=self._behind,
            tracing=NO_TRACING if manifest.confidential else tracing_of(manifest.name, os.environ),
            witness=outside_evidence_of(settings, manifest.name, manifest.published, signing),
        )
        context.metrics.authenticated.set(settings.message_authentication == "required")
        context.metrics.info.labels(version("pitledger"), manifest_digest()).set(1)
        self._relay: Relay | None = None
        self._topics: KafkaTopics | None = None
        self._identities = identities_of(settings, clock=clock, metrics=context.metrics)
        # The size of a log reveals that it has entries, so a confidential service's checkpoints go to no witness.
        self._witnessing = None if signing is None or manifest.confidential else WitnessClient.of(context, signing)
        guard = JournalVerifier(context, signing)
        comparer = DriftMonitor(context, manifest)
        self._health = Health(context, guard, comparer, identities=self._identities)
        if manifest.rederived is not None:
            self._health.rederiver = RederivationJob(context, manifest.rederived)
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def _behind(self) -> dict[tuple[str, int], float]:
        return self._health.behind()

    async def run(self, stop: asyncio.Event) -> None:
        web = self._web()
        serving = self._task(listen(web), "http")
        watching = [
            self._task(self._finish_after(stop), "stop"),
            self._task(self._health.guard.run(), "guard"),
            self._task(self._health.comparer.run(), "comparer"),
            self._task(self._health.run(), "health"),
        ]
        if self._manifest.publishes is not None:
            manifest, signer = self._manifest, self._context.signer
            self._relay = self._health.relay = Relay(self._context, manifest.topic_of, manifest.message_key, signer)
            watching.append(self._task(self._relay.run(), "relay"))
        if self._health.rederiver is not None:
            watching.append(self._task(self._health.rederiver.run(), "rederiver"))
        if self._witnessing is not None:
            seconds, work = self._context.settings.checkpoint_seconds, self._witnessing.once
            watching.append(self._task(every(seconds, work, "submission to witnesses"), "witnesses"))
        if self._identities is not None:
            watching.append(self._task(self._identities.run(), "identities"))
        if self._manifest.watch is not None:
            watching.append(self._task(self._manifest.watch(self._context), "watch"))
        stalled = partial(end_stalled_sessions, self._context.pools.background, role_of(self._manifest.name))
        watching.append(self._task(every(LOOK_SECONDS, stalled, "ending of stalled sessions"), "sessions"))
        reading = self._task(self._read(), "read")
        watching.append(
            self._task(every(_LOOK_AT_TOPICS_SECONDS, self._compare_topics, "comparison of topics"), "topics")
        )
        try:
            await self._over
        finally:
            self._ending()
            web.should_exit = True  # no new connections; requests in progress are still answered
            ending = Shutdown()
            await ending.cancel("read", reading)  # first, so that it subscribes to nothing more
            await asyncio.gather(*(ending.wait(one.consumer.topic, one.stop()) for one in self._health.subscriptions))
            if self._topics is not None:
                await ending.wait("topics", self._topics.stop())
            await ending.wait("http", asyncio.wait([serving]))
            await ending.wait("commands", self._context.commands.close())
            await ending.cancel("watching", *watching)
            await ending.wait("database", self._context.pools.dispose())
            await ending.wait("traces", asyncio.to_thread(self._context.tracing.close))

    def _task(self, work: Any, name: str) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work, name=name)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    async def _finish_after(self, stop: asyncio.Event) -> None:
        await stop.wait()
        if not self._over.done():
            self._over.set_result(None)

    def _fail(self, error: BaseException) -> None:
        if not self._over.done():
            self._over.set_exception(error)

    def _wake(self, committed: Sequence[Entry]) -> None:
        if self._relay is not None:
            self._relay.wake(committed)

    @property
    def _port(self) -> int:
        """Return the port on which the service listens: the configured port, or the service's default."""
        return self._manifest.port if self._context.settings.http_port is None else self._context.settings.http_port

    # --- parts ---

    def _web(self) -> uvicorn.Server:
        app = application(
            self._manifest,
            self._context,
            checks=self._health.checks,
            observe=self._health.observe,
            identities=self._identities or Nobody(),
        )
        settings = self._context.settings
        return server_of(
            self._context.tracing.application(app),
            host=settings.http_host,
            port=self._port,
            grace_seconds=5,
            http=protocol_of(ConnectionLimits.of(settings), self._context.metrics),
        )

    async def _read(self) -> None:
        references = [handler() for handler in self._manifest.references]
        handlers = [handler() for handler in self._manifest.handlers]
        if references or handlers:
            self._topics = KafkaTopics(self._context, self._fail)
            await self._topics.start()
            found = await self._topics.answer(topic_logs, *(one.topic for one in (*references, *handlers)))
        whole = [await self._subscribe(handler, found[handler.topic], whole=True) for handler in references]
        for subscription in whole:
            self._health.waiting_for = f"{subscription.consumer.topic} is being read"
            await _until(subscription.is_caught_up)
        for handler in handlers:
            await self._subscribe(handler, found[handler.topic], whole=False)
        self._health.waiting_for = "the partitions are being assigned"
        await _until(lambda: all(subscription.joined for subscription in self._health.subscriptions))
        self._health.waiting_for = None
        gc.collect()
        gc.freeze()  # long-lived objects: scanning them would take a tenth of a second per collection
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._started()
        log.info("started", http=f"{self._context.settings.http_host}:{self._port}")

    async def _subscribe(self, handler: Handler[Any], found: TopicLog, *, whole: bool) -> Subscription:
        assert self._topics is not None
        known = await self._input(handler.topic, found)
        consumer = Consumer(self._context, handler, known.log)
        subscription = Subscription(self._topics, consumer, known, whole=whole, failed=self._fail)
        self._health.subscriptions.append(subscription)
        await subscription.start()
        return subscription

    async def _input(self, topic: str, found: TopicLog) -> TopicIdentity:
        """Return the recorded identity of a topic's log; if none is recorded yet, record the identity of `found`."""
        context = self._context

        async def known() -> TopicIdentity:
            async with context.pools.background.begin() as connection:
                there = TopicIdentity(topic, found.cluster_id, found.topic_id)
                return await first_input(connection, context.tables, there, context.clock())

        return await retry_until_deadline(context, known)

    async def _compare_topics(self) -> None:
        if self._topics is None or not self._health.subscriptions:
            return
        read = [(one, one.consumer.topic, one.consumer.positions) for one in self._health.subscriptions]
        found = await self._topics.answer(topic_logs, *(topic for _, topic, _ in read))
        for subscription, topic, positions in read:
            await subscription.compare_with(found[topic], positions)


async def _until(done: Callable[[], bool]) -> None:
    while not done():  # noqa: ASYNC110 (librdkafka offers no event)
        await asyncio.sleep(_LOOK_SECONDS)
