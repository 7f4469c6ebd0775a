"""Documents of the HTTP API; most are copied attribute by attribute from entities or rows."""

from datetime import date, datetime
from typing import Annotated, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from services.wagering_accounts.domain.books import (
    AccountKind,
    AccountStatus,
    AdjustmentStatus,
    HoldStatus,
    Limit,
    Patron,
    PromotionStatus,
    RoundStatus,
)
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.accounts import CapturedHold, ErasureGround, LimitKind
from shared.contracts.countries import Country
from shared.contracts.envelope import PERSONAL, Identifier, Name, Person, Reason
from shared.runtime.commands.approval_subject import ApprovalSubject


class _Document(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, thing: object) -> Self:
        """Return the document of an entity, or of its row."""
        return cls.model_validate(thing)


class AccountDocument(_Document):
    """An account, with the amounts available, on hold for wagers, and in play. `version` counts its entries.

    Promotional money is separate: it can be wagered but never paid out.
    """

    property: Name
    account: Name
    kind: AccountKind
    status: AccountStatus
    version: int
    available_cents: int
    held_cents: int
    staked_cents: int
    promotional_cents: int
    promotional_held_cents: int
    promotional_staked_cents: int
    table: Annotated[Name | None, BeforeValidator(lambda table: table or None)] = None
    patron: Name | None = None


class HoldDocument(_Document):
    """A wager on hold; `promotional_cents` of its cents are promotional money."""

    property: Name
    account: Name
    hold: int
    status: HoldStatus
    table: Name
    round_id: Identifier
    seat: int
    wager: Name
    cents: int
    promotional_cents: int


class AuthorizedHold(HoldDocument):
    """A wager on hold, and the amount then available, in cents."""

    available_cents: int
    promotional_available_cents: int


class CaptureDocument(BaseModel):
    """A round after "no more bets", with its captured holds; without holds if the result arrived first."""

    property: Name
    table: Name
    round_id: Identifier
    status: RoundStatus
    captured: tuple[CapturedHold, ...]


_SAME_PERSON: Final = "other references with the same taxpayer number or document: one person, to be joined"
_SAME_BUT_FOR_CASE: Final = "other references that differ only in case, and are other patrons"


class PatronDocument(BaseModel):
    """A patron. The access code is never included."""

    property: Name
    patron: Name
    wallet: Name
    excluded_at: datetime | None = None
    locked_until: datetime | None = None
    tax_residence: Annotated[Country | None, PERSONAL] = None
    limits: dict[LimitKind, Limit]
    erased_at: datetime | None = None
    same_person_as: tuple[Name, ...] = Field(default=(), description=_SAME_PERSON)
    same_but_for_case: tuple[Name, ...] = Field(default=(), description=_SAME_BUT_FOR_CASE)

    @classmethod
    def of(
        cls,
        patron: Patron,
        moment: datetime,
        same_person_as: tuple[str, ...] = (),
        same_but_for_case: tuple[str, ...] = (),
    ) -> "PatronDocument":
        """Return the patron's state as of `moment`, with references that may be the same person."""
        limits = {
            kind: limit if limit.next_at is not None and limit.next_at > moment else Limit(limit.at(moment))
            for kind, limit in sorted(patron.limits.items())
        }
        shown = {name: getattr(patron, name) for name in _OF_PATRON}
        return cls(
            **shown,
            locked_until=patron.locked_at(moment),
            limits=limits,
            same_person_as=same_person_as,
            same_but_for_case=same_but_for_case,
        )


_OF_PATRON: Final = ("property", "patron", "wallet", "excluded_at", "tax_residence", "erased_at")


class SamePersonDocument(BaseModel):
    """A patron reference, and others that belong to the same person, because a taxpayer number or document is equal."""

    patron: Name
    same_person_as: tuple[Name, ...] = Field(description=_SAME_PERSON)


class IdentityDocument(BaseModel):
    """A patron's identity, and the person and time of its recording. Each access to the identity is recorded."""

    property: Name
    patron: Name
    identity: PatronIdentity
    identified_by: Person
    identified_at: datetime


class ErasureDocument(_Document, ApprovalSubject):
    """An erasure of a patron's personal data, with its status."""

    property: Name
    patron: Name
    ground: ErasureGround
    last_form_on: date | None = None
    status: AdjustmentStatus
    entered_by: Person
    entered_at: datetime
    decided_by: Person | None = None
    decided_at: datetime | None = None


class AdjustmentDocument(_Document, ApprovalSubject):
    """An adjustment; once approved, with the available amounts before and after, in cents."""

    property: Name
    account: Name
    adjustment: int
    cents: int
    reason: Reason
    status: AdjustmentStatus
    entered_by: Person
    entered_at: datetime
    decided_by: Person | None = None
    decided_at: datetime | None = None
    before_cents: int | None = None
    after_cents: int | None = None


class PromotionDocument(_Document, ApprovalSubject):
    """A grant of promotional money, in cents; its remainder expires on a gaming day."""

    property: Name
    account: Name
    promotion: int
    cents: int
    reason: Reason
    expires_on: date | None = None
    status: PromotionStatus
    entered_by: Person
    entered_at: datetime
    decided_by: Person | None = None
    decided_at: datetime | None = None


class StatementLine(_Document):
    """An entry's change to an account, and the balance afterwards, in cents."""

    version: int
    kind: str
    gaming_day: date
    recorded_at: datetime
    shard: int
    seq: int
    available_change_cents: int
    held_change_cents: int
    staked_change_cents: int
    promotional_change_cents: int
    promotional_held_change_cents: int
    promotional_staked_change_cents: int
    available_cents: int
    held_cents: int
    staked_cents: int
    promotional_cents: int
    promotional_held_cents: int
    promotional_staked_cents: int
    table: Name | None = None
    round_id: Identifier | None = None


class Statement(BaseModel):
    """An account and some of its lines, oldest first."""

    account: AccountDocument
    items: list[StatementLine]
    next: str | None = Field(default=None, description="the cursor of the lines that follow; none on the last page")


class OpenRound(BaseModel):
    """A round without a result: its wagers are on hold or in play."""

    property: Name
    table: Name
    round_id: Identifier
    status: RoundStatus
    opened_at: datetime
    holds: list[HoldDocument]
