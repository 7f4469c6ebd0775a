"""Run seeds: the databases that they begin from, what a run without faults comes to, and what a run leaves behind."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import Any, Final

from services.cli.services import load
from shared.contracts.rejection import Reason
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS
from tests.simulation.casino import (
    ACCOUNTS,
    DAYS,
    INVENTORY,
    METERS,
    REPORTING,
    SERVICES,
    SETTLEMENT,
    SHORT_DAYS,
    VIGORISH,
    Day,
    Part,
    day_of,
)
from tests.simulation.chance import Chance
from tests.simulation.invariants import (
    LOOK_EVERY,
    Published,
    Rows,
    check_all,
    check_journals,
    digest_of,
    figures,
    look_while_running,
)
from tests.simulation.log import Log, Sent
from tests.simulation.world import World
from tests.support import Databases
from tests.support.services import migrate

WHOLE_EVERY: Final = 10
"""One run of so many is of all services."""

REBUILT_EVERY: Final = 4
"""After one short run of so many, read models are rebuilt: that costs as much as a quarter of the run."""

_DOWNSTREAM: Final = (INVENTORY, VIGORISH, ACCOUNTS, METERS, REPORTING)
_FROM_OUTSIDE: Final = {TABLE_EVENTS.name, PIT_EVENTS.name}
_MIGRATED: Final = "simulation: migrated"


Figures = Mapping[str, tuple[Rows, Rows]]
"""By service: its facts and its money."""


class Failed(AssertionError):
    """Something does not hold in the run of a seed."""

    def __init__(self, seed: int, trace: Sequence[str], error: BaseException, *, short: bool) -> None:
        command = f"python -m tests.simulation --seed {seed}{' --short' if short else ''} --trace"
        super().__init__(
            f"{'short ' if short else ''}seed {seed}: {type(error).__name__}: {error}\nrepeat it: {command}"
        )
        self.seed, self.trace = seed, trace


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run came to; `digest` is the same where the same was decided and, if it was hashed, recorded."""

    seed: int
    steps: int
    seconds: float
    injected: Counter[str]
    stopped: int
    trace: Sequence[str]
    digest: str
    figures: Figures


@dataclass(frozen=True)
class _Begun:
    template: str
    log: Log


@dataclass(frozen=True)
class _Undisturbed:
    """What all services come to in a run without faults, and what was sent in it."""

    figures: Figures
    sent: Sequence[Sent]


class Simulation:
    """Runs seeds on databases of one server; what seeds have in common is made once."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self._begun: dict[tuple[int, Part], _Begun] = {}
        self._undisturbed_runs: dict[int, _Undisturbed] = {}

    def begun(self, day: Day, part: Part = Part.WHOLE) -> _Begun:
        """Return where the runs of a day begin: everything is filed, approved, opened and prepared.

        Where only the last part of it is run, what comes before that is played, read and published as well.
        """
        if (day.number, part) not in self._begun:
            name = f"simulation: day {day.number}, {part.value}"
            if part is Part.WHOLE:
                self._databases.prepare(_MIGRATED, _migrate_all)
                log = self._prepare(name, _MIGRATED, None, lambda world: _open(world, day))
            else:
                before = self.begun(day)
                log = self._prepare(name, before.template, before.log, lambda world: _play(world, day, Part.EARLIER))
            self._begun[day.number, part] = _Begun(name, log)
        return self._begun[day.number, part]

    def prepare(self, seed: int, *, short: bool = False) -> None:
        """Make all that a seed begins from and is compared with."""
        day, part, _ = plan_of(seed, short=short)
        self.begun(day, part)
        self._undisturbed(day)

    def prepare_all(self, *, short: bool = False) -> None:
        """Make all that any seed begins from and is compared with."""
        for number in SHORT_DAYS if short else range(DAYS):
            self._undisturbed(day_of(number))

    def run(self, seed: int, *, short: bool = False, hashed: bool = False) -> Outcome:
        """Run a seed; `short`: one service in the last part of a day; `hashed`: with the digest of all it recorded.

        Raises: Failed, whatever it is that does not hold.
        """
        day, part, services = plan_of(seed, short=short)
        return self._run(Chance(seed), day, part, services, self._undisturbed(day), hashed=hashed)[0]

    def _prepare(self, name: str, base: str, before: Log | None, work: Callable[[World], Awaitable[None]]) -> Log:
        """Make a template of another one by what happens there without faults; return the log."""
        logs: list[Log] = []

        async def main(world: World) -> None:
            world.start_all()
            await world.rest()
            await work(world)

        def fill(url: str) -> None:
            world = World(Chance(0, calm=True), url, services=SERVICES, log=before)
            world.run(main)
            logs.append(world.log)

        self._databases.prepare(name, fill, base=base)
        return logs[0]

    def _undisturbed(self, day: Day) -> _Undisturbed:
        """Run all services without faults, taking turns; return what that comes to.

        Where there are short runs of the day, its last part is run: the whole day comes to the same.
        """
        if day.number not in self._undisturbed_runs:
            part = Part.LAST if day.number in SHORT_DAYS else Part.WHOLE
            calm, nothing = Chance(0, calm=True), _Undisturbed({}, ())
            outcome, log = self._run(calm, day, part, frozenset(SERVICES), nothing)
            self._undisturbed_runs[day.number] = _Undisturbed(outcome.figures, log.sent)
        return self._undisturbed_runs[day.number]

    def _run(
        self,
        chance: Chance,
        day: Day,
        part: Part,
        services: frozenset[str],
        undisturbed: _Undisturbed,
        *,
        hashed: bool = False,
    ) -> tuple[Outcome, Log]:
        begun = self.begun(day, part)
        url = self._databases.create(begun.template)
        started = perf_counter()
        world = World(chance, url, services=services, log=begun.log, look=lambda: _look(world))
        published = Published(begun.log)
        world.log.watch = published.look
        others = _of_others(undisturbed.sent, services) if part is Part.LAST else ()
        found: dict[str, Any] = {}

        async def main(world: World) -> None:
            world.start_all()
            await world.rest()
            await _play(world, day, part, others)
            chance.calm = True
            await check_journals(world, rebuilt=part is Part.WHOLE or chance.seed % REBUILT_EVERY == 0)
            check_all(world, day, published)
            found["figures"] = figures(world)
            if not world.holes:
                _compare(undisturbed.figures, found["figures"])
            found["stopped"], found["digest"] = len(world.stopped), digest_of(world) if hashed else ""

        try:
            world.run(main)
        except Exception as error:
            raise Failed(chance.seed, chance.trace, error, short=part is Part.LAST) from error
        finally:
            self._databases.drop(url)
        outcome = Outcome(
            seed=chance.seed,
            steps=world.scheduler.steps,
            seconds=perf_counter() - started,
            injected=chance.injected,
            stopped=found["stopped"],
            trace=tuple(chance.trace),
            digest=chance.digest() + found["digest"],
            figures=found["figures"],
        )
        return outcome, world.log


async def _open(world: World, day: Day) -> None:
    """Have everything filed and approved, and then opened and prepared, that a day needs."""
    await world.ask(day.first())
    await world.rest()
    await world.ask(day.opened())
    await world.rest()
    rejected = [one for one in world.answers.values() if one.reason not in (None, Reason.OVERRIDE_NEEDED)]
    assert not rejected, rejected


async def _play(world: World, day: Day, part: Part, others: Sequence[Sent] = ()) -> None:
    world.play(day, part, others)
    await world.rest()


def _of_others(sent: Sequence[Sent], services: Collection[str]) -> Sequence[Sent]:
    """Return what was sent by services that are none of these."""
    own = {topic.name for name in services for topic in load(name).published}
    return [one for one in sent if one.topic not in own | _FROM_OUTSIDE]


def plan_of(seed: int, *, short: bool = False) -> tuple[Day, Part, frozenset[str]]:
    """Return the day of a seed, how much of it is run, and the services that run."""
    if short:
        chance = Random(f"short plan {seed}")
        return day_of(chance.choice(SHORT_DAYS)), Part.LAST, frozenset({chance.choice((SETTLEMENT, *SERVICES))})
    chance = Random(f"plan {seed}")
    day = day_of(chance.randrange(DAYS))
    if seed % WHOLE_EVERY == 0:
        return day, Part.WHOLE, frozenset(SERVICES)
    return day, Part.WHOLE, frozenset({SETTLEMENT, *chance.sample(_DOWNSTREAM, chance.choice((1, 1, 2)))})


def _look(world: World) -> None:
    if world.scheduler.steps % LOOK_EVERY == 0:
        look_while_running(world)


def _compare(expected: Figures, found: Figures) -> None:
    """Raise AssertionError where a run came to something else than one without faults."""
    for service in sorted(expected.keys() & found.keys()):
        for what, wanted, got in zip(("facts", "money"), expected[service], found[service], strict=True):
            missing, more = sorted(set(wanted) - set(got), key=str), sorted(set(got) - set(wanted), key=str)
            assert wanted == got, f"{service}: {what} that a run without faults has: {missing[:4]}; has not: {more[:4]}"


def _migrate_all(url: str) -> None:
    for service in SERVICES:
        migrate(url, service)
