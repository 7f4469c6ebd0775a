"""Ratings as documents for people and systems."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Self

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.ratings import problems_of
from shared.contracts.derived_rating import Rating, RecordedStep, rating_of
from shared.contracts.property_snapshot import PropertyLookup
from shared.contracts.ratings import (
    RatedSpan,
    RatingProblem,
    RatingRecorded,
    RatingStated,
    RatingTime,
    rated_at_once,
)


class RatingDocument(BaseModel):
    """A rating: patron, table, seat, average bet, the spans played so far, and its recorded steps.

    `pit` is the pit of the table, if it was requested. `playing_since` is the beginning of the current span.
    `rated_too` names other ratings of the patron that were open at the same time. `stated` is the last statement about
    the rating; None if the rating was never closed.
    """

    property: str
    rating: str
    status: Literal["open", "paused", "closed", "void"]
    patron: str | None = None
    table: str | None = None
    seat: int | None = None
    pit: str | None = None
    opened_at: AwareDatetime | None = None
    closed_at: AwareDatetime | None = None
    playing_since: AwareDatetime | None = None
    average_bet_cents: int | None = None
    buy_in_cents: int = 0
    chips_in_cents: int = 0
    chips_out_cents: int = 0
    spans: list[RatedSpan] = []
    problems: list[RatingProblem] = []
    rated_too: list[str] = []
    steps: list[RatingRecorded] = []
    stated: RatingStated | None = None

    @classmethod
    def of(
        cls, steps: Sequence[RecordedStep], stated: RatingStated | None = None, places: PropertyLookup | None = None
    ) -> Self:
        """Return the document of a rating from its steps and last statement, with its pit if `places` are given."""
        found = rating_of(steps)
        status: Literal["open", "paused", "closed", "void"] = "open"
        if found.opened_at is None:
            status = "void"
        elif found.closed_at is not None:
            status = "closed"
        elif found.is_paused():
            status = "paused"
        said = {name: value for name, value in vars(found).items() if name in cls.model_fields}
        opened_at = found.opened_at
        there = places is None or (opened_at is not None and places(found.property, opened_at) is not None)
        said["problems"] = problems_of(found, has_property=there)
        listed = [one.fact for one in steps]
        pit = None if places is None else _pit_of(found, places)
        return cls(**said, status=status, pit=pit, playing_since=found.since, steps=listed, stated=stated)


def _pit_of(rating: Rating, places: PropertyLookup) -> str | None:
    """Return the pit of a rating's last table; None if the rating was never opened or the table did not exist."""
    if rating.opened_at is None or rating.table is None:
        return None
    place = places(rating.property, rating.opened_at)
    table = None if place is None else place.table_on(rating.table, place.gaming_day(rating.opened_at))
    return None if table is None else table.pit


def with_others(ratings: Iterable[RatingDocument]) -> list[RatingDocument]:
    """Return ratings, each with the names of the patron's other ratings that were open at the same time."""
    listed = list(ratings)
    times = [
        RatingTime(one.rating, one.patron, one.opened_at, one.closed_at)
        for one in listed
        if one.patron is not None and one.opened_at is not None
    ]
    others: Mapping[str, Sequence[str]] = rated_at_once(times)
    return [one.model_copy(update={"rated_too": list(others.get(one.rating, ()))}) for one in listed]
