"""Documents of the API about pools: sign readings, pool status, movements and changes."""

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, Field

from services.progressive_meters.domain.versions import PoolVersion
from shared.contracts.approvals import AsShown
from shared.contracts.exact import ExactCents
from shared.contracts.journal_facts import EntryPlace
from shared.contracts.meters import ChangeAsked, Feed, Movement
from shared.runtime.commands.approval_subject import ApprovalSubject

Status = Literal["requested", "approved", "rejected"]


class SignReading(BaseModel):
    """The display of a sign, in whole cents. Of two readings of a pool, the one with the higher `number` is newer."""

    property: str
    pool: str
    shown_cents: int = Field(description="the amount on the sign: the whole cents of the display")
    number: int
    at: datetime


class SignReadings(BaseModel):
    """The displays of all signs of a property."""

    property: str
    readings: list[SignReading]


class FeedTerms(Feed):
    """A feed of a pool, with its meter's rates; null if no rules submission in effect offers the meter."""

    rate: str | None = None
    reserve_rate: str | None = None


class PoolStatus(SignReading):
    """The status of a pool (N.J.A.C. 13:69E-1.39A): its terms in effect, its meters in exact cents, its counters."""

    terms: PoolVersion | None
    feeds: list[FeedTerms]
    display_cents: ExactCents = Field(description="decimal, with the share of a cent")
    reserve_cents: ExactCents = Field(description="decimal, with the share of a cent")
    overflowed_cents: ExactCents = Field(description="decimal, with the share of a cent")
    in_count: int
    in_cents: int
    hits: int
    wins_cents: int


class MovementItem(EntryPlace):
    """A movement of a pool, with its cause and its journal entry."""

    kind: str
    gaming_day: date
    at: datetime
    table: str | None = None
    game: str | None = None
    round_id: str | None = None
    revision: int | None = None
    movement: Movement


class ChangeItem(ChangeAsked, AsShown, ApprovalSubject):
    """A requested, approved or rejected change; once approved, with the display before and after it."""

    status: Status
    approved_by: str | None = None
    approved_at: datetime | None = None
    rejected_by: str | None = None
    rejected_at: datetime | None = None
    rejection_reason: str | None = None
    display_before_cents: ExactCents | None = None
    display_after_cents: ExactCents | None = None
