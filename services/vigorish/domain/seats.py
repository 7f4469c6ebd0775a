"""What seats owe of rounds, and which of them the pit has to look after. Pure; amounts are cents."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from pydantic import BaseModel

UNKNOWN = "unknown"
"""Stands for a dealer, a game or who owes that no event has named."""

FollowUpKind = Literal["outstanding", "over_collected", "over_returned", "late", "not_assessed"]

FollowUpKey = tuple[str, str, int, bool, str]
"""(table, round, seat, bank, kind)"""


class SeatOfRound(BaseModel):
    """A seat in a round, as a player or as the bank: who owes and dealt, and what became of what was assessed.

    `outstanding_cents` is below zero where more was collected and waived than assessed. Moments are None before the
    round was settled, and before something was collected or waived.
    """

    table: str
    game: str
    round_id: str
    seat: int
    bank: bool
    owed_by: str
    dealer: str
    closed_at: datetime | None
    settled_at: datetime | None
    assessed_cents: int
    collected_cents: int
    waived_cents: int
    returned_cents: int
    outstanding_cents: int


class FollowUp(SeatOfRound):
    """A seat that the pit has to look after.

    `outstanding`: collect it, or waive it. `over_collected`: more than was assessed; give it back. `over_returned`:
    more was given back than had been collected. `not_assessed`: of a round that is not known. `late`: it was collected
    or waived after the round had closed.
    """

    kind: FollowUpKind

    @property
    def key(self) -> FollowUpKey:
        """Return its place in the list."""
        return (self.table, self.round_id, self.seat, self.bank, self.kind)


def follow_ups(seats: Iterable[SeatOfRound]) -> list[FollowUp]:
    """Return what the pit has to look after, in the order of its keys; one seat may be there for several reasons."""
    found = (FollowUp(kind=kind, **dict(seat)) for seat in seats for kind in _kinds(seat))
    return sorted(found, key=lambda one: one.key)


def _kinds(seat: SeatOfRound) -> Iterable[FollowUpKind]:
    if seat.outstanding_cents and seat.closed_at is None:
        yield "not_assessed"
    elif seat.outstanding_cents > 0:
        yield "outstanding"
    elif seat.outstanding_cents < 0:
        yield "over_collected"
    if seat.returned_cents > seat.collected_cents:
        yield "over_returned"
    if seat.closed_at is not None and seat.settled_at is not None and seat.settled_at > seat.closed_at:
        yield "late"
