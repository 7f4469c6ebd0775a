"""Arithmetic on counts of chips, coins and plaques by denomination."""

from collections import Counter
from collections.abc import Iterable, Mapping

from shared.contracts.chips import Pieces

Stacks = dict[str, int]
"""Counts by denomination, such as `chip:2500` (kind and cents). A negative count is of pieces that left the table."""


def stacks(contents: Iterable[Pieces], sign: int = 1) -> Stacks:
    """Return contents as counts by denomination, multiplied by `sign`.

    >>> stacks((Pieces(cents=500, count=3),), -1)
    {'chip:500': -3}
    """
    return {f"{pieces.kind}:{pieces.cents}": sign * pieces.count for pieces in contents}


def added(*parts: Mapping[str, int]) -> Stacks:
    """Return the sum of several counts by denomination, without zeros, ordered by kind and value."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return {name: total[name] for name in sorted(total, key=_denomination) if total[name]}


def _denomination(name: str) -> tuple[str, int]:
    kind, _, cents = name.partition(":")
    return kind, int(cents)
