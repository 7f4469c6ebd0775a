"""Run many seeds, and add up what they come to."""

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from time import perf_counter

from tests.simulation.run import Failed, Simulation


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


_shared: list[Simulation] = []
"""The simulation that the processes share: each is a copy of the one in which it was made."""


def run_in_processes(
    simulated: Simulation, parts: Sequence[Sequence[int]], processes: int, *, short: bool = False
) -> Iterator[Figures]:
    """Run parts of seeds side by side, on one server; yield what each part comes to, as they end."""
    simulated.prepare_all(short=short)
    _shared[:] = [simulated]
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        for done in as_completed([pool.submit(_run_seeds, part, short) for part in parts]):
            yield done.result()


def _run_seeds(seeds: Sequence[int], short: bool) -> Figures:
    found = Figures()
    for seed in seeds:
        started = perf_counter()
        try:
            outcome = _shared[0].run(seed, short=short)
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
