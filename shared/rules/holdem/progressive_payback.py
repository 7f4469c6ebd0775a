"""The paybacks of Texas Hold 'Em Bonus Poker's progressive wagers: exact, as functions of their meters.

`five_cards.yaml` has the number of deals in which two cards and the Flop form each row; `pitledger payback recompute
five-cards` counts them again.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import comb
from typing import Final

from shared.cards.ranking import Category
from shared.rules.game import CountProgressive
from shared.rules.holdem.main_wagers import ANTE
from shared.rules.holdem.play import folded
from shared.rules.holdem.table import FIVE_CARD_HAND_BONUS, PROGRESSIVE
from shared.rules.packaged import packaged
from shared.rules.paytable import Row, rows_by_category
from shared.rules.progressive import Hands, Progressive, with_bonus
from shared.rules.submission import Offer, Selection

COUNTS: Final = "five_cards.yaml"
ROWS: Final = tuple(
    category.name for category in Category if Category.three_of_a_kind <= category < Category.five_of_a_kind
)
"""The categories whose hands the file counts, in the order of the counts."""

_FLOPS: Final = comb(50, 3)
_PAYOUT_ASSUMED: Final = (
    "two cards are folded as the Ante Wager is played best, and lose: a player who folds is not eligible"
)
_BONUS_ASSUMED: Final = (
    "the cards alone decide it, of the player or of the dealer; one player wagers on the dealer's hand; where offered, "
    "a Magic Card of 52 and a lucky position, the dealer's among them, are selected in every round, each as likely"
)
_MAGIC: Final = Fraction(5, 52)


@cache
def five_cards() -> Mapping[str, tuple[int, ...]]:
    """Return the number of deals of hand and Flop that form each of `ROWS`, keyed by two cards such as `AKs`."""
    counted: dict[str, list[int]] = packaged(__package__, COUNTS)
    return {kind: tuple(row) for kind, row in counted.items()}


def count_payout(selection: Selection, offer: Offer) -> Progressive:
    """Return the payback of the Progressive Payout Wager as a function of its meter, without Envy Bonuses."""
    folds = folded(selection, selection.offers[ANTE])
    return Progressive.counted(offer, _hands(rows_by_category(offer), folds), _PAYOUT_ASSUMED)


def count_bonus(selection: Selection, offer: Offer) -> Progressive:
    """Return the payback of a Five Card Hand Bonus Wager, on either hand, with both bonuses, by meter reading."""
    rows = rows_by_category(offer)
    hands = list(_hands(rows, frozenset()))
    positions = selection.catalogue.seats.most + 1
    for bonus, chance in ((rows.get("magic_card"), _MAGIC), (rows.get("lucky_bonus"), Fraction(1, positions))):
        hands = with_bonus(hands, bonus, chance)
    return Progressive.counted(offer, hands, _BONUS_ASSUMED)


def _hands(rows: Mapping[str, Row], folds: frozenset[str]) -> Iterator[Hands]:
    dealt = comb(52, 2) * _FLOPS
    for kind, counts in five_cards().items():
        for category, ways in zip(ROWS, counts, strict=True):
            if kind not in folds and category in rows:
                dealt -= ways
                yield ways, rows[category]
    yield dealt, None


PROGRESSIVES: Final[Mapping[str, CountProgressive]] = {PROGRESSIVE: count_payout, FIVE_CARD_HAND_BONUS: count_bonus}
