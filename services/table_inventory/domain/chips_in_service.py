"""Opening positions of chips in service: entered by one person, approved by another. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from services.table_inventory.domain.entered import Revision
from shared.contracts.cage_locations import HeldPieces
from shared.contracts.chips_in_service import ChipsInService
from shared.contracts.money import dollars
from shared.contracts.rejection import Reason, Rejected


class ChipsInServiceDocument(ChipsInService, Revision):
    """A revision of a property's opening position of chips in service, with its status."""

    @property
    def label(self) -> str:
        """Return its name for messages."""
        return f"revision {self.revision} of the chips in service at {self.property}"


Chips = Counter[tuple[str, str, str, str, int]]
"""Pieces by kind, chip set, issuer, piece and cents each, as `HeldPieces.of` has them."""


class PutIn(NamedTuple):
    """Chips put into service on a gaming day, or with a negative `sign` taken out of it to be destroyed."""

    gaming_day: date
    sign: int
    contents: Sequence[HeldPieces]


def put_in_since(passed: Iterable[PutIn], day: date) -> Chips:
    """Return the pieces put into service on a gaming day and later, less those destroyed, without zeros."""
    found = Chips()
    for one in passed:
        if one.gaming_day >= day:
            for pieces in one.contents:
                found[pieces.of] += one.sign * pieces.count
    return Chips({of: count for of, count in found.items() if count})


def in_service(stated: Iterable[HeldPieces], put_in: Chips) -> Chips:
    """Return the pieces in service: those stated as a gaming day began, and those put in since, without zeros."""
    found = Chips(put_in)
    for pieces in stated:
        found[pieces.of] += pieces.count
    return Chips({of: count for of, count in found.items() if count})


def cents_of(chips: Chips) -> int:
    """Return the value of pieces, cents."""
    return sum(of[-1] * count for of, count in chips.items())


def require_without_arrivals(
    entered: Iterable[HeldPieces], put_in: Chips, before: ChipsInServiceDocument, passed: Sequence[PutIn]
) -> None:
    """Check that a position does not include the chips that came into service since its gaming day began.

    They would count twice. The position includes them if it is exactly what is in service now by the approved position
    `before`. Raises: Rejected.
    """
    now = in_service(before.contents, put_in_since(passed, before.gaming_day))
    if put_in and in_service(entered, Chips()) == now:
        more = dollars(cents_of(put_in))
        raise Rejected(
            Reason.CONTRADICTS,
            f"these chips are in service already: {more} of them were put into service since that gaming day began, "
            f"and {before.label} of {before.gaming_day} has the rest. State the chips as the gaming day began, without "
            "what came later: it would count twice",
        )
