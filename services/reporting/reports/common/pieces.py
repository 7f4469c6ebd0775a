"""The text in a report's cell that lists chips, coins and plaques."""

from collections.abc import Iterable

from shared.contracts.chips import Pieces
from shared.contracts.money import dollars


def pieces_text(contents: Iterable[Pieces]) -> str:
    """Return contents as text, by denomination, highest first.

    >>> pieces_text((Pieces(cents=500, count=20), Pieces(kind="plaque", cents=100000, count=1)))
    '1 plaque of 1,000.00; 20 chips of 5.00'
    """
    in_order = sorted(contents, key=lambda pieces: (-pieces.cents, pieces.kind))
    return "; ".join(f"{pieces.count} {_kind(pieces)} of {dollars(pieces.cents)}" for pieces in in_order)


def _kind(pieces: Pieces) -> str:
    return pieces.kind if pieces.count == 1 else f"{pieces.kind}s"
