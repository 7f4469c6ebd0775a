"""Arrival times of rounds in an open loop, independent of the processing of earlier rounds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

UNPACED: Final = 0.0
"""The rate of a stage whose rounds are sent as fast as the broker accepts them."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A number of rounds that arrive at a rate: rounds per second, or `UNPACED`.

    Arrivals are independent, as at many tables: the time between arrivals is exponentially distributed.
    """

    rounds: int
    rate: float = UNPACED

    @property
    def seconds(self) -> float:
        """Return the expected duration of the stage; 0 if it is unpaced."""
        return self.rounds / self.rate if self.rate else 0.0


def scaled(stages: Sequence[Stage], factor: float) -> tuple[Stage, ...]:
    """Return the stages with their numbers of rounds multiplied by a factor, at least one round each."""
    return tuple(replace(stage, rounds=max(1, round(stage.rounds * factor))) for stage in stages)


def due(stages: Sequence[Stage], seed: int) -> Iterator[float]:
    """Yield the due time of each round, in seconds from the start."""
    chance, moment = Random(f"arrivals/{seed}"), 0.0
    for stage in stages:
        for _ in range(stage.rounds):
            yield moment
            if stage.rate:
                moment += chance.expovariate(stage.rate)
