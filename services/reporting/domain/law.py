"""The law behind figures: the dated pack values with which the figures were computed. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor
from typing import Any, Final, Literal

from shared.jurisdictions import Dated

_HALF: Final = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Applied:
    """A pack value with which a figure was computed: its path in the pack, its text, and its source."""

    place: str
    value: str
    effective_from: date
    source: str
    status: Literal["confirmed", "unconfirmed"]
    note: str | None

    @classmethod
    def of(cls, place: str, dated: Dated[Any]) -> "Applied":
        """Return a dated value of a pack as an applied value; `place` is its path, such as `taxes.state_tax.rate`."""
        value = ", ".join(dated.value) if isinstance(dated.value, tuple) else str(dated.value)
        return cls(place, value, dated.effective_from, dated.source, dated.status, dated.note)


def unconfirmed(applied: Iterable[Applied]) -> tuple[Applied, ...]:
    """Return those of the applied values that are unconfirmed, without duplicates."""
    return tuple(dict.fromkeys(one for one in applied if one.status == "unconfirmed"))


def half_up(cents: Fraction) -> int:
    """Return an exact amount in whole cents, rounding half a cent up.

    >>> half_up(Fraction(5, 2)), half_up(Fraction(49, 20)), half_up(Fraction(-5, 2))
    (3, 2, -2)
    """
    return floor(cents + _HALF)
