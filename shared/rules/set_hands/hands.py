"""Seven cards set as a high and a low hand: whether they are set correctly, and how two hands compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from shared.cards import Card
from shared.cards.ranking.pai_gow import CardSet, HighHands, card_set, low_rank
from shared.rules.errors import Refused
from shared.rules.line import Outcome

HAND: Final = 7
LOW_HAND: Final = 2

Comparison = Literal["both_higher", "both_lower", "copied", "only_high_higher", "only_low_higher"]
"""How a player's two hands compare with the dealer's. `copied`: one is identical and the other is not higher."""


OUTCOMES: Final[Mapping[Comparison, Outcome]] = {
    "both_higher": "win",
    "both_lower": "lose",
    "copied": "lose",
    "only_high_higher": "push",
    "only_low_higher": "push",
}
"""The outcome of the player's wager for each comparison."""


class SetHand(NamedTuple):
    """Seven cards as set, with the ranks of the high and the low hand by `shared.cards.ranking`.

    `fouled` is why a hand was not set correctly: the low hand ranks above the high hand, or does not have two cards. It
    is None for a hand that was set correctly.
    """

    seven: CardSet
    high: int
    low: int
    fouled: Literal["low_above_high", "not_two_cards"] | None


@dataclass(frozen=True, slots=True)
class SettingRules:
    """The rules of setting hands: the ranking, and the paragraphs on the number of cards and on setting them."""

    ranking: HighHands
    seven_cards: str
    setting: str

    def read(self, cards: Sequence[Card], low: Sequence[Card], *, seat: int | None) -> SetHand:
        """Return the set hand of a seat (None: the dealer); raise `Refused` if it is impossible."""
        seven = self.seven(cards, seat=seat)
        below = self._low(seven, low, seat=seat)
        if not below:
            raise Refused(f"{_owner(seat)}'low' is missing: the hand was not set", seat=seat, paragraph=self.setting)
        if len(low) != LOW_HAND:
            return SetHand(seven, 0, 0, "not_two_cards")
        low_hand = low_rank(below)
        high_hand = self.ranking.rank(seven ^ below)
        return SetHand(seven, high_hand, low_hand, None if high_hand >= low_hand else "low_above_high")

    def seven(self, cards: Sequence[Card], *, seat: int | None) -> CardSet:
        """Return the cards of a completely dealt hand; raise `Refused` unless there are seven."""
        if len(cards) != HAND:
            raise Refused(
                f"{_owner(seat)}'cards' has {len(cards)} cards, not {HAND}", seat=seat, paragraph=self.seven_cards
            )
        return card_set(cards)

    def check_unfinished(self, cards: Sequence[Card], low: Sequence[Card], *, seat: int | None, misdealt: bool) -> None:
        """Raise `Refused` for cards that are impossible in a stopped round."""
        if len(cards) > HAND and not misdealt:
            raise Refused(
                f"{_owner(seat)}'cards' has {len(cards)} cards, more than {HAND} without an irregularity 'misdeal'",
                seat=seat,
                paragraph=self.seven_cards,
            )
        self._low(card_set(cards), low, seat=seat)

    def check_low(self, seven: CardSet, low: Sequence[Card], *, seat: int | None) -> None:
        """Raise `Refused` if a low hand, where one is recorded, names cards that are not in the hand."""
        self._low(seven, low, seat=seat)

    def _low(self, held: CardSet, low: Sequence[Card], *, seat: int | None) -> CardSet:
        below = card_set(low)
        if below & ~held:
            strange = next(card for card in low if card_set([card]) & ~held)
            raise Refused(
                f"{_owner(seat)}'low' names {strange}, which is not in the hand", seat=seat, paragraph=self.setting
            )
        if below.bit_count() != len(low):
            twice = next(card for card in low if low.count(card) > 1)
            raise Refused(f"{_owner(seat)}'low' names {twice} twice", seat=seat, paragraph=self.setting)
        return below


def compare(player: SetHand, dealer: SetHand) -> Comparison:
    """Return how a player's hands compare with the dealer's; identical hands are copies, which the dealer wins."""
    if player.high > dealer.high:
        return "both_higher" if player.low > dealer.low else "only_high_higher"
    if player.low > dealer.low:
        return "only_low_higher"
    return "both_lower" if player.high < dealer.high and player.low < dealer.low else "copied"


def _owner(seat: int | None) -> str:
    return "dealer: " if seat is None else ""
