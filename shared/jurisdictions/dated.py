"""A value fixed by law: the day from which it applies, its source, and whether it was confirmed in the source."""

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import pairwise
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, RootModel, model_validator

from shared.rules.record import Record

T = TypeVar("T")

Text = Annotated[str, Field(pattern=r"^\S(.*\S)?$")]
"""A text on one line: not empty, and without a space at either end."""


class LawUnknown(LookupError):
    """The law for a day is unknown, because the day is before the first value in the pack."""


class Dated(Record, Generic[T]):
    """A value fixed by law, in force from a day on, until the provision has a next value.

    `source` cites the law. The value is `confirmed` if it was read in the source, and `unconfirmed` if it was inferred,
    taken from another text, or not found in the source itself; `note` then gives the reason. A value that law changes
    each year can be relied on through `review_by`.
    """

    value: T
    effective_from: date
    source: Text
    status: Literal["confirmed", "unconfirmed"]
    note: Text | None = None
    review_by: date | None = None
    _is_past_review: bool = PrivateAttr(default=False)

    @property
    def is_past_review(self) -> bool:
        """Return whether the value was past review on the day for which it was requested."""
        return self._is_past_review

    @model_validator(mode="after")
    def _doubt_has_a_reason(self) -> Self:
        if self.status == "unconfirmed" and self.note is None:
            raise ValueError("an unconfirmed value needs a note that says what is not confirmed")
        return self

    @model_validator(mode="after")
    def _is_reviewed_later(self) -> Self:
        if self.review_by is not None and self.review_by < self.effective_from:
            raise ValueError(f"review_by {self.review_by} is before effective_from {self.effective_from}")
        return self

    def past_review(self, review_by: date) -> Self:
        """Return an unconfirmed copy of the value, whose review was due by `review_by` but is not done."""
        note = f"law changes it each year: no value was confirmed since it was to be reviewed by {review_by}"
        found = self.model_copy(update={"status": "unconfirmed", "note": note})
        found._is_past_review = True
        return found


class Provision(RootModel[tuple[Dated[T], ...]], Generic[T]):
    """The dated values of one provision of law, earliest first."""

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
        """Return the value in force on a day; it is marked `past_review` if its review is overdue on that day.

        Raises: LawUnknown (a LookupError) for a day before the first value.
        """
        known: Dated[T] | None = None
        missed: date | None = None
        for dated in self.root:
            if dated.effective_from > day:
                break
            known = dated
            if dated.status == "confirmed":
                missed = None
            if missed is None and dated.review_by is not None and dated.review_by < day:
                missed = dated.review_by
        if known is not None:
            return known if missed is None else known.past_review(missed)
        first = self.root[0]
        raise LawUnknown(
            f"nothing is known for {day}: the first value holds from {first.effective_from} on ({first.source}); "
            "add an earlier one with its source"
        )


def past_review(part: Any, place: str, day: date) -> Iterator[tuple[str, Dated[Any]]]:
    """Yield (path in the pack, value) for each value in a part of a pack that is past review on a day."""
    match part:
        case Provision():
            if part.root[0].effective_from <= day and (found := part.on(day)).is_past_review:
                yield place, found
        case Mapping() | BaseModel():
            for name, one in part.items() if isinstance(part, Mapping) else part:
                yield from past_review(one, f"{place}.{name}", day)
        case _:
            return
