"""The parts that each game provides to the rules: its round record, its settlement, its returns."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

from shared.rules.errors import Refused
from shared.rules.play import Play, StrategyCard
from shared.rules.progressive import Progressive
from shared.rules.record import Round
from shared.rules.returns import Returns
from shared.rules.settlement import Settlement
from shared.rules.submission import Offer, Selection

RoundT = TypeVar("RoundT", bound=Round)
RoundContra = TypeVar("RoundContra", bound=Round, contravariant=True)

CountReturns: TypeAlias = Callable[[Selection, Offer], Returns]
"""Returns what comes back of one cent of an offered wager, its stake included, and how often."""

CountPlay: TypeAlias = Callable[[Selection, Offer], Play]
"""Returns what an offered wager comes to with all that is added to it, under the player's optimal decisions."""

CountProgressive: TypeAlias = Callable[[Selection, Offer], Progressive]
"""Returns what an offered wager with a progressive meter comes to as a function of what the meter shows."""

CountVariants: TypeAlias = Callable[[Selection, Offer], Mapping[str, Play]]
"""Returns what an offered wager comes to in other ways in which it may be read or played, by what is otherwise."""

CountStrategy: TypeAlias = Callable[[Selection, Offer], StrategyCard]
"""Returns what is best to do with an offered wager."""


class Rules(Protocol[RoundContra]):
    """A compiled rules submission for settling rounds of its game."""

    @abstractmethod
    def settle(self, round_: RoundContra, /) -> Settlement:
        """Settle one round; raise `Refused` for a record that is impossible."""


@dataclass(frozen=True, slots=True)
class Game(Generic[RoundT]):
    """A game: its round record, the compilation of a selection into rules, and the returns of wagers.

    A wager's returns are counted where the cards alone decide it, not the way in which hands are played, and no meter.
    Its play is counted in `plays` where the player decides, with the wagers that are added to it. What a wager with a
    meter pays back follows from `progressives` and the reading of its meter; `variants` are other ways to read or to
    play it. `strategies` are the cards by which `plays` are played, where one can be written down.
    """

    title: str
    round_type: type[RoundT]
    compile: Callable[[Selection], Rules[RoundT]]
    counts: Mapping[str, CountReturns]
    plays: Mapping[str, CountPlay] = field(default_factory=dict)
    progressives: Mapping[str, CountProgressive] = field(default_factory=dict)
    variants: Mapping[str, CountVariants] = field(default_factory=dict)
    strategies: Mapping[str, CountStrategy] = field(default_factory=dict)

    def returns(self, selection: Selection, wager: str) -> Returns:
        """Return the distribution of the return per cent of `wager`, its stake included, at full odds.

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

    def play(self, selection: Selection, wager: str) -> Play:
        """Return the result of `wager` as played, with the wagers that are added to it, at full odds.

        A meter shows its reset amount. Raise `Refused` for a wager that is not offered, and for one that has no
        payback of its own.
        """
        if wager in self.plays:
            return self.plays[wager](selection, selection.offer(wager))
        if wager in self.progressives:
            counted = self.progressive(selection, wager)
            return counted.at(counted.reset_cents)
        return Play.of_returns(wager, self.returns(selection, wager))

    def progressive(self, selection: Selection, wager: str) -> Progressive:
        """Return what `wager`, one of `progressives`, comes to as a function of its meter; raise `Refused` where it is
        not offered."""
        return self.progressives[wager](selection, selection.offer(wager))
