"""Facts about tips pools in the table-inventory ledger: the hours by which dealers share the tips collected."""

from datetime import date
from typing import Annotated, Self

from pydantic import AwareDatetime, Field, model_validator

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, Number
from shared.contracts.people import held_twice
from shared.contracts.properties import TipsPool
from shared.contracts.topics import INVENTORY


class DealerHours(Contract):
    """The time that a dealer worked in a pool, in minutes."""

    dealer: Person
    minutes: Annotated[int, Field(strict=True, ge=1, le=7 * 24 * 60)]


class HoursOfPool(Contract):
    """The hours of all dealers of a pool, each dealer once."""

    hours: tuple[DealerHours, ...] = Field(min_length=1, max_length=5000)

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if (found := held_twice((f"{n}", one.dealer) for n, one in enumerate(self.hours))) is not None:
            raise ValueError(f"{found[0]} is there twice: give each dealer's hours of the pool together")
        return self


class TipHours(Fact, HoursOfPool):
    """The dealers' hours in a pool of the gaming days `first_day` to `last_day`; `pool` has the rules of sharing.

    Each revision after the first replaces the approved one. The hours belong to no gaming day, because no figure of
    a gaming day depends on them.
    """

    property: Name
    first_day: date
    last_day: date
    revision: Number
    pool: TipsPool
    reason: Reason
    entered_by: Person
    entered_at: AwareDatetime


@fact("tip_hours.entered", INVENTORY, stream=DESK)
class TipHoursEntered(TipHours):
    """The hours of a pool were entered; they await another person's approval."""


@fact("tip_hours.approved", INVENTORY, stream=DESK)
class TipHoursApproved(TipHours, AsShown):
    """The hours of a pool were approved: its tips are shared by them."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("tip_hours.rejected", INVENTORY, stream=DESK)
class TipHoursRejected(TipHours):
    """The hours of a pool were rejected."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason
