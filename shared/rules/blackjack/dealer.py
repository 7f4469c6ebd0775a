"""The dealer's hand: its cards, and the check that it was drawn by the rules."""

from dataclasses import dataclass
from typing import Final

from shared.cards import StandardCard
from shared.rules.blackjack.paragraphs import Paragraphs
from shared.rules.blackjack.totals import MOST, VALUES, is_blackjack, total
from shared.rules.errors import Refused

_STANDS_ON: Final = 17


@dataclass(frozen=True, slots=True)
class DealerHand:
    """The dealer's cards in order; `hole` is None in a round that stopped before the hole card was recorded."""

    cards: tuple[StandardCard, ...]
    up: StandardCard
    hole: StandardCard | None
    points: int
    blackjack: bool

    @property
    def royal_match(self) -> bool:
        """Return whether the up card and the hole card are a king and a queen of one suit."""
        up, hole = self.up, self.hole
        return hole is not None and up[1] == hole[1] and up[0] + hole[0] in ("KQ", "QK")

    @property
    def high_card_up(self) -> bool:
        """Return whether an ace or a card with the value 10 is up."""
        return VALUES[self.up] >= 10


def read_dealer(cards: tuple[StandardCard, ...], *, stopped: bool, paragraphs: Paragraphs) -> DealerHand:
    """Return the dealer's hand in a record; raise `Refused` if the initial cards are missing.

    In a round that was stopped, only the up card is required, and the dealer must not have drawn.
    """
    if not cards:
        raise Refused("dealer: the up card is missing", paragraph=paragraphs.initial_cards)
    if len(cards) == 1 and not stopped:
        raise Refused(f"dealer: the hole card under {cards[0]} is missing", paragraph=paragraphs.hole_card)
    if len(cards) > 2 and stopped:
        raise Refused(
            f"dealer: drew {cards[2]} although all hands had been called dead", paragraph=paragraphs.dealer_stays
        )
    return DealerHand(
        cards=cards,
        up=cards[0],
        hole=cards[1] if len(cards) > 1 else None,
        points=total(cards),
        blackjack=len(cards) == 2 and is_blackjack(cards[0], cards[1]),
    )


def check_drawn(dealer: DealerHand, *, still_open: bool, paragraphs: Paragraphs) -> None:
    """Raise `Refused` if the dealer drew needlessly, drew on 17 or more, or stopped too early.

    `still_open` is whether the dealer's cards can still decide at least one wager.
    """
    cards = dealer.cards
    if not still_open:
        if len(cards) > 2:
            raise Refused(
                f"dealer: drew {cards[2]} although no hand was left that the dealer's total could decide",
                paragraph=paragraphs.dealer_stays,
            )
        return
    for count in range(2, len(cards)):
        points = total(cards[:count])
        if points >= _STANDS_ON:
            raise Refused(f"dealer: drew {cards[count]} on {points}", paragraph=paragraphs.dealer_draws)
    if dealer.points < _STANDS_ON:
        raise Refused(f"dealer: stood on {dealer.points} and must draw to 17", paragraph=paragraphs.dealer_draws)


def is_bust(points: int) -> bool:
    """Return whether a total exceeds 21."""
    return points > MOST
