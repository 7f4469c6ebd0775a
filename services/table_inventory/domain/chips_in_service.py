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
"""Numbers of pieces by `HeldPieces.of`: (kind, chip set, issuer, piece, cents each)."""


class PutIn(NamedTuple):
    """Chips that a transfer put into service on a gaming day or, with a negative `sign`, removed for destruction."""

    transfer: int
    gaming_day: date
    sign: int
    contents: Sequence[HeldPieces]


def put_in_since(passed: Iterable[PutIn], day: date) -> Chips:
    """Return the pieces put into service on a gaming day and later, less those destroyed, omitting zero counts."""
    return _put_in(one for one in passed if one.gaming_day >= day)


def _put_in(passed: Iterable[PutIn]) -> Chips:
    found = Chips()
    for one in passed:
        for pieces in one.contents:
            found[pieces.of] += one.sign * pieces.count
    return Chips({of: count for of, count in found.items() if count})


def in_service(stated: Iterable[HeldPieces], put_in: Chips) -> Chips:
    """Return the pieces in service: those stated for the beginning of a day, plus `put_in`, omitting zero counts."""
    found = Chips(put_in)
    for pieces in stated:
        found[pieces.of] += pieces.count
    return Chips({of: count for of, count in found.items() if count})


def cents_of(chips: Chips) -> int:
    """Return the total value of the pieces in cents."""
    return sum(of[-1] * count for of, count in chips.items())


class ChipsInServiceDocument(ChipsInService, Revision):
    """A revision of a property's opening position of chips in service, with its status.

    Until the revision is approved or rejected, `put_in_transfers` lists the transfers that put chips into service or
    destroyed them since its gaming day began. The approver must see them even if their values sum to zero.
    """

    put_in_transfers: tuple[int, ...] | None = None

    @property
    def label(self) -> str:
        """Return the revision's name for messages."""
        return f"revision {self.revision} of the chips in service at {self.property}"

    def with_put_in(self, passed: Sequence[PutIn]) -> Self:
        """Return an undecided revision with the chips put into service since its gaming day began, valued as of now.

        A decided revision is returned unchanged, with the values that were shown to the person who decided.
        """
        if self.status != "entered":
            return self
        since = tuple(one.transfer for one in passed if one.gaming_day >= self.gaming_day)
        return self.model_copy(update={**put_in_fields(self, passed), "put_in_transfers": since})

    def without_transfers(self) -> Self:
        """Return the revision without `put_in_transfers`, which only an undecided revision has."""
        return self.model_copy(update={"put_in_transfers": None})


def put_in_fields(stated: ChipsBroughtForward, passed: Iterable[PutIn]) -> dict[str, int]:
    """Return the values that depend on chips put into service after the gaming day began, in cents by field."""
    put_in = put_in_since(passed, stated.gaming_day)
    return {
        "put_in_since_cents": cents_of(put_in),
        "in_service_cents": cents_of(in_service(stated.contents, put_in)),
    }


def require_without_arrivals(
    stated: ChipsBroughtForward, before: ChipsInServiceDocument | None, passed: Sequence[PutIn]
) -> None:
    """Raise Rejected if a position seems to include transfers after its gaming day began, which would count twice.

    The known chips at any time are those of the approved position `before`, if any, and of the transfers until then.
    A position is rejected if it differs from the known chips at the beginning of its gaming day, and equals the known
    chips after one of the later transfers, or the known chips at the beginning with only the later arrivals or only
    the later destructions. `passed` has the transfers in the order of receipt.
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
    """Return the sum (`sign` 1) or difference (`sign` -1) of two sets of pieces, omitting zero counts."""
    counts = {of: chips[of] + sign * others[of] for of in (*chips, *others)}
    return Chips({of: count for of, count in counts.items() if count})
