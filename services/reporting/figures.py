"""The figures that follow from sums: win, hold, and what should have been won. Pure and exact; amounts are cents."""

from collections.abc import Iterable
from fractions import Fraction
from math import floor


def win_cents(*, handle: int, payout: int, vigorish: int, house_in_bank: int) -> int:
    """The casino's win, cents, before what it puts on meters: wagered, taken and won in banks, less what was paid."""
    return handle + vigorish + house_in_bank - payout


def hold_percent(win: int | Fraction, handle: int) -> str | None:
    """Win as a share of handle, in percent with four decimals, half a step away from zero; None without handle.

    >>> hold_percent(4_000_00, 9_000_00)
    '44.4444'
    """
    if handle == 0:
        return None
    share = Fraction(win) / handle
    steps = floor(abs(share) * 1_000_000 + Fraction(1, 2))
    sign = "-" if steps and share < 0 else ""
    return f"{sign}{steps // 10_000}.{steps % 10_000:04}"


def theoretical_win(handle: int, parts: Iterable[tuple[int, Fraction | None]]) -> Fraction | None:
    """What the house should have won of a handle, cents, exactly: each part of it times its house edge.

    None where a part that is not 0 has no house edge, or where the parts do not come to the handle.

    >>> theoretical_win(900, [(600, Fraction(1, 37)), (300, Fraction(1, 19))])
    Fraction(22500, 703)
    """
    left, won = handle, Fraction(0)
    for part, edge in parts:
        if part and edge is None:
            return None
        left -= part
        won += part * (edge or 0)
    return None if left else won


def whole_cents(exact: Fraction) -> int:
    """An exact amount in whole cents; half a cent goes to the even one.

    >>> whole_cents(Fraction(5, 2)), whole_cents(Fraction(7, 2)), whole_cents(Fraction(-5, 2))
    (2, 4, -2)
    """
    return round(exact)
