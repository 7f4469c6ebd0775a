"""A table that nobody had filed in time, and what else a property says that cannot be."""

from dataclasses import replace
from datetime import date

import pytest
from pydantic import ValidationError

from shared.contracts.properties import PropertyApproved, PropertyDocument
from shared.rules.errors import Refused
from tests.support.properties import approved, document, place

DAY = date(2026, 11, 20)


def _later(*tables: str, pit: str = "pit-1") -> PropertyApproved:
    """A version with these tables in a pit, in effect from December on."""
    found = approved(tables=tables, version=2, effective_from="2026-12-01T00:00:00Z")
    return found.model_copy(update={"tables": tuple(table.model_copy(update={"pit": pit}) for table in found.tables)})


def test_a_table_that_nobody_had_filed_is_that_of_a_later_version() -> None:
    """It was open already; what the version in effect says of a table stays as it was then."""
    found = replace(place(tables=("BJ-01",)), later=(_later("BJ-01", "BJ-02", pit="pit-2"),))
    assert ("BJ-02", "pit-2") == (found.table("BJ-02", DAY).table, found.table("BJ-02", DAY).pit)
    assert "pit-1" == found.table("BJ-01", DAY).pit


def test_a_table_that_no_version_has_on_the_day_is_refused_with_what_to_file() -> None:
    """Whether it is in no version at all, or opened later."""
    found = replace(place(tables=("BJ-01",)), later=(_later("BJ-02"),))
    with pytest.raises(Refused, match=r"table 'BJ-77' is not among the tables of riverside .* file and approve"):
        found.table("BJ-77", DAY)
    with pytest.raises(Refused, match=r"table 'BJ-02' of riverside was opened on 2020-01-01; on 2019-12-31 it is not"):
        found.table("BJ-02", date(2019, 12, 31))


def test_a_time_of_the_day_is_no_number() -> None:
    """YAML reads 14:00 without quotes as 840."""
    with pytest.raises(ValidationError, match="840 is not a time of the day"):
        PropertyDocument.model_validate(document(gaming_day_begins=840))
