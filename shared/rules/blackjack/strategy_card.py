"""The basic strategy card: the decision for each total and pair against each up card."""

from collections.abc import Mapping
from typing import Final

from shared.rules.blackjack.main_wager import BLACKJACK
from shared.rules.blackjack.play import terms_of
from shared.rules.blackjack.shoe import ACE, full_shoe, soft, two_cards, without
from shared.rules.blackjack.strategy import Strategy, Terms, strategy_against
from shared.rules.game import CountStrategy
from shared.rules.play import StrategyCard
from shared.rules.submission import Offer, Selection

UP_CARDS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "A")

HIT: Final = "H"
STAND: Final = "S"
DOUBLE: Final = "D"
SPLIT: Final = "P"
SURRENDER: Final = "R"


_LETTERS: Final = (
    "the first letter that is allowed: R surrender, P split, D double down, H draw, S stand; a hand of more than two "
    "cards, or one that was split, cannot be surrendered, and one of more than two cards not be doubled"
)


def best_card(selection: Selection, offer: Offer) -> StrategyCard:
    """Return the strategy card of a submission."""
    assert selection.decks is not None
    return StrategyCard(UP_CARDS, strategy_card(selection.decks, terms_of(selection, offer)), _LETTERS)


def strategy_card(decks: int, terms: Terms) -> dict[str, tuple[str, ...]]:
    """Return the decisions on each hand, such as `hard 16`, `soft 18` or `pair 8`, by `UP_CARDS`.

    A decision has several letters, of which the first that is allowed applies: `RPH` is surrender, or else split, or
    else hit. A hand of more than two cards, or a split hand, cannot be surrendered; a hand of more than two cards
    cannot be doubled; a pair can be split a limited number of times.
    """
    strategies = [strategy_against(up, tuple(without(full_shoe(decks), up)), terms) for up in map(_value, UP_CARDS)]
    rows = {f"hard {total}": tuple(_of_state(each, total) for each in strategies) for total in range(4, 21)}
    rows |= {f"soft {total}": tuple(_of_state(each, soft(total)) for each in strategies) for total in range(12, 21)}
    rows |= {f"pair {name}": tuple(_of_pair(each, _value(name)) for each in strategies) for name in UP_CARDS}
    return rows


def _value(name: str) -> int:
    return ACE if name == "A" else int(name)


def _of_state(strategy: Strategy, state: int) -> str:
    return (SURRENDER if strategy.surrenders[state] else "") + _of_split(strategy, state)


def _of_pair(strategy: Strategy, value: int) -> str:
    surrender = SURRENDER if strategy.surrenders_pair[value] else ""
    return surrender + (SPLIT if strategy.splits[value] else "") + _of_split(strategy, two_cards(value, value))


def _of_split(strategy: Strategy, state: int) -> str:
    return (DOUBLE if strategy.doubles[state] else "") + (HIT if strategy.draws[state] else STAND)


STRATEGIES: Final[Mapping[str, CountStrategy]] = {BLACKJACK: best_card}
