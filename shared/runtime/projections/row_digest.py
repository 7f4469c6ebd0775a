"""An incremental digest of a set of rows: an added row multiplies the digest, a removed row divides it.

This is MuHash (Bellare and Micciancio 1997) with the 3072-bit prime that Bitcoin Core uses for its set of unspent
outputs. It is collision-resistant and needs no secret. With a signed digest, the rows can be verified in any order.
"""

from collections.abc import Iterable
from hashlib import shake_256
from typing import Final

from shared.runtime.turns import in_turns

_BITS: Final = 3072
_LESS: Final = 1103717
PRIME: Final = (1 << _BITS) - _LESS
"""The largest safe prime below two to the power of 3072."""

_LOW: Final = (1 << _BITS) - 1
EMPTY: Final = 1
"""The digest of an empty set of rows."""


def digest_of(table: str, rows: Iterable[str]) -> int:
    """Return the digest of a table's rows, each given as text; `EMPTY` if there are none.

    >>> digest_of("t", ["(1)", "(2)"]) == digest_of("t", ["(2)", "(1)"]) != digest_of("t", ["(1)", "(3)"])
    True
    """
    name, product = table.encode() + b"\0", EMPTY
    for row in rows:
        element = int.from_bytes(shake_256(name + row.encode()).digest(_BITS // 8), "little")
        product = _reduced(product * element)
    return product % PRIME


async def digest_in_turns(table: str, rows: Iterable[str]) -> int:
    """Return the digest of many rows, and yield to the event loop in between."""
    product = EMPTY
    async for some in in_turns(rows):
        product = joined(product, digest_of(table, some))
    return product


def joined(digest: int, other: int) -> int:
    """Return the digest of the union of two disjoint sets of rows."""
    return digest * other % PRIME


def without(digest: int, other: int) -> int:
    """Return the digest of the first set of rows without the rows of the second.

    >>> both = digest_of("t", ["(1)", "(2)"])
    >>> without(both, digest_of("t", ["(1)"])) == digest_of("t", ["(2)"])
    True
    """
    return digest if other == EMPTY else digest * pow(other, -1, PRIME) % PRIME


def _reduced(product: int) -> int:
    """Return a product reduced to at most 3073 bits, with the same remainder modulo the prime."""
    while product >> (_BITS + 1):
        product = (product & _LOW) + (product >> _BITS) * _LESS
    return product
