"""Days and moments as entered by people and systems, and late entries."""

from datetime import date, datetime
from typing import Annotated, Any, Final, Self, TypeVar

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from shared.contracts.envelope import Contract, Reason, WrittenDay, WrittenMoment

DayOrMoment = TypeVar("DayOrMoment", bound=date)
_YEARS: Final = (1900, 2999)


def _in_years(value: DayOrMoment) -> DayOrMoment:
    """Accept a day or moment in the years that allow date arithmetic. Raises: ValueError for any other."""
    if not _YEARS[0] <= value.year <= _YEARS[1]:
        raise ValueError(f"must lie in the years {_YEARS[0]} to {_YEARS[1]}")
    return value


Day = Annotated[WrittenDay, AfterValidator(_in_years)]
"""A day in ISO form with hyphens: `20261120` is rejected."""
Moment = Annotated[WrittenMoment, AfterValidator(_in_years)]
"""A moment in a query or a command, with its offset from UTC."""


class Happened(Contract):
    """An action that may be entered late, with its time and the reason for the late entry."""

    occurred_at: Annotated[
        Moment | None, Field(description="when it happened, if that was earlier; it determines the gaming day")
    ] = None
    late_reason: Annotated[Reason | None, Field(description="why it is entered late")] = None

    @model_validator(mode="after")
    def _said_together(self) -> Self:
        if (self.occurred_at is None) != (self.late_reason is None):
            raise ValueError("'occurred_at' and 'late_reason' go together: say both, or neither")
        return self

    def what(self) -> dict[str, Any]:
        """Return all fields except those about the time of entry."""
        return {name: value for name, value in self if name not in Happened.model_fields}

    def late(self, entered_at: datetime) -> dict[str, Any]:
        """Return the fields of `EnteredLate`; empty if the action is entered at once."""
        if self.occurred_at is None:
            return {}
        return {"entered_at": entered_at, "late_reason": self.late_reason}


NOW: Final = Happened()
"""The default: an action that is entered as it happens."""


class EnteredLate(Contract):
    """The time at which an action was entered late, and the reason; both are None if it was entered at once."""

    entered_at: AwareDatetime | None = None
    late_reason: Reason | None = None
