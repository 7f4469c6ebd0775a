"""A value fixed by law: since when it applies, its source, and whether it was confirmed there."""

from datetime import date
from itertools import pairwise
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import ConfigDict, Field, RootModel, model_validator

from shared.rules.record import Record

T = TypeVar("T")

Text = Annotated[str, Field(pattern=r"^\S(.*\S)?$")]
"""Words on one line: never none, no space at either end."""


class LawUnknown(LookupError):
    """The law for a day is unknown, because it is before the first value in a pack."""


class Dated(Record, Generic[T]):
    """A value in force from a day on, until the next value of its provision.

    `source` says where it is written. It is `confirmed` where it was read there, and `unconfirmed` where it was
    inferred, taken from elsewhere, or not found in the text itself; then `note` says which.
    """

    value: T
    effective_from: date
    source: Text
    status: Literal["confirmed", "unconfirmed"]
    note: Text | None = None

    @model_validator(mode="after")
    def _doubt_has_a_reason(self) -> Self:
        if self.status == "unconfirmed" and self.note is None:
            raise ValueError("an unconfirmed value needs a note that says what is not confirmed")
        return self


class Provision(RootModel[tuple[Dated[T], ...]], Generic[T]):
    """A value with its history, the earliest first."""

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="after")
    def _one_after_the_other(self) -> Self:
        if not self.root:
            raise ValueError("a provision has one value at least")
        for before, after in pairwise(dated.effective_from for dated in self.root):
            if before >= after:
                raise ValueError(f"{after} stands after {before}: list the earliest first")
        return self

    def on(self, day: date) -> Dated[T]:
        """Return the value in force on a day. Raises: LookupError before the first value."""
        for dated in reversed(self.root):
            if dated.effective_from <= day:
                return dated
        first = self.root[0]
        raise LawUnknown(
            f"nothing is known for {day}: the first value holds from {first.effective_from} on ({first.source}); "
            "add an earlier one with its source"
        )
