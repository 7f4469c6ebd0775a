"""Measures: the figures that facts contribute to, each declared once. Pure.

Amounts of a measure are summed by property, gaming day, table, shift and item, as far as they state these. A measure's
name ends in its unit: `_cents`, `_nanocents` (shared.contracts.exact), or nothing for a count.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, TypeVar

from shared.contracts.facts import Fact
from shared.contracts.topic_reader import View

Said = Fact | View
"""A fact, or reporting's partial view of it."""


@dataclass(frozen=True, slots=True)
class Amount:
    """An entry's contribution to a measure.

    `item` is the subject of the amount besides the table, such as a coupon, a pool or an account's instrument; the
    module that declares the measure describes it. If `gaming_day` is None, the gaming day of the entry applies.
    `closed_at` is set only for results of counted tables.
    """

    measure: str
    value: int
    table: str = ""
    shift: str = ""
    item: str = ""
    gaming_day: date | None = None
    closed_at: datetime | None = None


AmountsOf = Callable[[Any], Iterable[Amount]]
"""A function that returns a fact's contributions to measures."""

_AMOUNTS: Final[dict[type[Said], AmountsOf]] = {}

FunctionT = TypeVar("FunctionT", bound=AmountsOf)


def adds(*facts: type[Said]) -> Callable[[FunctionT], FunctionT]:
    """Register a function that yields the amounts of these facts. Raises: ValueError if a kind already has one."""

    def declare(function: FunctionT) -> FunctionT:
        for fact in facts:
            if fact in _AMOUNTS:
                raise ValueError(f"what {fact.__name__} adds is declared by {_AMOUNTS[fact]}")
            _AMOUNTS[fact] = function
        return function

    return declare


def amounts_of(fact: Said) -> list[Amount]:
    """Return a fact's contributions to measures, without zeros."""
    found = _AMOUNTS.get(type(fact))
    return [] if found is None else [amount for amount in found(fact) if amount.value]


def declared() -> Mapping[type[Said], AmountsOf]:
    """Return the registered functions, keyed by the kind of fact that contributes to measures."""
    return dict(_AMOUNTS)
