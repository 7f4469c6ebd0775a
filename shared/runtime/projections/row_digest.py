"""A digest of a set of rows that follows each change of one row: what was added is multiplied, what went is divided.

MuHash (Bellare and Micciancio 1997), with the prime of 3072 bits that Bitcoin Core has for its set of unspent outputs:
nobody finds another set of rows with the same digest. It needs no secret, so whoever has a signed digest and the rows
can verify them, and in any order.
"""

from collections.abc import Iterable
from hashlib import shake_256
from typing import Final

_BITS: Final = 3072
_LESS: Final = 1103717
PRIME: Final = (1 << _BITS) - _LESS
"""The largest safe prime below two to the power of 3072."""

_LOW: Final = (1 << _BITS) - 1
EMPTY: Final = 1
"""The digest of no rows."""


def digest_of(table: str, rows: Iterable[str]) -> int:
    """Return the digest of rows of a table, each as text; `EMPTY` of none.

    >>> digest_of("t", ["(1)", "(2)"]) == digest_of("t", ["(2)", "(1)"]) != digest_of("t", ["(1)", "(3)"])
    True
    """
    name, product = table.encode() + b"\0", EMPTY
    for row in rows:
        element = int.from_bytes(shake_256(name + row.encode()).digest(_BITS // 8), "little")
        product = _reduced(product * element)
    return product % PRIME


def joined(digest: int, other: int) -> int:
    """Return the digest of the rows of both."""
    return digest * other % PRIME


def without(digest: int, other: int) -> int:
    """Return the digest of the rows of the first, without those of the second.

    >>> both = digest_of("t", ["(1)", "(2)"])
    >>> without(both, digest_of("t", ["(1)"])) == digest_of("t", ["(2)"])
    True
    """
    return digest if other == EMPTY else digest * pow(other, -1, PRIME) % PRIME


def _reduced(product: int) -> int:
    """Return a product in 3073 bits at most, which the prime divides as it divides the product."""
    while product >> (_BITS + 1):
        product = (product & _LOW) + (product >> _BITS) * _LESS
    return product
