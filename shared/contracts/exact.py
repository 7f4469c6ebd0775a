"""Exact fractions of a cent, as integers of nanocents.

Rates have at most nine decimals, so the contribution of a wager of whole cents to a meter is a whole number of
nanocents, and nothing is ever rounded. A display shows whole cents: the fraction is kept but not shown.
"""

from fractions import Fraction
from typing import Annotated, Final

from pydantic import StringConstraints

ExactCents = Annotated[str, StringConstraints(pattern=r"^-?[0-9]{1,25}(\.[0-9]{1,9})?$")]
"""Exact cents, never rounded: a decimal with up to nine places, such as `"123456.7"`."""

NANOCENTS: Final = 10**9
"""Nanocents per cent."""

_DECIMALS: Final = 9


def nanocents(cents: int) -> int:
    """Return whole cents as nanocents."""
    return cents * NANOCENTS


def share(cents: int, rate: Fraction) -> int:
    """Return `rate` times an amount of cents, exactly, in nanocents; the rate has at most nine decimals.

    >>> share(100, Fraction("0.205"))
    20500000000
    """
    exact = cents * rate * NANOCENTS
    assert exact.denominator == 1, f"a rate of {rate} has more than {_DECIMALS} decimals"
    return exact.numerator


def shown(nanos: int) -> int:
    """Return the whole cents that a display shows for an exact amount.

    >>> shown(20_999_999_999), shown(-1)
    (20, -1)
    """
    return nanos // NANOCENTS


def displayed(nanos: int) -> int:
    """Return the whole cents that a meter's sign shows, which are never negative.

    >>> displayed(20_999_999_999), displayed(-5 * NANOCENTS)
    (20, 0)
    """
    return max(0, shown(nanos))


def exact_text(nanos: int) -> str:
    """Return an amount of cents as a decimal, without trailing zeros.

    >>> exact_text(20_500_000_000), exact_text(-1), exact_text(3 * NANOCENTS)
    ('20.5', '-0.000000001', '3')
    """
    whole, rest = divmod(abs(nanos), NANOCENTS)
    decimals = f"{rest:0{_DECIMALS}}".rstrip("0")
    return f"{'-' if nanos < 0 else ''}{whole}{'.' if decimals else ''}{decimals}"


def parse_exact(text: str) -> int:
    """Return the nanocents in a decimal number of cents with at most nine places.

    >>> parse_exact("-0.5"), parse_exact("123456")
    (-500000000, 123456000000000)
    """
    whole, _, decimals = text.partition(".")
    assert len(decimals) <= _DECIMALS, f"{text} has more than {_DECIMALS} decimals"
    return int(f"{whole}{decimals:0<{_DECIMALS}}")
