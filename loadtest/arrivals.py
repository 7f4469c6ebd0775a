"""When rounds arrive: open loop, whatever becomes of those before. A round that waits is late, not fewer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

UNPACED: Final = 0.0
"""The rate of a stage whose rounds come as fast as the broker takes them."""


@dataclass(frozen=True, slots=True)
class Stage:
    """So many rounds, arriving at a rate: rounds a second, or `UNPACED`.

    Arrivals are as independent as those of many tables: the time between two of them is exponentially distributed.
    """

    rounds: int
    rate: float = UNPACED

    @property
    def seconds(self) -> float:
        """Return how long the stage takes; 0 where it is as long as it takes."""
        return self.rounds / self.rate if self.rate else 0.0


def scaled(stages: Sequence[Stage], factor: float) -> tuple[Stage, ...]:
    """Return the same stages with so many times the rounds, one at least in each."""
    return tuple(replace(stage, rounds=max(1, round(stage.rounds * factor))) for stage in stages)


def due(stages: Sequence[Stage], seed: int) -> Iterator[float]:
    """Yield for each round the seconds from the beginning at which it is due."""
    chance, moment = Random(f"arrivals/{seed}"), 0.0
    for stage in stages:
        for _ in range(stage.rounds):
            yield moment
            if stage.rate:
                moment += chance.expovariate(stage.rate)
