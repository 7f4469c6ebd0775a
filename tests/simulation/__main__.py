"""Simulate many seeds and print figures, or one seed with its trace.

Example: python -m tests.simulation --seeds 10000 --from 1 --processes 2
Example: python -m tests.simulation --seeds 10000 --short --processes 2
Example: python -m tests.simulation --seed 4711 --trace
Example: python -m tests.simulation --mutations --seeds 30
"""

import argparse
import sys
from time import perf_counter, process_time
from typing import Final

from tests.simulation.many import Figures, run_in_processes
from tests.simulation.mutations import MUTATIONS, Mutation, mutated
from tests.simulation.run import Failed, Simulation
from tests.simulation.server import be_quiet, simulation

_FAILED: Final = 1
_PER_PART: Final = 5
"""After so many seeds a process says what they came to."""


def _say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def _many(first: int, count: int, processes: int, *, short: bool) -> int:
    parts = [range(at, min(at + _PER_PART, first + count)) for at in range(first, first + count, _PER_PART)]
    total, started = Figures(), perf_counter()
    be_quiet()
    with simulation() as simulated:
        for figures in run_in_processes(simulated, parts, processes, short=short):
            total.add(figures)
            for failure in figures.failures:
                _say(failure)
            _say(f"{total.seeds} of {count} seeds, {len(total.failures)} failed")
    _say(f"seeds {total.seeds}, from {first}; steps {total.steps}; partitions stopped for a hole {total.stopped}")
    _say(f"seconds {perf_counter() - started:.0f}; seconds a seed in its process {total.seconds / total.seeds:.2f}")
    _say(f"faults {sum(total.injected.values())}")
    for kind, times in sorted(total.injected.items()):
        _say(f"  {times:7} {kind}")
    _say(f"failures {len(total.failures)}")
    return _FAILED if total.failures else 0


def _one(seed: int, *, short: bool, trace: bool) -> int:
    be_quiet()
    with simulation() as simulated:
        try:
            outcome = simulated.run(seed, short=short, hashed=True)
        except Failed as failed:
            if trace:
                _say("\n".join(failed.trace))
            _say(failed)
            return _FAILED
    if trace:
        _say("\n".join(outcome.trace))
    _say(f"seed {seed} holds: {outcome.steps} steps, {sum(outcome.injected.values())} faults, {outcome.digest}")
    return 0


def _mutations(first: int, count: int, *, short: bool) -> int:
    be_quiet()
    missed = 0
    with simulation() as simulated:
        for mutation in MUTATIONS:
            seeds, started = range(first, first + count), process_time()
            seed = next((seed for seed in seeds if _finds(simulated, mutation, seed, short=short)), None)
            missed += seed is None
            found = "not found" if seed is None else f"found by seed {seed}{' --short' if short else ''}"
            _say(f"{mutation.__name__}: {found}, {process_time() - started:.1f} s")
    return _FAILED if missed else 0


def _finds(simulated: Simulation, mutation: Mutation, seed: int, *, short: bool) -> bool:
    simulated.prepare(seed, short=short)
    try:
        with mutated(mutation):
            simulated.run(seed, short=short)
    except Failed as failed:
        _say(f"  {str(failed).splitlines()[0][:300]}")
        return True
    return False


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="run this seed alone")
    parser.add_argument("--short", action="store_true", help="run short seeds: one service, the last part of a day")
    parser.add_argument("--trace", action="store_true", help="print what was decided, step by step")
    parser.add_argument("--seeds", type=int, default=100, help="how many seeds to run")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first of them")
    parser.add_argument("--processes", type=int, default=1, help="how many run at once")
    parser.add_argument("--mutations", action="store_true", help="run them with each seeded bug until it is found")
    given = parser.parse_args()
    if given.seed is not None:
        return _one(given.seed, short=given.short, trace=given.trace)
    if given.mutations:
        return _mutations(given.first, given.seeds, short=given.short)
    return _many(given.first, given.seeds, given.processes, short=given.short)


if __name__ == "__main__":
    sys.exit(main())
