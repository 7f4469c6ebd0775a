"""The house way: how the licensee requires the dealer's seven cards to be set, parsed from rules given as data.

`house_way.yaml` next to this module documents the form of a rule. A rules submission names a house way of that file, or
contains the rules of its own house way.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, Final, NamedTuple, TypeAlias

from shared.cards import RANKS
from shared.cards.ranking.pai_gow import CardSet, Formed, HighHands, by_value, cards_of, formed, low_rank
from shared.cards.ranking.standard import VALUES, Category, category_of
from shared.rules.errors import Refused
from shared.rules.packaged import packaged

_FILE: Final = "house_way.yaml"

_SHAPES: Final = {
    "five aces and pair": (5, 2),
    "five aces": (5, 1, 1),
    "four and three": (4, 3),
    "four and pair": (4, 2, 1),
    "four of a kind": (4, 1, 1, 1),
    "two threes": (3, 3, 1),
    "three and two pair": (3, 2, 2),
    "full house": (3, 2, 1, 1),
    "three of a kind": (3, 1, 1, 1, 1),
    "three pair": (2, 2, 2, 1),
    "two pair": (2, 2, 1, 1, 1),
    "pair": (2, 1, 1, 1, 1, 1),
    "no pair": (1, 1, 1, 1, 1, 1, 1),
}
_MADE: Final = "straight or flush"
_STRAIGHT_OR_FLUSH: Final = int(Formed.straight | Formed.flush)
_KEPT: Final = frozenset({Category.straight, Category.flush, Category.straight_flush, Category.royal_flush})
_HELD: Final = re.compile(rf"(four|three|pair|low pair|single|second single) ([{RANKS}])(?: or (higher|lower))?")

Low: TypeAlias = Callable[["Held"], Iterator[CardSet]]
"""The low hands among which a rule chooses the best, given the cards."""


class Group(NamedTuple):
    """The cards of one rank in a hand; `value` is the rank."""

    size: int
    value: int
    cards: tuple[CardSet, ...]


class Held(NamedTuple):
    """Seven cards by rank: groups in descending order of size, then of rank; the joker is an ace."""

    seven: CardSet
    groups: tuple[Group, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the sizes of the groups, largest first."""
        return tuple(group.size for group in self.groups)

    def of_size(self, size: int) -> list[Group]:
        """Return the groups of this size, highest rank first."""
        return [group for group in self.groups if group.size == size]


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition of a rule: one of a hand's groups has a rank from `lowest` to `highest`.

    The group is that of this `size` at index `place`, from 0, among the groups of the size, highest rank first. If
    `size` is 0, the condition is that the seven cards can form a straight or flush.
    """

    size: int
    place: int
    lowest: int
    highest: int

    def holds(self, held: Held) -> bool:
        if not self.size:
            return formed(held.seven) & _STRAIGHT_OR_FLUSH != 0
        groups = held.of_size(self.size)
        try:
            value = groups[self.place].value
        except IndexError:
            return False
        return self.lowest <= value <= self.highest


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line of a house way: it sets the hands of its `shape` that meet its `conditions`."""

    text: str
    shape: tuple[int, ...]
    conditions: tuple[_Condition, ...]
    low: Low
    keeps_straight_or_flush: bool


@dataclass(frozen=True, slots=True)
class HouseWay:
    """A house way: an ordered list of rules that determines how any seven cards are set."""

    rules: tuple[_Rule, ...]
    ranking: HighHands
    paragraph: str

    def low(self, seven: CardSet) -> CardSet:
        """Return the two cards of the low hand; raise `Refused` if the high hand would rank lower."""
        held = _held(seven)
        shape = held.shape
        rule = next(
            rule for rule in self.rules if rule.shape == shape and all(one.holds(held) for one in rule.conditions)
        )
        best: tuple[int, int, CardSet] | None = None
        for low in rule.low(held):
            high_hand, low_hand = self.ranking.rank(seven ^ low), low_rank(low)
            if high_hand < low_hand or (rule.keeps_straight_or_flush and category_of(high_hand) not in _KEPT):
                continue
            ranked = (low_hand, high_hand, low) if rule.keeps_straight_or_flush else (high_hand, low_hand, low)
            if best is None or ranked > best:
                best = ranked
        if best is None:
            raise Refused(
                f"option 'house_way': rule {rule.text!r} sets no correct hands from {' '.join(cards_of(seven))}",
                paragraph=self.paragraph,
            )
        return best[2]


def house_way(selected: str, ranking: HighHands, paragraph: str) -> HouseWay:
    """Return the house way that a submission selects, by name or as a text of rules.

    Raise `Refused` for an unknown name, a malformed rule, and a house way without a rule for some shape of hand.
    """
    ways = named_ways()
    if selected in ways:
        text = ways[selected]
    elif ":" in selected:
        text = selected
    else:
        raise Refused(
            f"option 'house_way' {selected!r} is neither one of {', '.join(ways)} nor a text of rules",
            paragraph=paragraph,
        )
    rules = tuple(_rule(line.strip(), paragraph) for line in text.splitlines() if line.strip())
    for name, shape in _SHAPES.items():
        if not any(rule.shape == shape and not rule.conditions for rule in rules):
            raise Refused(
                f"option 'house_way': no rule without a condition says how '{name}' is set", paragraph=paragraph
            )
    return HouseWay(rules=rules, ranking=ranking, paragraph=paragraph)


@cache
def named_ways() -> dict[str, str]:
    """Return the rules of each documented house way, by name."""
    ways: dict[str, Any] = packaged(__package__, _FILE)
    return {name: way["rules"] for name, way in ways.items()}


def _rule(text: str, paragraph: str) -> _Rule:
    def refused(why: str) -> Refused:
        return Refused(f"option 'house_way': rule {text!r}: {why}", paragraph=paragraph)

    when, colon, low_name = text.partition(":")
    name, *conditions = (part.strip() for part in when.split(","))
    if not colon:
        raise refused("it must be 'SHAPE, CONDITION: LOW HAND'")
    if name not in _SHAPES:
        raise refused(f"no shape {name!r}; there are: {', '.join(_SHAPES)}")
    low_name = low_name.strip()
    if low_name not in _LOWS:
        raise refused(f"no low hand {low_name!r}; there are: {', '.join(_LOWS)}")
    read = [_condition(condition) for condition in conditions]
    for condition, words in zip(read, conditions, strict=True):
        if condition is None:
            raise refused(f"no condition {words!r}")
    shape, (low, needs) = _SHAPES[name], _LOWS[low_name]
    keeps = low is _any_two
    if keeps and _MADE not in conditions:
        raise refused(f"it needs the condition '{_MADE}'")
    if any(shape.count(size) < number for size, number in needs.items()):
        raise refused(f"'{name}' holds no {low_name}")
    return _Rule(text, shape, tuple(condition for condition in read if condition is not None), low, keeps)


def _condition(words: str) -> _Condition | None:
    if words == _MADE:
        return _Condition(0, 0, 0, 0)
    match = _HELD.fullmatch(words)
    if match is None:
        return None
    size, place = {
        "four": (4, 0),
        "three": (3, 0),
        "pair": (2, 0),
        "low pair": (2, -1),
        "single": (1, 0),
        "second single": (1, 1),
    }[match[1]]
    value = VALUES[match[2]]
    return _Condition(size, place, 2 if match[3] == "lower" else value, 14 if match[3] == "higher" else value)


def _held(seven: CardSet) -> Held:
    groups = [Group(len(cards), value, cards) for value, cards in by_value(seven).items()]
    groups.sort(key=_size, reverse=True)
    return Held(seven, tuple(groups))


def _size(group: Group) -> int:
    return group.size


def _two(cards: Sequence[CardSet]) -> Iterator[CardSet]:
    return (one | other for one, other in combinations(cards, 2))


def _pair(held: Held) -> Iterator[CardSet]:
    return _two(held.of_size(2)[0].cards)


def _low_pair(held: Held) -> Iterator[CardSet]:
    return _two(held.of_size(2)[-1].cards)


def _two_of_the_three(held: Held) -> Iterator[CardSet]:
    return _two(held.of_size(3)[0].cards)


def _two_of_the_four(held: Held) -> Iterator[CardSet]:
    return _two(held.of_size(4)[0].cards)


def _two_of_the_five(held: Held) -> Iterator[CardSet]:
    return _two(held.of_size(5)[0].cards)


def _two_highest_singles(held: Held) -> Iterator[CardSet]:
    first, second, *_ = held.of_size(1)
    yield first.cards[0] | second.cards[0]


def _second_and_third_single(held: Held) -> Iterator[CardSet]:
    _, second, third, *_ = held.of_size(1)
    yield second.cards[0] | third.cards[0]


def _one_of_the_three_and_highest_single(held: Held) -> Iterator[CardSet]:
    single = held.of_size(1)[0].cards[0]
    return (one | single for one in held.of_size(3)[0].cards)


def _any_two(held: Held) -> Iterator[CardSet]:
    return _two([card for group in held.groups for card in group.cards])


# The low hands of each kind, and the number of groups by size that the kind needs.
_LOWS: Final[dict[str, tuple[Low, dict[int, int]]]] = {
    "pair": (_pair, {2: 1}),
    "low pair": (_low_pair, {2: 1}),
    "two of the three": (_two_of_the_three, {3: 1}),
    "two of the four": (_two_of_the_four, {4: 1}),
    "two of the five": (_two_of_the_five, {5: 1}),
    "two highest singles": (_two_highest_singles, {1: 2}),
    "second and third single": (_second_and_third_single, {1: 3}),
    "one of the three and highest single": (_one_of_the_three_and_highest_single, {3: 1, 1: 1}),
    "behind straight or flush": (_any_two, {}),
}
