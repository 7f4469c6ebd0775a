"""What each game provides to the rules: its round record, its settlement, its returns."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from shared.rules.errors import Refused
from shared.rules.record import Round
from shared.rules.returns import Returns
from shared.rules.settlement import Settlement
from shared.rules.submission import Offer, Selection

RoundT = TypeVar("RoundT", bound=Round)
RoundContra = TypeVar("RoundContra", bound=Round, contravariant=True)

CountReturns: TypeAlias = Callable[[Selection, Offer], Returns]
"""Returns what comes back of one cent of an offered wager, its stake included, and how often."""


class Rules(Protocol[RoundContra]):
    """One rules submission, ready to settle rounds of its game."""

    @abstractmethod
    def settle(self, round_: RoundContra, /) -> Settlement:
        """Settle one round; raise `Refused` for a record of something that cannot have happened."""


@dataclass(frozen=True, slots=True)
class Game(Generic[RoundT]):
    """One game: the record of its rounds, what makes a selection ready to settle them, and the returns by wager.

    A wager's returns are counted where the cards alone decide it, not the way in which hands are played, and no meter.
    """

    title: str
    round_type: type[RoundT]
    compile: Callable[[Selection], Rules[RoundT]]
    counts: Mapping[str, CountReturns]

    def returns(self, selection: Selection, wager: str) -> Returns:
        """Return what comes back of one cent of `wager`, its stake included, at full odds, and how often.

        Raise `Refused` for a wager that is not offered, and for one that has no payback of its own.
        """
        offer = selection.offer(wager)
        if wager not in self.counts:
            counted = ", ".join(name for name in selection.offers if name in self.counts)
            raise Refused(
                f"the payback of '{wager}' depends on how hands are played or on a meter; it is counted for "
                + (counted or "no wager that is offered"),
                paragraph=offer.wager.decided,
            )
        return self.counts[wager](selection, offer)
