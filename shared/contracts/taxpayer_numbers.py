"""Taxpayer identification numbers of the United States that no agency has issued."""

from typing import Final

_MADE_UP: Final = frozenset((*(digit * 9 for digit in "0123456789"), "123456789"))
"""Nine equal digits, and the digits in ascending order: FinCEN refuses a report with such a number."""


def is_made_up(number: str) -> bool:
    """Return whether a number of nine digits is a placeholder that people enter for an unknown number.

    >>> is_made_up("123456789"), is_made_up("000000000"), is_made_up("231234567")
    (True, True, False)
    """
    return number in _MADE_UP
