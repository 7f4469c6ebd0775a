"""Chips, coins and plaques by denomination: the contents of table inventories, fills and credits."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from shared.contracts.envelope import Contract
from shared.contracts.rounds import Cents

PieceKind = Literal["chip", "coin", "plaque"]


class Pieces(Contract):
    """Chips, coins or plaques of one denomination: `count` pieces of `cents` each."""

    kind: PieceKind = "chip"
    cents: Cents
    count: Annotated[int, Field(strict=True, ge=1, le=10**7)]


def _each_once(contents: tuple[Pieces, ...]) -> tuple[Pieces, ...]:
    seen: set[tuple[str, int]] = set()
    for pieces in contents:
        if (pieces.kind, pieces.cents) in seen:
            raise ValueError(f"the {pieces.kind}s of {pieces.cents} cents are listed twice; list each kind once")
        seen.add((pieces.kind, pieces.cents))
    return contents


Contents = Annotated[tuple[Pieces, ...], Field(max_length=64), AfterValidator(_each_once)]
"""Chips, coins and plaques by denomination, each denomination once."""


def value_of(contents: Iterable[Pieces]) -> int:
    """Return the value of pieces, in cents."""
    return sum(pieces.cents * pieces.count for pieces in contents)
