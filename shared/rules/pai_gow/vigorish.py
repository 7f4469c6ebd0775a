"""The vigorish: 5% of the amount won, exact or rounded up to a multiple of 25 cents."""

from typing import Literal

Rounding = Literal["none", "quarter_up"]

_DIVISOR = 20  # 5%
_QUARTER = 25


def vigorish(won: int, rounding: Rounding) -> int:
    """Return the vigorish on `won` cents; without rounding, a fraction of a cent is dropped.

    >>> vigorish(1200, "none"), vigorish(1200, "quarter_up"), vigorish(500, "quarter_up")
    (60, 75, 25)
    """
    if rounding == "none":
        return won // _DIVISOR
    return -(-won // (_DIVISOR * _QUARTER)) * _QUARTER
