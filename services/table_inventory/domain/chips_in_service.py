"""Opening positions of chips in service: entered by one person, approved by another. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple, Self

from services.table_inventory.domain.entered import Revision
from shared.contracts.cage_locations import HeldPieces
from shared.contracts.chips_in_service import ChipsBroughtForward, ChipsInService
from shared.contracts.money import dollars
from shared.contracts.rejection import Reason, Rejected

Chips = Counter[tuple[str, str, str, str, int]]
"""Pieces by kind, chip set, issuer, piece and cents each, as `HeldPieces.of` has them."""


class PutIn(NamedTuple):
    """Chips that a transfer put into service on a gaming day, or with a negative `sign` took out to be destroyed."""

    transfer: int
    gaming_day: date
    sign: int
    contents: Sequence[HeldPieces]


def put_in_since(passed: Iterable[PutIn], day: date) -> Chips:
    """Return the pieces put into service on a gaming day and later, less those destroyed, without zeros."""
    return _put_in(one for one in passed if one.gaming_day >= day)


def _put_in(passed: Iterable[PutIn]) -> Chips:
    found = Chips()
    for one in passed:
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


class ChipsInServiceDocument(ChipsInService, Revision):
    """A revision of a property's opening position of chips in service, with its status.

    `put_in_transfers` are the transfers that put chips into service or destroyed them since its gaming day began, until
    it is decided: their values may sum to nothing, and whoever decides must see them.
    """

    put_in_transfers: tuple[int, ...] | None = None

    @property
    def label(self) -> str:
        """Return its name for messages."""
        return f"revision {self.revision} of the chips in service at {self.property}"

    def with_put_in(self, passed: Sequence[PutIn]) -> Self:
        """Return the revision with the chips put into service since its gaming day began, their value as of now.

        Once it is decided, it keeps the values that whoever decided was shown.
        """
        if self.status != "entered":
            return self
        since = tuple(one.transfer for one in passed if one.gaming_day >= self.gaming_day)
        return self.model_copy(update={**put_in_fields(self, passed), "put_in_transfers": since})

    def without_transfers(self) -> Self:
        """Return the revision as it is once it is decided."""
        return self.model_copy(update={"put_in_transfers": None})


def put_in_fields(stated: ChipsBroughtForward, passed: Iterable[PutIn]) -> dict[str, int]:
    """Return the values of a position that depend on what was put into service since, by field name, cents."""
    put_in = put_in_since(passed, stated.gaming_day)
    return {
        "put_in_since_cents": cents_of(put_in),
        "in_service_cents": cents_of(in_service(stated.contents, put_in)),
    }


def require_without_arrivals(
    stated: ChipsBroughtForward, before: ChipsInServiceDocument | None, passed: Sequence[PutIn]
) -> None:
    """Check that a position does not include what was put into service, or destroyed, since its gaming day began.

    That would count twice. The position includes it if it is not what was in service as the gaming day began, but
    exactly what was in service after one of the transfers since, with all arrivals, or with all that was destroyed:
    by the approved position `before`, and without one by the transfers alone. `passed` has the transfers in the order
    in which they were received. Raises: Rejected.
    """
    known = (
        put_in_since(passed, date.min)
        if before is None
        else in_service(before.contents, put_in_since(passed, before.gaming_day))
    )
    since = [one for one in passed if one.gaming_day >= stated.gaming_day]
    began = _sum(known, _put_in(since), -1)
    entered = in_service(stated.contents, Chips())
    if entered == began:
        return
    after = began
    includes = [_sum(began, _put_in(one for one in since if one.sign == sign)) for sign in (1, -1)]
    for one in since:
        after = _sum(after, _put_in([one]))
        includes.append(after)
    if entered in includes:
        more = cents_of(entered) - cents_of(began)
        what = (
            f"{dollars(more)} of them were put into service"
            if more >= 0
            else f"{dollars(-more)} fewer are left of them by what was destroyed"
        )
        rest = "by the transfers alone" if before is None else f"and {before.label} of {before.gaming_day} has the rest"
        raise Rejected(
            Reason.CONTRADICTS,
            f"these chips are in service already: {what} since that gaming day began, {rest}. State the chips as the "
            "gaming day began, without what came or was destroyed later: it would count twice. As of the next gaming "
            "day, it is in them",
        )


def _sum(chips: Chips, others: Chips, sign: int = 1) -> Chips:
    """Return pieces with others added (`sign` 1) or taken away (-1), without zeros."""
    counts = {of: chips[of] + sign * others[of] for of in (*chips, *others)}
    return Chips({of: count for of, count in counts.items() if count})
