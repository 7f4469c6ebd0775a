"""What a seed decides: every choice of a run is drawn here, counted, and written into its trace."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Final, TypeVar

T = TypeVar("T")

_RATES: Final = {
    "connection refused": 0.02,
    "connection lost before a statement": 0.003,
    "connection lost after a statement": 0.003,
    "session ended by the server": 0.003,
    "deadlock": 0.003,
    "commit not done, answer lost": 0.015,
    "commit done, answer lost": 0.02,
    "commit refused: serialization failure": 0.015,
    "crash before a statement": 0.002,
    "crash after a statement": 0.002,
    "crash before a commit": 0.006,
    "crash after a commit": 0.006,
    "crash at a durable step": 0.003,
    "delivery refused": 0.04,
    "delivery in part": 0.04,
    "delivery done, answer lost": 0.04,
    "record sent twice": 0.06,
    "answer asked for again": 0.2,
    "rebalance": 0.006,
    "rebalance not noticed yet": 0.3,
    "clock jump": 0.004,
    "timer before its turn": 0.01,
    "records read by all deleted": 0.004,
    "topic compacted": 0.004,
    "records deleted unread": 0.0,
}
"""How often each kind of fault strikes where it can, in an ordinary run."""

_WEATHER: Final = (0.0, 1.0, 1.0, 3.0)
"""A kind does not come at all in a run, or as usual, or three times as often."""

UNREAD_EVERY: Final = 8
"""In one run of so many, records are deleted that somebody has not read."""


class Chance:
    """The choices of one run. `calm`: nothing breaks any more, or nothing ever does, and everybody takes turns."""

    def __init__(self, seed: int, *, calm: bool = False) -> None:
        self.seed = seed
        self.calm = calm
        self.injected: Counter[str] = Counter()
        self.trace: list[str] = []
        self._random = Random(f"simulation {seed}")
        self._rates = {kind: rate * self._random.choice(_WEATHER) for kind, rate in _RATES.items()}
        if seed % UNREAD_EVERY == 0:
            self._rates["records deleted unread"] = 0.02

    def strikes(self, kind: str) -> bool:
        """Return whether a fault of a kind strikes now."""
        if self.calm or not (rate := self._rates[kind]) or self._random.random() >= rate:
            return False
        self.injected[kind] += 1
        self.note(f"    {kind}")
        return True

    def first(self, kinds: Sequence[str]) -> str | None:
        """Return the first of some kinds that strikes now, if any does."""
        return next((kind for kind in kinds if self.strikes(kind)), None)

    def one_of(self, things: Sequence[T]) -> T:
        """Return one of some things: in a calm run the first."""
        return things[0] if self.calm or len(things) == 1 else self._random.choice(things)

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """Return some things in another order: in a calm run as they are."""
        return list(things) if self.calm else self._random.sample(things, len(things))

    def between(self, least: int, most: int) -> int:
        """Return a whole number: in a calm run the largest."""
        return most if self.calm else self._random.randint(least, most)

    def weighted(self, things: Sequence[T], weights: Sequence[float]) -> T:
        """Return one of some things, by their weights."""
        return things[0] if self.calm else self._random.choices(things, weights)[0]

    def note(self, line: str) -> None:
        """Write a line into the trace."""
        self.trace.append(line)

    def digest(self) -> str:
        """Return the hash of the trace: the same where the same was decided."""
        return sha256("\n".join(self.trace).encode()).hexdigest()
