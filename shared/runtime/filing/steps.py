"""The steps of a filed document: its status, and which step may follow which. Pure."""

from abc import abstractmethod
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from shared.contracts.envelope import Digest, Name, Person, Reason
from shared.contracts.filings import FiledStep, FilingError, FilingStatus, ReleasedStep, TrackingId, WithdrawnStep
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot
from shared.contracts.rejection import Reason as Because
from shared.contracts.rejection import Rejected
from shared.runtime.commands.approval import FILING, Approval, Decision

UNSENT: Final[tuple[FilingStatus, ...]] = ("prepared", "released")
"""The statuses of a document that has not been sent yet."""

Corrects = Annotated[
    Reason | None, Field(description="why the earlier record of this step is wrong, if the step is recorded again")
]
"""Why a step is recorded again; None when it is recorded for the first time."""

_DECISIONS: Final[Mapping[FilingStatus, Decision]] = {"prepared": Decision.ASKED, "withdrawn": Decision.WITHDRAWN}


class FiledDocument(BaseModel):
    """A filed document with its status. Persons, moments and identifiers of later steps are None."""

    model_config = ConfigDict(from_attributes=True)

    property: Name
    status: FilingStatus
    content_sha256: Digest
    content_bytes: int
    prepared_by: Person
    prepared_at: datetime
    released_by: Person | None = None
    released_at: datetime | None = None
    filed_by: Person | None = None
    filed_at: datetime | None = None
    tracking_id: TrackingId | None = None
    acknowledged_by: Person | None = None
    acknowledged_at: datetime | None = None
    withdrawn_by: Person | None = None
    withdrawn_at: datetime | None = None
    withdraw_reason: Reason | None = None
    errors: tuple[FilingError, ...] = ()

    @abstractmethod
    def named(self) -> str:
        """Return the document's name for people: `filing 3 of riverside`."""

    def approval(self) -> Approval:
        """Return the document as a request for approval, which the preparer may not approve."""
        return Approval(FILING, self.named(), self.prepared_by, _DECISIONS.get(self.status, Decision.APPROVED))

    def require_status(self, *wanted: FilingStatus) -> None:
        """Raise Rejected unless the document has one of these statuses."""
        if self.status not in wanted:
            detail = f"{self.named()} is {self.status}, not {' or '.join(wanted)}"
            raise Rejected(Because.TOO_EARLY if self.status in UNSENT else Because.ALREADY_DECIDED, detail)

    def require_next(self, wanted: FilingStatus, *done: FilingStatus, reason: Reason | None) -> None:
        """Raise Rejected unless a step may be recorded now.

        To record the step for the first time, the document must have the status `wanted`. To correct the recorded step,
        a `reason` is required, and the document must have one of the statuses `done`.
        """
        if reason is None:
            self.require_status(wanted)
        elif self.status == wanted:
            detail = f"nothing is recorded of {self.named()} that 'reason' could correct: leave it out"
            raise Rejected(Because.CONTRADICTS, detail)
        else:
            self.require_status(*done)

    def sent_at(
        self,
        place: PropertySnapshot,
        tracking_id: TrackingId,
        told: datetime | None,
        now: datetime,
        reason: Reason | None,
    ) -> datetime:
        """Return when a released document was sent: `told`, or `now` if `told` is None.

        With a `reason`, the moment may be corrected until the agency has answered. Raises: Rejected if the moment is
        before the release or in the future, or if the document is recorded with this identifier already; the error
        names moments on the property's clock.
        """
        if reason is None and self.filed_at is not None and self.tracking_id == tracking_id:
            detail = f"{self.named()} is recorded with {tracking_id} already, sent at {place.clock_text(self.filed_at)}"
            raise Rejected(Because.ALREADY_DECIDED, f"{detail}: only a correction, with a reason, replaces that")
        self.require_next("released", "filed", reason=reason)
        assert self.released_at is not None, "what was released has a moment"
        sent = told or now
        if not self.released_at.replace(second=0, microsecond=0) <= sent <= now:  # people write minutes
            said, released, at = map(place.clock_text, (sent, self.released_at, now))
            detail = f"'filed_at' {said} is not between the release and now: released at {released}, it is {at}"
            raise Rejected(Because.CONTRADICTS, detail)
        return sent


def require_filing_day(place: PropertySnapshot, filed_on: date | None, now: datetime) -> None:
    """Raise Rejected if a file's day of filing is in the future, by the property's clock."""
    today = now.astimezone(place.zone).date()
    if filed_on is not None and filed_on > today:
        detail = f"the file is of {filed_on} ('FilingDateText'), which has not come yet: it is {today}"
        raise Rejected(Because.CONTRADICTS, f"{detail} at {place.document.property}")


def require_same_filer(document: FiledDocument, places: PropertyLookup, now: datetime) -> None:
    """Raise Rejected if the filer of the document's property has changed since the document was prepared.

    The file names the filer of that moment: its legal name, address, EIN and contact.
    """
    then, today = (places(document.property, moment) for moment in (document.prepared_at, now))
    if then is not None and today is not None and then.document.filer != today.document.filer:
        detail = f"the filer of {document.property} has changed since {document.named()} was prepared"
        raise Rejected(Because.CONTRADICTS, f"{detail}: withdraw it, and prepare it again")


def require_own(identifier: str | None, holder: str | None) -> None:
    """Raise Rejected if an agency's identifier already belongs to another document, `holder`."""
    if holder is not None:
        detail = f"{identifier} is the identifier of {holder}: correct that first, with a reason, if it is wrong there"
        raise Rejected(Because.CONTRADICTS, detail)


def changes_by(step: ReleasedStep | FiledStep | WithdrawnStep, by: Person, at: datetime) -> dict[str, Any]:
    """Return the columns that a step changes in a document, when `by` records it at the moment `at`."""
    match step:
        case ReleasedStep():
            return {"status": "released", "released_by": by, "released_at": at}
        case FiledStep():
            return {"status": "filed", "filed_by": by, "filed_at": step.filed_at, "tracking_id": step.tracking_id}
        case WithdrawnStep():
            return {"status": "withdrawn", "withdrawn_by": by, "withdrawn_at": at, "withdraw_reason": step.reason}
