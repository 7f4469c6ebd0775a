"""The interface of a game to the rules: its round record, its settlement, the returns of its wagers."""

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
"""(selection, offer) -> the distribution of a wager's return per unit staked, the stake included."""

CountPlay: TypeAlias = Callable[[Selection, Offer], Play]
"""(selection, offer) -> the result of a wager with all wagers added to it, under the player's optimal decisions."""

CountProgressive: TypeAlias = Callable[[Selection, Offer], Progressive]
"""(selection, offer) -> the result of a wager with a progressive meter, as a function of the meter's reading."""

CountVariants: TypeAlias = Callable[[Selection, Offer], Mapping[str, Play]]
"""(selection, offer) -> the results of a wager under other readings or ways to play, by the name of the variant."""

CountStrategy: TypeAlias = Callable[[Selection, Offer], StrategyCard]
"""(selection, offer) -> the optimal decisions on a wager, as a card."""


class Rules(Protocol[RoundContra]):
    """A compiled rules submission, which settles rounds of its game."""

    @abstractmethod
    def settle(self, round_: RoundContra, /) -> Settlement:
        """Settle one round; raise `Refused` if its record is impossible."""


@dataclass(frozen=True, slots=True)
class Game(Generic[RoundT]):
    """A game: its round record, the compilation of a selection into rules, and the returns of its wagers.

    `counts` has the returns of wagers that the cards alone decide, without a decision of the player or a meter. `plays`
    has the results of wagers that depend on the player's decisions, with the wagers that are added to them.
    `progressives` has the paybacks of wagers with a meter, as functions of the meter's reading. `variants` are other
    ways to read or to play a wager. `strategies` are the strategy cards for `plays` whose decisions can be written as a
    card.
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
        """Return the distribution of the return of `wager` per unit staked, its stake included, at full odds.

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

        Meters are taken at their reset amounts. Raise `Refused` for a wager that is not offered, and for one that has
        no payback of its own.
        """
        if wager in self.plays:
            return self.plays[wager](selection, selection.offer(wager))
        if wager in self.progressives:
            counted = self.progressive(selection, wager)
            return counted.at(counted.reset_cents)
        return Play.of_returns(wager, self.returns(selection, wager))

    def progressive(self, selection: Selection, wager: str) -> Progressive:
        """Return the payback of `wager`, one of `progressives`, as a function of its meter.

        Raise `Refused` if it is not offered.
        """
        return self.progressives[wager](selection, selection.offer(wager))
