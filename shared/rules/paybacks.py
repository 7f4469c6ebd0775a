"""The payback of each wager of a rules submission, or the reason why it is unknown, and its Envy Bonuses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from shared.rules._regulations import game_of
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.play import Play, StrategyCard, exact
from shared.rules.progressive import Progressive
from shared.rules.record import Submission
from shared.rules.submission import Offer, select


@dataclass(frozen=True)
class WagerPayback:
    """The payback of one offered wager.

    `play` is None if it was never computed; `reason` then explains why. For a wager with a meter, `progressive` is the
    payback as a function of the meter's reading, and `play` the result at one reading. `variants` are other readings or
    ways to play. `envy` is the return that each other hand at the table adds per unit wagered, by the wager (cents)
    that earns Envy Bonuses.
    """

    offer: Offer
    play: Play | None
    progressive: Progressive | None
    reason: str | None
    envy: Mapping[int, Fraction]
    most_other_hands: int
    variants: Mapping[str, Play]

    def with_envy(self, stake_cents: int, other_hands: int) -> Fraction:
        """Return the payback of a wager of `stake_cents` with Envy Bonuses for this number of other hands."""
        assert self.play is not None
        return self.play.payback + other_hands * self.envy[stake_cents]

    def as_document(self) -> dict[str, Any]:
        """Return the payback as JSON."""
        offer = self.offer
        named = {"wager": offer.name, "title": offer.wager.title, "paytable": offer.paytable.name}
        document: dict[str, Any] = {**named, "paragraph": offer.paytable.paragraph}
        if self.play is None:
            return {**document, "reason": self.reason}
        envy = [
            {"stake_cents": stake, "other_hands": hands, "payback": exact(self.with_envy(stake, hands))}
            for stake in self.envy
            for hands in range(1, self.most_other_hands + 1)
        ]
        if self.progressive is not None:
            document["progressive"] = self.progressive.as_document()
        if envy:
            document["with_envy_bonuses"] = envy
        if self.variants:
            document["variants"] = {name: play.as_document() for name, play in self.variants.items()}
        return {**document, **self.play.as_document()}


def paybacks(
    regulation: str, submission: Submission, readings: Mapping[str, int] = MappingProxyType({})
) -> Iterator[WagerPayback]:
    """Yield the payback of each wager that a submission offers, in the order of the catalogue.

    `readings` are meter readings, in cents by wager; other meters show their reset amount. A wager that is counted
    together with another one is not listed separately. Raises: Refused if the regulation does not allow the submission,
    or if a reading is given for a meter that is not counted.
    """
    selection, game = select(catalogue(regulation), submission), game_of(regulation)
    functions: dict[str, Progressive] = {}
    plays: dict[str, Play] = {}
    refused: dict[str, str] = {}
    for wager in selection.offers:
        try:
            if wager in game.progressives:
                counted = functions[wager] = game.progressive(selection, wager)
                plays[wager] = counted.at(readings.get(wager, counted.reset_cents))
            else:
                plays[wager] = game.play(selection, wager)
        except Refused as reason:
            refused[wager] = str(reason)
    for wager in readings:
        if wager not in functions:
            raise Refused(f"no meter of '{wager}' is counted; there are: {', '.join(functions) or 'none'}")
    counted_with = {other for play in plays.values() for other in play.wagers[1:]}
    for wager, offer in selection.offers.items():
        if wager not in counted_with:
            play = plays.get(wager)
            envy = {} if play is None else _envy(play, offer)
            others = selection.catalogue.seats.most - 1
            variants = game.variants[wager](selection, offer) if play is not None and wager in game.variants else {}
            yield WagerPayback(offer, play, functions.get(wager), refused.get(wager), envy, others, variants)


def _envy(play: Play, offer: Offer) -> dict[int, Fraction]:
    return {stake: _envy_of(play, cents, stake) for stake, cents in _envy_cents(offer).items()}


def _envy_cents(offer: Offer) -> dict[int, Mapping[str, int]]:
    """Return the Envy Bonuses by category, in cents, for each stake that earns them."""
    if offer.wager.envy_bonuses:
        return {bonus.stake: bonus.amounts for bonus in offer.wager.envy_bonuses}
    rows = {row.category: row.envy for row in offer.paytable.rows if row.envy is not None}
    stake = offer.paytable.stake or offer.wager.qualifies
    assert not rows or stake is not None, "an Envy Bonus is for a wager of a stated amount"
    return {stake: rows} if rows and stake is not None else {}


def _envy_of(play: Play, cents: Mapping[str, int], stake_cents: int) -> Fraction:
    """Return the expected Envy Bonus per unit wagered from one other hand, which wins as often as the player's own."""
    return sum((play.probability(category) * amount for category, amount in cents.items()), Fraction(0)) / stake_cents


def strategy_cards(regulation: str, submission: Submission) -> dict[str, StrategyCard]:
    """Return the optimal strategies that can be written as a card, by wager.

    Raises: Refused if the regulation does not allow the submission.
    """
    selection = select(catalogue(regulation), submission)
    cards = game_of(regulation).strategies
    return {wager: cards[wager](selection, offer) for wager, offer in selection.offers.items() if wager in cards}
