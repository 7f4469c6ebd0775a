"""Run seeds: the databases that they begin from, what a run without faults comes to, and what a run leaves behind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import Any, Final

from shared.contracts.rejection import Reason
from tests.simulation.casino import (
    ACCOUNTS,
    DAYS,
    INVENTORY,
    METERS,
    REPORTING,
    SERVICES,
    SETTLEMENT,
    VIGORISH,
    Day,
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
from tests.simulation.log import Log
from tests.simulation.world import World
from tests.support import Databases
from tests.support.services import migrate

WHOLE_EVERY: Final = 10
"""One run of so many is of all services."""

_DOWNSTREAM: Final = (INVENTORY, VIGORISH, ACCOUNTS, METERS, REPORTING)
_MIGRATED: Final = "simulation: migrated"


Figures = Mapping[str, tuple[Rows, Rows]]
"""By service: its facts and its money."""


class Failed(AssertionError):
    """Something does not hold in the run of a seed."""

    def __init__(self, seed: int, trace: Sequence[str], error: BaseException) -> None:
        super().__init__(
            f"seed {seed}: {type(error).__name__}: {error}\nrepeat it: python -m tests.simulation --seed {seed} --trace"
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


class Simulation:
    """Runs seeds on databases of one server; what seeds have in common is made once."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self._begun: dict[int, _Begun] = {}
        self._expected: dict[int, Figures] = {}

    def begun(self, day: Day) -> _Begun:
        """Return where the runs of a day begin: everything is filed, approved, opened and prepared."""
        if day.number not in self._begun:
            name = f"simulation: day {day.number}"
            self._databases.prepare(_MIGRATED, _migrate_all)
            logs: list[Log] = []

            def fill(url: str) -> None:
                world = World(Chance(0, calm=True), url, services=SERVICES)

                async def main(world: World) -> None:
                    world.start_all()
                    await world.rest()
                    await world.ask(day.first())
                    await world.rest()
                    await world.ask(day.opened())
                    await world.rest()
                    rejected = [
                        one for one in world.answers.values() if one.reason not in (None, Reason.OVERRIDE_NEEDED)
                    ]
                    assert not rejected, rejected

                world.run(main)
                logs.append(world.log)

            self._databases.prepare(name, fill, base=_MIGRATED)
            self._begun[day.number] = _Begun(name, logs[0])
        return self._begun[day.number]

    def prepare(self, seed: int) -> None:
        """Make all that a seed begins from and is compared with."""
        self._undisturbed(plan_of(seed)[0])

    def prepare_all(self) -> None:
        """Make all that any seed begins from and is compared with."""
        for number in range(DAYS):
            self._undisturbed(day_of(number))

    def run(self, seed: int, *, hashed: bool = False) -> Outcome:
        """Run a seed; `hashed`: with the digest of all that was recorded.

        Raises: Failed, whatever it is that does not hold.
        """
        day, services = plan_of(seed)
        return self._run(Chance(seed), day, services, self._undisturbed(day), hashed=hashed)

    def _undisturbed(self, day: Day) -> Figures:
        """Return what all services come to in a run without faults, in which all take turns."""
        if day.number not in self._expected:
            calm = Chance(0, calm=True)
            self._expected[day.number] = self._run(calm, day, frozenset(SERVICES), {}).figures
        return self._expected[day.number]

    def _run(
        self, chance: Chance, day: Day, services: frozenset[str], expected: Figures, *, hashed: bool = False
    ) -> Outcome:
        begun = self.begun(day)
        url = self._databases.create(begun.template)
        started = perf_counter()
        world = World(chance, url, services=services, log=begun.log, look=lambda: _look(world))
        published = Published(begun.log)
        world.log.watch = published.look
        found: dict[str, Any] = {}

        async def main(world: World) -> None:
            world.start_all()
            await world.rest()
            world.play(day)
            await world.rest()
            chance.calm = True
            await check_journals(world)
            check_all(world, day, published)
            found["figures"] = figures(world)
            if not world.holes:
                _compare(expected, found["figures"])
            found["stopped"], found["digest"] = len(world.stopped), digest_of(world) if hashed else ""

        try:
            world.run(main)
        except Exception as error:
            raise Failed(chance.seed, chance.trace, error) from error
        finally:
            self._databases.drop(url)
        return Outcome(
            seed=chance.seed,
            steps=world.scheduler.steps,
            seconds=perf_counter() - started,
            injected=chance.injected,
            stopped=found["stopped"],
            trace=tuple(chance.trace),
            digest=chance.digest() + found["digest"],
            figures=found["figures"],
        )


def plan_of(seed: int) -> tuple[Day, frozenset[str]]:
    """Return the day of a seed, and the services that run."""
    chance = Random(f"plan {seed}")
    day = day_of(chance.randrange(DAYS))
    if seed % WHOLE_EVERY == 0:
        return day, frozenset(SERVICES)
    return day, frozenset({SETTLEMENT, *chance.sample(_DOWNSTREAM, chance.choice((1, 1, 2)))})


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
