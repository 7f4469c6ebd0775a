"""The payback of Pai Gow Poker's Progressive Payout Wager as a function of its meter: exact, from all hands.

Rhode Island's hand types also depend on the hands that the cards can form next to a pair. The number of hands of each
kind is stored next to this module; `pitledger payback recompute hand-types` counts them again.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from shared.cards import Card
from shared.cards.ranking.pai_gow import card_set, formed
from shared.cards.ranking.seven_card_counts import count_seven_cards
from shared.rules.game import CountProgressive
from shared.rules.packaged import packaged
from shared.rules.pai_gow.progressive import (
    PROGRESSIVE,
    FormedBesidePair,
    HandTypes,
    formed_beside_pair,
    highest,
    pays_hand_types,
)
from shared.rules.progressive import LEAST_STAKE_CENTS, Progressive
from shared.rules.set_hands.bonuses import BonusRows
from shared.rules.set_hands.payback import bonus_hands
from shared.rules.submission import Offer, Selection

COUNTS: Final = "hand_types.yaml"


@cache
def hand_type_counts() -> Mapping[FormedBesidePair, int]:
    """Return the number of seven-card hands, keyed by the hands that their cards can form."""
    counted: list[list[int]] = packaged(__package__, COUNTS)
    return {FormedBesidePair(anything, with_pair): hands for anything, with_pair, hands in counted}


def counts_text() -> str:
    """Count all hands, and return the content of the stored file: a line for each kind, with its number of hands."""
    return "".join(f"- [{anything}, {pair}, {hands}]\n" for (anything, pair), hands in sorted(_count().items()))


def _count() -> Mapping[FormedBesidePair, int]:
    return count_seven_cards(_kind)


def _kind(cards: tuple[Card, ...]) -> FormedBesidePair:
    seven = card_set(cards)
    return formed_beside_pair(seven, formed(seven))


def count_progressive(selection: Selection, offer: Offer) -> Progressive:
    """Return the payback of the Progressive Payout Wager as a function of its meter.

    If hand types are paid, a hand wins the type that pays most while the meter shows its reset amount.
    """
    del selection
    if not pays_hand_types(offer):
        return Progressive.counted(offer, bonus_hands(BonusRows(offer)))
    assert offer.meter is not None
    types, stake, reset = HandTypes(offer), offer.paytable.stake or LEAST_STAKE_CENTS, offer.meter.reset
    hands = ((ways, highest(types.rows(kind), stake, reset)) for kind, ways in hand_type_counts().items())
    return Progressive.counted(offer, hands)


PROGRESSIVES: Final[Mapping[str, CountProgressive]] = {PROGRESSIVE: count_progressive}
