"""A run of a seed: services with their processes, the tables, the pit and people, and all that happens to them."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from pydantic_core import from_json
from sqlalchemy.ext.asyncio import AsyncEngine

from services.cli.services import load
from shared.contracts.rejection import Rejected
from shared.runtime.commands.idempotency import Answer
from shared.runtime.errors import ErrorKind, kind_of
from shared.runtime.service.manifest import Manifest
from tests.simulation.casino import BEGINS, REPORTING, SERVICES, Asked, Day, Part
from tests.simulation.chance import Chance
from tests.simulation.log import Log, Sent
from tests.simulation.process import Parts, Process
from tests.simulation.scheduler import ACTOR, Actor, Killed, Scheduler
from tests.simulation.store import Connection, Store

_STORM_STEPS: Final = 2500
"""After so many steps nothing breaks any more, and everything must come to its end."""

_JUMPS: Final = (-1800, -60, -1, 1, 60, 1800)
"""Seconds by which a clock is set."""

_ROUNDS_OF_REST_MAX: Final = 20
_AGAIN_SECONDS: Final = 0.5

Look = Callable[[], None]
"""Look whether all is well while the system runs. Raises: AssertionError."""


class _Inspector:
    """Who looks at databases in the end: nothing happens to it."""

    def __init__(self) -> None:
        self.alive = True
        self.connections: set[Connection] = set()
        self.tasks: set[asyncio.Task[Any]] = set()

    def crash(self, why: str) -> None:
        """Go on."""


class World:
    """The services of a run with everything around them."""

    def __init__(
        self, chance: Chance, url: str, *, services: Collection[str], log: Log | None = None, look: Look = lambda: None
    ) -> None:
        self.chance = chance
        self.scheduler = Scheduler(chance)
        self.log = Log(chance, self._now, log)
        self.store = Store(self.scheduler, chance, url)
        self.manifests: list[Manifest] = [load(name) for name in SERVICES if name in services]
        self.answers: dict[tuple[str, str, str], Answer] = {}
        """By service, person and key."""
        self._look = look
        self._parts = Parts(self.scheduler, chance, self.log, self.store, self._now)
        self._processes: list[Process] = []
        self._inspector = _Inspector()
        self._unread: str | None = None
        self.scheduler.happens = self._happens

    @property
    def holes(self) -> bool:
        """Return whether records were deleted that somebody had not read."""
        return self._unread is not None

    @property
    def stopped(self) -> dict[tuple[str, str, int], str]:
        """Return why partitions are not read on: by service, topic and number."""
        return {
            (process.manifest.name, topic, number): why
            for process in self._processes
            for (topic, number), why in process.stopped.items()
        }

    def run(self, main: Callable[["World"], Coroutine[Any, Any, None]]) -> None:
        """Run the main task, and end everything."""

        async def work() -> None:
            ACTOR.set(Actor("the run"))
            await main(self)

        try:
            self.scheduler.run(work())
        finally:
            for process in self._processes:
                self.store.cut(process.connections)
            self.store.close()

    # --- what there is ---

    def start(self, manifest: Manifest, number: int = 1) -> None:
        """Start a process of a service."""
        self._processes.append(Process(self._parts, manifest, number, self._ended))

    def start_all(self) -> None:
        """Start every service, some with two processes."""
        for manifest in self.manifests:
            for number in range(1, 2 if self.chance.calm else 1 + self.chance.between(1, 2)):
                self.start(manifest, number)

    def play(self, day: Day, part: Part, others: Sequence[Sent] = ()) -> None:
        """Have the tables and the pit send what they have to say, and people ask, who come for the last part.

        `others` is what services that do not run publish in that part: it is sent as well. What nobody reads is not.
        """
        streams = day.sent(part)
        for record in others:
            streams.setdefault(f"publisher of {record.topic}", []).append(record)
        for name, records in streams.items():
            if part is not Part.LAST or any(_reads(one, records[0].topic) for one in self.manifests):
                self._acts(name, self._send(records))
        if part is Part.EARLIER:
            return
        names = {manifest.name for manifest in self.manifests}
        for person, asked in day.people().items():
            self._acts(person, self.ask([one for one in asked if one.service in names]))

    async def rest(self) -> None:
        """Wait until everything is read, recorded and published."""
        for _ in range(_ROUNDS_OF_REST_MAX):
            await self.scheduler.quiet()
            before = self.log.ends()
            for process in self._processes:
                process.publish_soon()
            await self.scheduler.quiet()
            if self.log.ends() == before and all(one.started for one in self._processes):
                return
        raise AssertionError("entries are published without an end")

    async def ask(self, asked: Iterable[Asked]) -> None:
        """Ask for one thing after the other, each until it is answered; an approval is of what was answered before."""
        shown = ""
        for each in asked:
            one = each.of(shown)
            answer = await self._ask(one)
            shown = from_json(answer.body).get("sha256", "")
            if answer.reason is not None and one.otherwise is not None:
                await self._ask(one.otherwise)
            if self.chance.strikes("answer asked for again"):
                await self._ask(one)

    def engine_of_inspector(self) -> AsyncEngine:
        """Return an engine by which somebody looks at a database who may do everything."""
        return self.store.engine(self._inspector, "postgres")

    def position(self, manifest: Manifest, topic: str, number: int) -> int:
        """Return up to where a service has read a partition, as it has committed."""
        query = f"SELECT next_offset FROM {manifest.schema}.shards WHERE name LIKE %s"
        row = self.store.control.execute(query.encode(), [f"{topic}/{number}@%"]).fetchone()
        return 0 if row is None else int(row[0])

    # --- who acts ---

    def _now(self) -> datetime:
        return BEGINS + timedelta(seconds=self.scheduler.now)

    def _acts(self, name: str, work: "asyncio.Future[None] | object") -> None:
        token = ACTOR.set(Actor(name))
        try:
            task: asyncio.Task[None] = self.scheduler.loop.create_task(work)  # type: ignore[arg-type]
        finally:
            ACTOR.reset(token)
        task.add_done_callback(self._acted)

    def _acted(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.scheduler.fail(error)

    async def _send(self, records: Sequence[Sent]) -> None:
        for record in records:
            await self.scheduler.gate(f"sends to {record.topic}")
            self.log.append(record)
            if self.chance.strikes("record sent twice"):
                self.log.append(record)

    async def _ask(self, asked: Asked) -> Answer:
        while True:
            await self.scheduler.gate(f"asks {asked.service} to {asked.command.name()}")
            there = [one for one in self._processes if one.manifest.name == asked.service and one.started]
            if not there:
                await asyncio.sleep(_AGAIN_SECONDS)
                continue
            process = self.chance.one_of(there)
            work = process.context.commands.do(asked.command, person=asked.person, key=asked.key)
            task = process.task(f"does {asked.command.name()}", work)
            await asyncio.wait({task})
            if task.cancelled():
                continue
            error = task.exception()
            if error is None:
                answer: Answer = task.result()
                before = self.answers.setdefault((asked.service, asked.person, asked.key), answer)
                assert before == answer, f"{asked.key} was answered {before} and then {answer}"
                return answer
            if isinstance(error, Rejected) or not (
                isinstance(error, Killed)
                or kind_of(error) in (ErrorKind.TRANSIENT, ErrorKind.AMBIGUOUS, ErrorKind.FENCED)
            ):
                raise error

    # --- what happens ---

    def _ended(self, process: Process) -> None:
        self._processes.remove(process)
        self._acts(f"supervisor of {process.name}", self._restart(process))

    async def _restart(self, process: Process) -> None:
        await self.scheduler.gate("starts it again")
        self.start(process.manifest, process.number)
        for other in self._processes:
            other.publish_soon()

    def _happens(self) -> bool:
        if self.chance.calm:
            return False
        if self.scheduler.steps > _STORM_STEPS:
            self.chance.calm = True
            return False
        self._look()
        if self.chance.strikes("rebalance"):
            groups = [group for topic in self.log.topics.values() for group in topic.groups.values() if group.is_shared]
            if groups:
                self.chance.one_of(groups).rebalance()
                return True
        if self._processes and self.chance.strikes("clock jump"):
            process = self.chance.one_of(self._processes)
            process.skew += timedelta(seconds=self.chance.one_of(_JUMPS))
        if self.chance.strikes("topic compacted"):
            for name in ("properties", "submissions"):
                for partition in self.log.topic(name).partitions:
                    partition.compact()
        if self.chance.strikes("records read by all deleted"):
            self._delete(self.chance.one_of(("table.events", "pit.events")), unread=False)
        if self._unread is None and self.chance.strikes("records deleted unread"):
            self._delete(self.chance.one_of(("table.events", "pit.events", "settlements")), unread=True)
        return False

    def _delete(self, topic: str, *, unread: bool) -> None:
        """Delete the first records of the partitions of a topic: those that all have read, or one more at least."""
        for number, partition in enumerate(self.log.topic(topic).partitions):
            read = [self.position(manifest, topic, number) for manifest in self.manifests if _reads(manifest, topic)]
            least = min(read, default=0)
            if not unread:
                partition.begins = max(partition.begins, least)
            elif read and least < partition.end:
                self._unread = topic
                partition.begins = least + self.chance.between(1, partition.end - least)
                self.chance.note(f"    {topic}/{number} begins at {partition.begins}, read up to {least}")
                return


def _reads(manifest: Manifest, topic: str) -> bool:
    return any(one.name == topic for one in manifest.reads)


assert REPORTING in SERVICES, "what adds everything up is there"
