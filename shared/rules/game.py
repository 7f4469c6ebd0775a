"""What each game provides to the rules: its round record, its settlement, its paybacks."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from shared.rules.record import Round
from shared.rules.settlement import Settlement
from shared.rules.submission import Selection

RoundT = TypeVar("RoundT", bound=Round)
RoundContra = TypeVar("RoundContra", bound=Round, contravariant=True)


class Rules(Protocol[RoundContra]):
    """One rules submission, ready to settle rounds of its game."""

    @abstractmethod
    def settle(self, round_: RoundContra, /) -> Settlement:
        """Settle one round; raises `Refused` for a record of something that cannot have happened."""


@dataclass(frozen=True, slots=True)
class Game(Generic[RoundT]):
    """One game: the record of its rounds, and what makes a selection from its catalogue ready for use."""

    round_type: type[RoundT]
    compile: Callable[[Selection], Rules[RoundT]]
    payback: Callable[[Selection, str], Fraction]
