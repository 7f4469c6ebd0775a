"""Returns of wagers on combinations of seven cards: exact, by counting all hands from 52 cards and a joker.

Counting takes seconds, so the counts are stored next to this module. `pitledger payback recompute seven-cards` counts
them again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from shared.cards import Card
from shared.cards.ranking.pai_gow import card_set, formed, holds_joker, top_value
from shared.cards.ranking.seven_card_counts import count_seven_cards
from shared.rules.packaged import packaged
from shared.rules.paytable import Row, count_returns
from shared.rules.returns import Returns

COUNTS: Final = "seven_cards.yaml"


class SevenCards(NamedTuple):
    """The features of seven cards that paytables use: `Formed` flags without and with a wild joker, and top value."""

    formed: int
    formed_with_wild_joker: int
    top: int


@cache
def seven_card_counts() -> Counter[SevenCards]:
    """Return the number of seven-card hands of each kind."""
    counted: list[list[int]] = packaged(__package__, COUNTS)
    return Counter({SevenCards(formed, wild, top): hands for formed, wild, top, hands in counted})


def counts_text() -> str:
    """Count all hands, and return the content of the stored file: a line for each kind, with its number of hands."""
    counted = sorted(count_seven_cards(_kind).items())
    return "".join(f"- [{', '.join(map(str, (*kind, hands)))}]\n" for kind, hands in counted)


def bonus_hands(rows: Mapping[int, Row | None], *, wild_joker: bool = False) -> Iterator[tuple[int, Row | None]]:
    """Yield (number of hands, row that they win); `rows` maps combinations (`Formed` flags) to rows."""
    for seven, hands in seven_card_counts().items():
        yield hands, rows[seven.formed_with_wild_joker if wild_joker else seven.formed]


def bonus_returns(rows: Mapping[int, Row | None]) -> Returns:
    """Return the returns of a wager; `rows` maps combinations (`Formed` flags) to the row that is paid.

    Envy Bonuses are not included, because they depend on the number of other players.
    """
    return count_returns(bonus_hands(rows))


def _kind(cards: tuple[Card, ...]) -> SevenCards:
    hand = card_set(cards)
    flags = formed(hand)
    wild = formed(hand, wild_joker=True) if holds_joker(hand) else flags
    return SevenCards(flags, wild, top_value(hand))
