"""Documents about pools: sign readings, status, and movements."""

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
    """The display of a sign, in whole cents. `number` is that of the pool's last movement, so a higher one is newer."""

    property: str
    pool: str
    shown_cents: int = Field(description="what a sign shows: the whole cents of the display")
    number: int
    at: datetime


class SignReadings(BaseModel):
    """The displays of a property's signs."""

    property: str
    readings: list[SignReading]


class FeedTerms(Feed):
    """A feed with its meter's terms in the rules submission; empty if none is in effect."""

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
    """A requested, made or rejected change, with the display before and after it."""

    status: Status
    approved_by: str | None = None
    approved_at: datetime | None = None
    rejected_by: str | None = None
    rejected_at: datetime | None = None
    rejection_reason: str | None = None
    display_before_cents: ExactCents | None = None
    display_after_cents: ExactCents | None = None
