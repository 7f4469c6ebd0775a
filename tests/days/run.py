"""Play many tables, day by day, until so many gaming days are played, or a difference is found."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from shared.local import PostgresServer
from tests.conftest import QUICK_POSTGRES, in_memory
from tests.days.machine import Pit
from tests.days.services import PitThroughServices
from tests.support.databases import Databases

PITS: Final = 25
"""So many pits are played of a seed, then of the next."""


PITS_OF_SERVICES: Final = 4


def play(
    days: int,
    first_seed: int,
    *,
    shrunk: bool = True,
    pits: int = PITS,
    say: Callable[[str], object] = str,
    pit: type[Pit] = Pit,
) -> Counter[str]:
    """Return what was played, by kind of act, until so many days were, with the seeds from the first on.

    Raises: AssertionError, with the script of the difference; the shortest that is found, where it is `shrunk`.
    """
    played = Counter[str]()
    number = first_seed
    while played["days"] < days:
        played += _play_seed(pit, number, pits=pits, shrunk=shrunk)
        say(f"{played['days']} of {days} days, {played['pits']} pits, seed {number}")
        number += 1
    return played


def play_through_services(
    days: int, first_seed: int, *, shrunk: bool = False, say: Callable[[str], object] = str
) -> Counter[str]:
    """Play so many days before the services themselves, on a PostgreSQL of their own. Raises: AssertionError."""
    in_memory()
    with PostgresServer(settings=QUICK_POSTGRES) as server:
        databases = Databases(server.url)
        try:
            return play(days, first_seed, shrunk=shrunk, pits=PITS_OF_SERVICES, say=say, pit=before(databases))
        finally:
            databases.drop_all()


def before(databases: Databases) -> type[Pit]:
    """Return a pit of which services on these databases are told."""
    return type("PitThroughServices", (PitThroughServices,), {"databases": databases})


def _play_seed(pit: type[Pit], number: int, *, pits: int, shrunk: bool) -> Counter[str]:
    """Play the tables of a seed, on a machine of its own."""
    machine: type[Pit] = type("Pit", (pit,), {"played": Counter[str]()})
    how = settings(
        max_examples=pits,
        stateful_step_count=60,
        deadline=None,
        database=None,
        derandomize=False,
        verbosity=Verbosity.quiet if pit is Pit and not shrunk else Verbosity.normal,
        phases=[Phase.generate, Phase.shrink] if shrunk else [Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    run_state_machine_as_test(seed(number)(machine), settings=how)
    return machine.played
