"""Paybacks of bonus wagers on what seven cards can form: exact, by counting all hands from 52 cards and a joker."""

from collections.abc import Mapping
from fractions import Fraction

from shared.cards import Card
from shared.cards.ranking.pai_gow import card_set, formed
from shared.cards.ranking.seven_card_counts import count_seven_cards
from shared.rules.paytable import Row


def bonus_payback(
    rows: Mapping[int, Row | None], *, wild_joker: bool = False, meter: Fraction = Fraction(0)
) -> Fraction:
    """Return what comes back of one cent, its stake included; `rows` are those paid by the flags of what can be formed.

    `meter` is what the progressive meter shows, as a multiple of the stake. Envy Bonuses are left out: they depend on
    how many others play.
    """
    counts = count_seven_cards(_formed_with_wild_joker if wild_joker else _formed)
    back = Fraction(0)
    for flags, hands in counts.items():
        row = rows[flags]
        if row is not None:
            back += hands * (row.odds.returns + row.meter * meter)
    return back / counts.total()


def _formed(cards: tuple[Card, ...]) -> int:
    return formed(card_set(cards))


def _formed_with_wild_joker(cards: tuple[Card, ...]) -> int:
    return formed(card_set(cards), wild_joker=True)
