"""Query parameters that many routes share: property, gaming day and table."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query

from shared.contracts.envelope import Identifier, Name
from shared.contracts.moments import Day
from shared.runtime.http.pagination import PageRequest
from shared.runtime.reference_search import LAST_CHARACTERS_MIN

PropertyPath = Annotated[Name, Path(alias="property", description="the property")]
PropertyQuery = Annotated[Name, Query(alias="property", description="the property")]
PropertyChoice = Annotated[Name | None, Query(alias="property", description="only items of this property")]
DayQuery = Annotated[Day, Query(description="the gaming day")]
DayChoice = Annotated[Day | None, Query(description="only items of this gaming day")]
TableChoice = Annotated[Name | None, Query(description="only items of this table")]
TypedReference = Annotated[
    Identifier,
    Query(description=f"the reference in any case, or its last characters, at least {LAST_CHARACTERS_MIN}"),
]
"""A reference as people type it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayListRequest(PageRequest):
    """The requested page of a list about one gaming day of a property."""

    property: PropertyQuery
    gaming_day: DayQuery
    table: TableChoice = None


AskedOfDay = Annotated[DayListRequest, Depends()]
"""The requested page of a list about one gaming day of a property, as a parameter of a route."""
