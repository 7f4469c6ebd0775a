"""A process of a service in the simulation: the real consumers, relay and commands, on the simulated log and store."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from copy import copy
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final
from unittest.mock import patch

from shared.journal.entry import Entry
from shared.journal.ledger import Ledger
from shared.journal.shard import Seals
from shared.journal.tables import JournalTables
from shared.journal.topic_identity import TopicIdentity, first_input
from shared.runtime.database import Pools
from shared.runtime.database_names import role_of
from shared.runtime.errors import ErrorKind, FatalServiceError, kind_of
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import Handler, InputRecord
from shared.runtime.ingest.retry import retry_until_deadline
from shared.runtime.outbox.relay import Relay
from shared.runtime.process import run
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.settings import Settings
from tests.simulation.chance import Chance
from tests.simulation.log import Bell, Log, Member, Producer, Topic
from tests.simulation.scheduler import ACTOR, Actor, Killed, Scheduler
from tests.simulation.store import Connection, Store
from tests.support.outbox import Outbox
from tests.support.sealing import seals_of

_BATCH_RECORDS: Final = 12
"""Most records of a batch: small, so that there are many."""

SETTINGS: Final = Settings(batch_records_max=_BATCH_RECORDS, message_authentication="off")


_made = cache(Ledger)


def _ledger(tables: JournalTables, seals: Seals | None) -> Ledger:
    """Return a ledger that knows nothing yet; its statements are compiled once for all processes of a service."""
    ledger = copy(_made(tables))
    ledger.seals, ledger._accounts, ledger._turns = seals, {}, {}
    return ledger


class Parts:
    """What processes share: the scheduler, the seed's choices, the log, the store, and the time of day."""

    def __init__(
        self, scheduler: Scheduler, chance: Chance, log: Log, store: Store, now: Callable[[], datetime]
    ) -> None:
        self.scheduler, self.chance, self.log, self.store, self.now = scheduler, chance, log, store, now


class Process:
    """One process of a service, from its start until it crashes."""

    def __init__(self, parts: Parts, manifest: Manifest, number: int, ended: Callable[["Process"], None]) -> None:
        self.name = f"{manifest.name}#{number}"
        self.number = number
        self.manifest = manifest
        self.alive = True
        self.started = False
        self.connections: set[Connection] = set()
        self.tasks: set[asyncio.Task[Any]] = set()
        self.skew = timedelta(seconds=parts.chance.between(-240, 240)) if not parts.chance.calm else timedelta()
        self._parts = parts
        self._ended = ended
        self._relay: _Relay | None = None
        self._published = Bell()
        self._followers: list[_Follower] = []
        with patch.object(run, "Ledger", _ledger):
            self.context: ServiceContext = run.context_of(
                manifest,
                SETTINGS,
                Pools.of_one(parts.store.engine(self, role_of(manifest.name))),
                seals=seals_of(manifest.name),
                clock=lambda: parts.now() + self.skew,
                wake=self._wake,
                step=self._step,
                outbox=Outbox(),
            )
        self.does("starts", self._start())

    @property
    def stopped(self) -> Mapping[tuple[str, int], str]:
        """Return why partitions are not read on, by topic and number."""
        return {
            (one.topic.name, number): why
            for one in self._followers
            for number, why in one.consumer.stopped.reasons.items()
        }

    def does(self, what: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Begin something that goes on for as long as the process lives."""
        return self.task(what, self._guarded(work))

    def task(self, what: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Begin something in this process whose end somebody waits for."""
        token = ACTOR.set(Actor(f"{self.name} {what}", self))
        try:
            return self._parts.scheduler.loop.create_task(work)
        finally:
            ACTOR.reset(token)

    def crash(self, why: str) -> None:
        """End at once: what is in memory is gone, what is open in the database is undone."""
        if not self.alive:
            return
        self.alive = False
        self._parts.chance.note(f"    {self.name} ends: {why}")
        for follower in self._followers:
            follower.leave()
        self._parts.store.cut(self.connections)
        for task in list(self.tasks):
            task.cancel()
        self._ended(self)

    def publish_soon(self) -> None:
        """Have the relay look whether there is something to publish, as it does every half second."""
        self._published.ring()

    # --- its parts ---

    async def _guarded(self, work: Coroutine[Any, Any, Any]) -> None:
        try:
            await work
        except (Killed, asyncio.CancelledError):
            pass
        except FatalServiceError as stop:
            self.crash(f"stops: {stop}")
        except Exception as error:  # noqa: BLE001 - no service may have it
            if self.alive:
                self._parts.scheduler.fail(error)

    async def _start(self) -> None:
        for handler in (made() for made in self.manifest.references):
            follower = await self._follow(handler, whole=True)
            await follower.caught_up.wait()
        for handler in (made() for made in self.manifest.handlers):
            await self._follow(handler, whole=False)
        if self.manifest.publishes is not None:
            self._relay = _Relay(self.context, self.manifest, self._parts)
            self.does("publishes", self._publish(self._relay))
        self.started = True

    async def _follow(self, handler: Handler[Any], *, whole: bool) -> "_Follower":
        found = self._parts.log.topic(handler.topic).found()

        async def known() -> TopicIdentity:
            async with self.context.pools.background.begin() as connection:
                there = TopicIdentity(handler.topic, found.cluster_id, found.topic_id)
                return await first_input(connection, self.context.tables, there, self.context.clock())

        read = await retry_until_deadline(self.context, known)
        follower = _Follower(self._parts, Consumer(self.context, handler, read.log), read, whole=whole)
        self._followers.append(follower)
        self.does(f"reads {handler.topic}", follower.follow())
        return follower

    async def _publish(self, relay: Relay) -> None:
        while True:
            await self._parts.scheduler.gate("publishes")
            try:
                count = await relay.publish()
            except Exception as error:
                if kind_of(error) is ErrorKind.BUG:
                    raise
                continue
            if not count:
                await self._published.wait()

    def _wake(self, committed: Iterable[Entry]) -> None:
        if self._relay is not None:
            self._relay.wake(list(committed))
        self._published.ring()

    def _step(self, name: str) -> None:
        if self.alive and self._parts.chance.strikes("crash at a durable step"):
            self.crash(f"at the step {name!r}")
            raise Killed(name)


class _Relay(Relay):
    def __init__(self, context: ServiceContext, manifest: Manifest, parts: Parts) -> None:
        self._parts = parts
        super().__init__(context, manifest.topic_of, manifest.message_key)

    def _new_producer(self) -> Any:
        return Producer(self._parts.log, self._parts.chance)


class _Follower(Member):
    """Read a topic for a consumer, as `Subscription` does: whole, or as a member of the group of the service."""

    def __init__(self, parts: Parts, consumer: Consumer, known: TopicIdentity, *, whole: bool) -> None:
        super().__init__()
        self.consumer = consumer
        self.topic: Topic = parts.log.topic(consumer.topic)
        self.caught_up = asyncio.Event()
        self._parts = parts
        self._known = known
        self._group = None if whole else parts.log.group(consumer.context.service, consumer.topic)
        self._generation = 0
        self._positions: dict[int, int] = {}
        self.topic.readers.append(self)

    def leave(self) -> None:
        """Be gone: the others of the group get the partitions."""
        with suppress(ValueError):
            self.topic.readers.remove(self)
        if self._group is not None:
            self._group.leave(self)

    async def follow(self) -> None:
        """Read for ever."""
        if self._group is None:
            await self._take_over(range(len(self.topic.partitions)))
        else:
            self._group.join(self)
        while True:
            await self._rebalanced(may_be_late=bool(self._fetched(most=1)))
            if not self._fetched(most=1):
                self.caught_up.set()
                await self.bell.wait()
                continue
            await self._parts.scheduler.gate("reads")
            records = self._fetched(most=self._parts.chance.between(1, self.consumer.batch_records_max))
            for record in records:
                self._positions[record.partition] = record.offset + 1
            if records:
                self.consumer.context.step("consumed")
                self._positions |= await self.consumer.handle(records, self._compare)
                self.consumer.context.step("handled")

    async def _rebalanced(self, *, may_be_late: bool) -> None:
        """Let partitions go and take others over; a member may be late to notice, and read on what is another's."""
        if self._group is None or self._generation == self._group.generation:
            return
        if may_be_late and self._parts.chance.strikes("rebalance not noticed yet"):
            return
        self._generation = self._group.generation
        own = self._group.of(self)
        lost = self._positions.keys() - own
        self.consumer.revoked(sorted(lost))
        for number in lost:
            del self._positions[number]
        await self._take_over(sorted(own - self._positions.keys()))

    async def _take_over(self, partitions: Iterable[int]) -> None:
        self._positions |= await self.consumer.assigned(partitions)
        await self._compare()

    async def _compare(self) -> None:
        await self.consumer.compare(self._known, self.topic.found(), self.consumer.positions)

    def _fetched(self, most: int) -> list[InputRecord]:
        """Return records that come next, of one partition after the other."""
        records: list[InputRecord] = []
        for number in self._parts.chance.shuffled(sorted(self._positions)):
            for record in self.topic.partitions[number].held(self._positions[number]):
                if len(records) == most:
                    return records
                records.append(record)
        return records
