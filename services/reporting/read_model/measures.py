"""Measures: the figures that facts add to, each declared once. Pure.

A measure is added up by property, gaming day, table, shift and item, whatever of these it has. Its name ends in its
unit: `_cents`, `_nanocents` (shared.contracts.exact), or nothing for a count.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, TypeVar

from shared.contracts.facts import Fact
from shared.contracts.topic_reader import View

Said = Fact | View
"""A fact, or what reporting sees of it."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What an entry adds to a measure.

    `item` is what it is about besides its table: a coupon, a pool, an account's instrument; the module that declares
    the measure says which. `gaming_day` None: that of the entry.
    """

    measure: str
    value: int
    table: str = ""
    shift: str = ""
    item: str = ""
    gaming_day: date | None = None


AmountsOf = Callable[[Any], Iterable[Amount]]
"""Return what a fact adds to measures."""

_AMOUNTS: Final[dict[type[Said], AmountsOf]] = {}

FunctionT = TypeVar("FunctionT", bound=AmountsOf)


def adds(*facts: type[Said]) -> Callable[[FunctionT], FunctionT]:
    """Declare what facts of these kinds add to measures. Raises: ValueError where another function says it already."""

    def declare(function: FunctionT) -> FunctionT:
        for fact in facts:
            if fact in _AMOUNTS:
                raise ValueError(f"what {fact.__name__} adds is declared by {_AMOUNTS[fact]}")
            _AMOUNTS[fact] = function
        return function

    return declare


def amounts_of(fact: Said) -> list[Amount]:
    """Return what a fact adds to measures; what adds nothing is left out."""
    found = _AMOUNTS.get(type(fact))
    return [] if found is None else [amount for amount in found(fact) if amount.value]


def declared() -> Mapping[type[Said], AmountsOf]:
    """Return the kinds that add to measures."""
    return dict(_AMOUNTS)
