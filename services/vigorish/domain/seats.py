"""The vigorish owed by seats, and the seats that the pit must follow up. Pure; amounts are cents."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from pydantic import BaseModel

UNKNOWN = "unknown"
"""Placeholder for a dealer, game or class that no event has named."""

FollowUpKind = Literal["outstanding", "over_collected", "over_returned", "late", "not_assessed"]

FollowUpKey = tuple[str, str, int, bool, str]
"""(table, round, seat, whether the seat is the bank, kind)"""


class SeatOfRound(BaseModel):
    """A seat in a round, as a player or as the bank: the assessed vigorish and its collection status.

    `outstanding_cents` is negative if more was collected and waived than assessed. `closed_at` is None until the round
    is settled, `settled_at` until something is collected or waived.
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
    """A seat whose vigorish the pit must follow up.

    `outstanding`: collect or waive it. `over_collected`: more was collected than assessed; return it. `over_returned`:
    more was returned than collected. `not_assessed`: vigorish was collected, waived or returned for a round that is not
    settled. `late`: collected or waived after the round had closed.
    """

    kind: FollowUpKind

    @property
    def key(self) -> FollowUpKey:
        """Return the sort key of the follow-up."""
        return (self.table, self.round_id, self.seat, self.bank, self.kind)


def follow_ups(seats: Iterable[SeatOfRound]) -> list[FollowUp]:
    """Return the follow-ups that seats need, ordered by key; one seat may need several."""
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
