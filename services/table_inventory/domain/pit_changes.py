"""Changes to pit events that are proposed at the desk: their effects, and whether they are possible. Pure; cents."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from services.table_inventory.domain.changing import of_event
from services.table_inventory.domain.pit import Known
from shared.contracts.envelope import Correction, as_json
from shared.contracts.facts import KINDS
from shared.contracts.inventory import PitRecorded, PitVoided
from shared.contracts.pit import PitData
from shared.contracts.pit_changes import DeskChange, PitChangeProposed, change_of
from shared.contracts.rejection import Reason, Rejected, findings_of
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused
from shared.runtime.commands.approval import PIT_CHANGE, Approval, Decision
from shared.runtime.commands.approval_subject import ApprovalSubject
from shared.runtime.ingest.pit_events import Said

PitChangeStatus = Literal["proposed", "approved", "rejected"]
PitChangeEffect = Literal["waiting", "recorded", "superseded", "dismissed"]
"""The outcome of an approved change.

`waiting`: not recorded yet. `recorded`: in effect. `superseded`: the pit changed the event first, so the change has no
effect. `dismissed`: its record was quarantined, and two people dismissed it.
"""

SOMEBODY: Final = "somebody else"
"""Placeholder for the approver of a change that is not approved yet."""


class PitEventSide(BaseModel):
    """The data of a pit event before or after a change, and when it happened."""

    at: datetime
    data: dict[str, Any] = Field(description="the event's data, as the contract defines them for its type")


PitEventStatus = Literal["standing", "corrected", "voided"]


class PitEventDocument(PitEventSide):
    """A pit event for display: its version in force, or the last version of a voided event.

    `revision` counts how often the event has been recorded; a proposed change must name it. A corrected or voided event
    has the `correction`, its recording time `changed_at`, and the number of the `change` if it was made at the desk.
    """

    property: str
    table: str
    sequence: int
    event: str
    revision: int
    gaming_day: date
    status: PitEventStatus
    correction: Correction | None = None
    changed_at: AwareDatetime | None = None
    change: int | None = None


class PitChangeItem(BaseModel):
    """A change to a pit event in a list, with proposer, reason, decision and outcome."""

    property: str
    change: int
    table: str
    sequence: int = Field(description="the event's sequence in the pit stream of its table")
    event: str = Field(description="the event's type")
    gaming_day: date
    voids: bool = Field(description="true if the change voids the event, false if it corrects it")
    replaces: int = Field(description="the revision of the event that the change replaces")
    reason: str
    proposed_by: str
    proposed_at: AwareDatetime
    status: PitChangeStatus = "proposed"
    approved_by: str | None = None
    approved_at: AwareDatetime | None = None
    rejected_by: str | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: str | None = None
    effect: PitChangeEffect | None = Field(default=None, description="the outcome once it is approved")


class LegChange(BaseModel):
    """The change of the balance of one of the table's accounts, in signed cents, debits positive."""

    leg: str
    cents: int


class PitChangeEffects(BaseModel):
    """The effects that a change would have if it were recorded now.

    `refused` is the reason if it could not be recorded now. `restates` are the gaming days whose figures may change,
    including sealed ones.
    """

    refused: str | None = None
    postings: list[LegChange] = []
    restates: list[date] = []


class PitVoidDocument(PitChangeEffects):
    """The effects of voiding an event; `sealed` are the affected gaming days that are sealed."""

    sealed: list[date] = []


class PitChangeDocument(PitChangeItem, PitChangeEffects, ApprovalSubject):
    """A change to a pit event with the whole event before and after, and its effects. Approvals name its hash.

    `stands`: the revision to be replaced is still in force. A change without `after` voids the event.
    """

    stands: bool
    before: PitEventSide
    after: PitEventSide | None = None


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """A pit event in the read model: its name for messages, its last position, and its version in force, if any."""

    name: str
    last: Said
    revision: int
    fact: PitRecorded | None = None
    at: datetime | None = None

    def standing(self, replaces: int, what: str) -> tuple[PitRecorded, datetime]:
        """Return the version in force and its time. Raises: Rejected if the revision in force is not `replaces`."""
        if self.fact is None or self.at is None:
            raise Rejected(Reason.CONTRADICTS, f"nothing of {self.name} stands: it is void, and {what} is of none")
        if self.revision != replaces:
            raise Rejected(
                Reason.CONTRADICTS,
                f"{self.name} stands at revision {self.revision}, and {what} is of revision {replaces}: it changed "
                "meanwhile; look at that, and propose a new change if it is still wrong",
            )
        return self.fact, self.at


@dataclass(frozen=True, slots=True)
class PitDesk:
    """The data that a decision on a change depends on.

    `known` is the state that the event refers to. `waiting` is the number of an approved change to the event that is
    not in effect yet.
    """

    found: FoundEvent
    known: Known
    waiting: int | None = None

    def require_standing(self, replaces: int, what: str) -> None:
        """Raise Rejected if the revision to be replaced is not in force, or an approved change to it is in progress."""
        self.found.standing(replaces, what)
        if self.waiting is not None:
            raise Rejected(
                Reason.CONTRADICTS,
                f"change {self.waiting} of {self.found.name} is approved and takes effect: wait for it",
            )

    def led_to(self, change: DeskChange) -> tuple[FactWithPostings, ...]:
        """Return the facts that a change would cause. Raises: Rejected if the change is not possible."""
        try:
            return of_event(change, self.known)
        except Refused as refused:
            raise Rejected(Reason.NOT_ALLOWED, str(refused), cites=refused.paragraph) from refused


def event_document(
    fact: PitRecorded | PitVoided, revision: int, at: datetime, recorded_at: datetime
) -> PitEventDocument:
    """Return a pit event for display, from the fact that recorded or voided it; `at` is when the event happened."""
    status: PitEventStatus = "standing"
    changed: dict[str, Any] = {}
    if fact.correction is not None:
        status = "voided" if isinstance(fact, PitVoided) else "corrected"
        changed = {"correction": fact.correction, "changed_at": recorded_at, "change": fact.desk_change}
    return PitEventDocument(
        status=status,
        **changed,
        property=fact.property,
        table=fact.table,
        sequence=fact.sequence,
        event=fact.event,
        revision=revision,
        gaming_day=fact.gaming_day,
        at=at,
        data=as_json(fact.data),
    )


def approval_of(change: PitChangeProposed, status: str) -> Approval:
    """Return the approval that decides on a change."""
    return Approval(PIT_CHANGE, f"change {change.change} at {change.property}", change.proposed_by, Decision.of(status))


def instead_of(event: str, data: dict[str, Any]) -> PitData:
    """Return corrected data, validated by the type of the event. Raises: Rejected with all validation errors."""
    try:
        said: PitData = KINDS[event].model.model_validate(data)
    except ValidationError as error:
        findings = findings_of(error, "instead")
        detail = f"'instead' has {len(findings)} mistakes: see the problems"
        raise Rejected(Reason.NOT_ALLOWED, detail, findings=findings) from error
    return said


def change_document(item: PitChangeItem, proposed: PitChangeProposed, desk: PitDesk) -> PitChangeDocument:
    """Return a change for display: the event before and after, and the effects."""
    found = desk.found
    stands = found.fact is not None and found.revision == proposed.replaces
    effects = PitChangeEffects()
    if stands:
        effects = effects_of(change_of(proposed, SOMEBODY, found.last.sequence), desk)
    after = None
    if proposed.instead is not None and proposed.at is not None:
        after = PitEventSide(at=proposed.at, data=as_json(proposed.instead))
    return PitChangeDocument(
        **dict(item),
        **dict(effects),
        stands=stands,
        before=PitEventSide(at=proposed.before_at, data=as_json(proposed.before)),
        after=after,
    )


def effects_of(change: DeskChange, desk: PitDesk) -> PitChangeEffects:
    """Return the effects of a change to the version of a pit event in force."""
    try:
        recordings = desk.led_to(change)
    except Rejected as rejected:
        return PitChangeEffects(refused=rejected.detail)
    legs: Counter[str] = Counter()
    for one in recordings:
        for account, cents in one.postings:
            legs[account.leg] += cents
    return PitChangeEffects(
        postings=[LegChange(leg=leg, cents=cents) for leg, cents in sorted(legs.items()) if cents],
        restates=sorted({getattr(one.fact, "gaming_day") for one in recordings}),  # noqa: B009 - all facts here have it
    )
