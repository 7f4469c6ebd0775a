"""Play many tables, day by day, until so many gaming days are played, or a difference is found."""

from collections import Counter
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.days.machine import Pit

_TABLES = 25
"""So many tables are played of a seed, then of the next."""


def play(days: int, first_seed: int, *, shrunk: bool = True, say: Callable[[str], object] = str) -> Counter[str]:
    """Return what was played, by kind of act, until so many days were, with the seeds from the first on.

    Raises: AssertionError, with the script of the difference; the shortest that is found, where it is `shrunk`.
    """
    played = Counter[str]()
    number = first_seed
    while played["days"] < days:
        played += _play_seed(number, shrunk=shrunk)
        say(f"{played['days']} of {days} days, {played['tables']} tables, seed {number}")
        number += 1
    return played


def _play_seed(number: int, *, shrunk: bool) -> Counter[str]:
    """Play the tables of a seed, on a machine of its own."""
    machine: type[Pit] = type("Pit", (Pit,), {"played": Counter[str]()})
    how = settings(
        max_examples=_TABLES,
        stateful_step_count=60,
        deadline=None,
        database=None,
        derandomize=False,
        verbosity=Verbosity.quiet if not shrunk else Verbosity.normal,
        phases=[Phase.generate, Phase.shrink] if shrunk else [Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    run_state_machine_as_test(seed(number)(machine), settings=how)
    return machine.played
