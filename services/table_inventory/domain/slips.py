"""Fill and credit slips. Each step is taken once, by the people that the law requires."""

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
"""The columns of the people who take a slip's steps."""


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
    """A request for a slip, its value in cents, and the `number` of the slip prepared for it.

    It may be withdrawn until the slip is prepared.
    """

    cents: int = 0
    number: int | None = None
    withdrawn_by: Person | None = None

    @classmethod
    def of(cls, request: SlipRequested, **more: Any) -> "SlipRequest":
        """Return a request with its value and further fields."""
        return cls(**dict(request), cents=value_of(request.contents), **more)


class Slip(SlipPrepared, ApprovalSubject):
    """The current state of a slip, with the person who took each step.

    `difference_cents` is the received less the sent amount. `returned` are the chips in transit when the slip was
    voided.
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
        """Return a slip from its columns, with status and difference derived."""
        status: SlipStatus = "prepared" if values.get("carried_at") is None else "carried"
        difference = None
        if values.get("voided_at") is not None:
            status = "void"
        elif values.get("received_at") is not None:
            status = "received"
            difference = values["received_cents"] - values["cents"]
        return cls(**{**values, "status": status, "difference_cents": difference})

    def after(self, **changes: Any) -> "Slip":
        """Return the slip with changed columns, and status and difference derived again."""
        return self.of({**dict(self), **changes})

    @property
    def key(self) -> SlipKey:
        """Return the key of the slip."""
        return SlipKey(self.property, self.slip, self.number)

    @property
    def since(self) -> datetime:
        """Return the time at which the slip was carried or, if it was not, prepared."""
        return self.carried_at or self.prepared_at

    @property
    def reference(self) -> dict[str, Any]:
        """Return the fields that identify the slip in facts about its steps."""
        return {**self.key._asdict(), "table": self.table, "gaming_day": self.gaming_day}

    def require_free(self, law: Law, **people: str) -> None:
        """Check that each step of the slip may be taken by its person; `people` maps steps to people.

        Raises: Rejected if the slip is void, a step is done already, or the law requires different people.
        """
        if self.voided_by is not None:
            raise Rejected(Reason.ALREADY_DECIDED, f"{self.key} is void")
        held = {step: person for step in STEPS if (person := getattr(self, step)) is not None}
        for step in people:
            if step in held:
                raise Rejected(Reason.ALREADY_DECIDED, f"{self.key}: {held[step]} is '{step}' already")
        require_different(str(self.key), law, held | people)
