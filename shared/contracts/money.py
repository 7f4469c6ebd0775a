"""Amounts of cents as text, and the denominations of currency."""

from typing import Final

LEGAL_TENDER: Final[frozenset[int]] = frozenset(
    (1, 5, 10, 25, 50, 1_00, 2_00, 5_00, 10_00, 20_00, 50_00, 100_00, 500_00, 1_000_00, 5_000_00, 10_000_00)
)
"""Denominations of notes and coins in cents: 31 U.S.C. §§ 5103 and 5112; Canadian denominations are among them. Notes
above 100 dollars are no longer printed, but remain legal tender.
"""


def denomination(cents: int) -> int:
    """Return `cents` if there is a note or coin of that denomination. Raises: ValueError otherwise.

    >>> denomination(20_00)
    2000
    """
    if cents not in LEGAL_TENDER:
        raise ValueError(f"there is no note or coin of {cents} cents: list each denomination and its count")
    return cents


def dollars(cents: int, *, symbol: str = "", minus: str = "-", grouped: bool = True) -> str:
    """Return an amount of cents in dollars, by default with thousands separators.

    >>> dollars(-123450), dollars(123450, symbol="$"), dollars(1200000, grouped=False)
    ('-1,234.50', '$1,234.50', '12000.00')
    """
    whole, rest = divmod(abs(cents), 100)
    return f"{minus if cents < 0 else ''}{symbol}{whole:{',' if grouped else ''}}.{rest:02}"


def amount(cents: int) -> str:
    """Return an amount of cents in dollars, as written in messages.

    >>> amount(520000), amount(-50)
    ('$5,200.00', '-$0.50')
    """
    return dollars(cents, symbol="$")
