"""Run many seeds, and add up what they come to."""

import gc
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.util import Finalize
from time import perf_counter

from tests.simulation.run import Failed, Simulation
from tests.simulation.server import be_quiet, simulation


@dataclass
class Figures:
    """What some seeds came to."""

    seeds: int = 0
    steps: int = 0
    stopped: int = 0
    seconds: float = 0.0
    injected: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, other: "Figures") -> None:
        """Add the figures of other seeds."""
        self.seeds += other.seeds
        self.steps += other.steps
        self.stopped += other.stopped
        self.seconds += other.seconds
        self.injected += other.injected
        self.failures += other.failures


_made: list[Simulation] = []
"""The simulation of this process."""


def begin() -> None:
    """Start the server of a process that runs seeds; it ends with the process."""
    be_quiet()
    stack = ExitStack()
    _made.append(stack.enter_context(simulation()))
    Finalize(None, stack.close, exitpriority=10)


def run_seeds(seeds: Sequence[int]) -> Figures:
    """Run some seeds, one after the other, in a process that has begun."""
    found = Figures()
    for seed in seeds:
        started = perf_counter()
        try:
            outcome = _made[0].run(seed)
        except Failed as failed:
            found.failures.append(str(failed))
        else:
            found.steps += outcome.steps
            found.stopped += outcome.stopped
            found.injected += outcome.injected
        found.seeds += 1
        found.seconds += perf_counter() - started
    gc.collect()
    return found
