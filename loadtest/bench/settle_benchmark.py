"""Benchmark decoding and settling one full round of each game: `python -m loadtest.bench.settle_benchmark`.

A fixed loop of plain Python (the reference) is timed together with each game. The ratio of a game's time to the
reference can be compared between machines; the microseconds cannot.
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns
from typing import Final, TypeVar

from loadtest.floor.full_rounds import FULL_ROUNDS, FullRound
from shared.rules import compile_rules, parse_submission, round_type

_Item = TypeVar("_Item")

_UNITS: Final = tuple(range(500, 16_500, 500))
_WARM_UPS: Final = 5


@dataclass(frozen=True, slots=True)
class Measurement:
    """The median microseconds of decoding, of settling, and of the reference loop."""

    regulation: str
    decode_us: float
    settle_us: float
    reference_us: float

    def __str__(self) -> str:
        return (
            f"{self.regulation:<14}{self.decode_us:9.1f} us {self.decode_us / self.reference_us:6.2f} x"
            f"{self.settle_us:11.1f} us {self.settle_us / self.reference_us:6.2f} x"
            f"{self.reference_us:11.1f} us"
        )


def measure(full: FullRound, *, repeats: int = 100) -> Measurement:
    """Return the times for decoding and settling full rounds with different wagers, each timed `repeats` times."""
    model = round_type(full.regulation)
    rules = compile_rules(full.regulation, parse_submission(full.submission))
    documents = [json.dumps(full.document(unit)).encode() for unit in _UNITS]
    rounds = [model.model_validate_json(document) for document in documents]
    return Measurement(
        regulation=full.regulation,
        decode_us=_median_us(model.model_validate_json, documents, repeats),
        settle_us=_median_us(rules.settle, rounds, repeats),
        reference_us=_median_us(_reference, rounds, repeats),
    )


def report(measurements: Iterable[Measurement]) -> str:
    """Return the measurements of several games as a table."""
    head = f"{'':<14}{'decode':>12} {'':>8}{'settle':>14} {'':>8}{'reference':>14}\n"
    return head + "".join(f"{measurement}\n" for measurement in measurements)


def measure_all(*, repeats: int = 100) -> str:
    """Time every game, and return the table."""
    return report(measure(full, repeats=repeats) for full in FULL_ROUNDS)


def _reference(_: object) -> int:
    total = 0
    for number in range(1000):
        total += number * number
    return total


def _median_us(work: Callable[[_Item], object], items: Sequence[_Item], repeats: int) -> float:
    """Return the median microseconds of `work` per item; the median ignores occasional interruptions."""
    times = []
    for repeat in range(_WARM_UPS + repeats):
        for item in items:
            start = perf_counter_ns()
            work(item)
            if repeat >= _WARM_UPS:
                times.append(perf_counter_ns() - start)
    return median(times) / 1000


if __name__ == "__main__":
    sys.stdout.write(measure_all())
