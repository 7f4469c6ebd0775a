"""What is asked of what is read: which property, gaming day and table."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final, TypeVar

from fastapi import Depends, Path, Query
from pydantic import AfterValidator, AwareDatetime, BeforeValidator

from shared.contracts.envelope import Name
from shared.runtime.web.pages import PageRequest

DayOrMoment = TypeVar("DayOrMoment", bound=date)
_YEARS: Final = (1900, 2999)


def _written(value: object) -> object:
    """Return a day or moment that is written as one. Raises: ValueError for a number, which would be seconds of 1970.

    >>> _written("2026-11-20")
    '2026-11-20'
    """
    if not (isinstance(value, str) and re.match("[0-9]{4}-", value)):
        raise ValueError("write it like 2026-11-20, a moment like 2026-11-20T10:00:00Z")
    return value


def _in_years(value: DayOrMoment) -> DayOrMoment:
    """Return a day or moment that others can be reckoned from. Raises: ValueError outside of these years."""
    if not _YEARS[0] <= value.year <= _YEARS[1]:
        raise ValueError(f"must lie in the years {_YEARS[0]} to {_YEARS[1]}")
    return value


Day = Annotated[date, BeforeValidator(_written), AfterValidator(_in_years)]
"""A day in a question: `20261120` is none."""
Moment = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_in_years)]
"""A moment in a question, with its time zone."""

PropertyPath = Annotated[Name, Path(alias="property", description="the property")]
PropertyQuery = Annotated[Name, Query(alias="property", description="the property")]
PropertyChoice = Annotated[Name | None, Query(alias="property", description="only of this property")]
DayQuery = Annotated[Day, Query(description="the gaming day")]
TableChoice = Annotated[Name | None, Query(description="only of this table")]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayListRequest(PageRequest):
    """Which page of a list about a gaming day is asked for."""

    property: PropertyQuery
    gaming_day: DayQuery
    table: TableChoice = None


AskedOfDay = Annotated[DayListRequest, Depends()]
"""The page of a list about a gaming day that is asked for, as a parameter of a route."""
