"""The house edges of the wagers that rules submissions offer, and what should have been won by them. Pure and exact."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from shared.contracts.submissions import SubmissionApproved
from shared.rules import payback
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.submission import select


@dataclass(frozen=True, slots=True)
class HouseEdge:
    """What the house keeps of a cent wagered under a submission (its hash), exactly; or why nobody can count it."""

    submission: str
    wager: str
    paytable: str | None
    house_edge: Fraction | None
    reason: str | None = None


def edges_of(approved: SubmissionApproved) -> list[HouseEdge]:
    """Return the house edge of each wager on offer, 1 less its exact payback.

    Raises: Refused where the regulation does not allow what the submission selects.
    """
    found = []
    for wager, offer in select(catalogue(approved.regulation), approved.submission).offers.items():
        edge = partial(HouseEdge, approved.hash, wager, offer.paytable.name)
        try:
            found.append(edge(1 - payback(approved.regulation, wager, approved.submission)))
        except Refused as refused:
            found.append(edge(None, str(refused)))
    return found


def theoretical_win(parts: Iterable[tuple[int, Fraction | None]]) -> Fraction | None:
    """Return what the house should have won of the parts of a handle, cents, exactly: each times its house edge.

    None where a part that is not 0 has no house edge.

    >>> theoretical_win([(600, Fraction(1, 37)), (300, Fraction(1, 19))])
    Fraction(22500, 703)
    """
    won = Fraction(0)
    for part_cents, edge in parts:
        if part_cents and edge is None:
            return None
        won += part_cents * (edge or 0)
    return won
