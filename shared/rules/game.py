"""What each game provides to the rules: its round record, its settlement, its paybacks."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeAlias, TypeVar

from shared.rules.errors import Refused
from shared.rules.record import Round
from shared.rules.settlement import Settlement
from shared.rules.submission import Offer, Selection

RoundT = TypeVar("RoundT", bound=Round)
RoundContra = TypeVar("RoundContra", bound=Round, contravariant=True)

Payback: TypeAlias = Callable[[Selection, Offer], Fraction]
"""Returns what comes back of one cent of an offered wager, its stake included."""


class Rules(Protocol[RoundContra]):
    """One rules submission, ready to settle rounds of its game."""

    @abstractmethod
    def settle(self, round_: RoundContra, /) -> Settlement:
        """Settle one round; raise `Refused` for a record of something that cannot have happened."""


@dataclass(frozen=True, slots=True)
class Game(Generic[RoundT]):
    """One game: the record of its rounds, what makes a selection ready to settle them, and the paybacks by wager.

    A wager has a payback where the cards alone decide it, not the way in which hands are played, and no meter.
    """

    title: str
    round_type: type[RoundT]
    compile: Callable[[Selection], Rules[RoundT]]
    paybacks: Mapping[str, Payback]

    def payback(self, selection: Selection, wager: str) -> Fraction:
        """Return what comes back of one cent of `wager`, its stake included, at full odds.

        Raise `Refused` for a wager that is not offered, and for one that has no payback of its own.
        """
        offer = selection.offer(wager)
        if wager not in self.paybacks:
            counted = ", ".join(name for name in selection.offers if name in self.paybacks)
            raise Refused(
                f"the payback of '{wager}' depends on how hands are played or on a meter; it is counted for "
                + (counted or "no wager that is offered"),
                paragraph=offer.wager.decided,
            )
        return self.paybacks[wager](selection, offer)
