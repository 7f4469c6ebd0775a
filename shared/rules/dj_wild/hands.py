"""The categories of a round's hands: against the dealer, for the Trips Bonus, and for the Progressive Bonus."""

from collections.abc import Sequence

from shared.cards import JOKER, Card
from shared.cards.ranking import category_of, rank_five
from shared.cards.ranking.deuces_wild import WILD_CARDS, rank_without_fives, wild_category_of


def category_name(rank: int) -> str:
    """Return the name of a hand's paytable row, by its rank with wild cards."""
    return wild_category_of(rank).name


def natural_category(cards: Sequence[Card]) -> str | None:
    """Return the category of the hand without wild cards, with deuces as twos; None if it has the joker."""
    return None if JOKER in cards else category_of(rank_five(cards)).name


def has_wild(cards: Sequence[Card]) -> bool:
    """Return whether a hand has a deuce or the joker."""
    return not WILD_CARDS.isdisjoint(cards)


def progressive_category(cards: Sequence[Card], *, deuces_wild: bool) -> str:
    """Return the name of the highest hand in § 687a.6(d) that the cards form, with the joker replaced.

    With `deuces_wild` the deuces stay wild; five of a kind is not on the list, so the next best hand counts.
    """
    if deuces_wild:
        return category_name(rank_without_fives(cards))
    return category_of(rank_five(cards)).name
