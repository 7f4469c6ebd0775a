"""Fill and credit slips: each step is taken once, by the people that the law requires."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from pydantic import AwareDatetime

from services.table_inventory.domain.people import Law, require_different
from shared.contracts.chips import Contents, value_of
from shared.contracts.envelope import Person
from shared.contracts.inventory import SlipKind, SlipPrepared, SlipRequested
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.approval_subject import ApprovalSubject

SlipStatus = Literal["prepared", "carried", "received", "void"]

STEPS: Final = ("requested_by", "prepared_by", "surrendered_by", "carried_by", "received_by", "observed_by")
"""The steps of a slip that people take."""


class SlipKey(NamedTuple):
    """The key of a slip: property, kind and number."""

    property: str
    slip: SlipKind
    number: int

    def __str__(self) -> str:
        return f"{self.slip} slip {self.number} of {self.property}"

    def path(self) -> str:
        """Return the URL path of the slip."""
        return f"/slips/{self.property}/{self.slip}/{self.number}"


class SlipRequest(SlipRequested, ApprovalSubject):
    """A request for a slip, its value, and the `number` of the slip prepared for it.

    It may be withdrawn before.
    """

    cents: int = 0
    number: int | None = None
    withdrawn_by: Person | None = None

    @classmethod
    def of(cls, request: SlipRequested, **more: Any) -> "SlipRequest":
        """Return a request with its value."""
        return cls(**dict(request), cents=value_of(request.contents), **more)


class Slip(SlipPrepared, ApprovalSubject):
    """The state of a slip, with the person who took each step.

    `difference_cents` is what arrived less what was sent; `returned` is what was in transit when it was voided.
    """

    cents: int
    status: SlipStatus = "prepared"
    received_contents: Contents | None = None
    received_cents: int | None = None
    difference_cents: int | None = None
    surrendered_by: Person | None = None
    carried_by: Person | None = None
    carried_at: AwareDatetime | None = None
    received_by: Person | None = None
    received_at: AwareDatetime | None = None
    observed_by: Person | None = None
    voided_by: Person | None = None
    voided_at: AwareDatetime | None = None
    void_reason: str | None = None
    returned: Contents | None = None

    @classmethod
    def of(cls, values: Mapping[Any, Any]) -> "Slip":
        """Return the slip with these values and those derived from them."""
        status: SlipStatus = "prepared" if values.get("carried_at") is None else "carried"
        difference = None
        if values.get("voided_at") is not None:
            status = "void"
        elif values.get("received_at") is not None:
            status = "received"
            difference = values["received_cents"] - values["cents"]
        return cls(**{**values, "status": status, "difference_cents": difference})

    def after(self, **changes: Any) -> "Slip":
        """Return the slip after changes."""
        return self.of({**dict(self), **changes})

    @property
    def key(self) -> SlipKey:
        """Return the key of the slip."""
        return SlipKey(self.property, self.slip, self.number)

    @property
    def since(self) -> datetime:
        """Return since when the slip has had its status: prepared, or in transit."""
        return self.carried_at or self.prepared_at

    @property
    def reference(self) -> dict[str, Any]:
        """Return the fields that identify the slip in facts about its steps."""
        return {**self.key._asdict(), "table": self.table, "gaming_day": self.gaming_day}

    def require_free(self, law: Law, **people: str) -> None:
        """Check that the law allows these people to take these steps.

        Raises: Rejected if it is void, a step is done, or the law forbids it.
        """
        if self.voided_by is not None:
            raise Rejected(Reason.ALREADY_DECIDED, f"{self.key} is void")
        held = {step: person for step in STEPS if (person := getattr(self, step)) is not None}
        for step in people:
            if step in held:
                raise Rejected(Reason.ALREADY_DECIDED, f"{self.key}: {held[step]} is '{step}' already")
        require_different(str(self.key), law, held | people)
