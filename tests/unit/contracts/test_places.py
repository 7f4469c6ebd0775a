"""A property as services ask it: its gaming days, its tables, its limits, at a moment."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from shared.contracts.properties import PropertyApproved
from shared.contracts.property_snapshot import PropertySnapshot, place_at, place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import gaming_pack
from shared.rules.errors import Refused
from tests.support.properties import approved, document, place

TODAY, YESTERDAY, TOMORROW = date(2026, 11, 20), date(2026, 11, 19), date(2026, 11, 21)
BEGINS = datetime(2026, 11, 20, 9, tzinfo=UTC)  # four in New York
MARGIN = timedelta(hours=4)


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (BEGINS - timedelta(microseconds=1), YESTERDAY),
        (BEGINS, TODAY),
        (BEGINS + timedelta(hours=24, microseconds=-1), TODAY),
        (BEGINS + timedelta(hours=24), TOMORROW),
        (datetime(2026, 7, 1, 7, 59, 59, tzinfo=UTC), date(2026, 6, 30)),  # in summer it begins at eight
        (datetime(2026, 7, 1, 8, tzinfo=UTC), date(2026, 7, 1)),
    ],
)
def test_the_gaming_day_begins_on_the_clock_of_the_place(moment: datetime, day: date) -> None:
    """Winter and summer, at the property's own time."""
    assert day == place().gaming_day(moment)


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 7), 23), (date(2026, 10, 31), 25), (TODAY, 24)])
def test_a_day_with_a_change_of_the_clock_is_an_hour_shorter_or_longer(day: date, hours: int) -> None:
    """The next begins at four all the same; every moment between is in one day, asked for in any order."""
    here = place()
    begins, ends = here.begins_at(day), here.begins_at(day + timedelta(days=1))
    assert timedelta(hours=hours) == ends - begins
    inside = [begins + timedelta(minutes=30 * number) for number in range(2 * hours)]
    assert {day} == {here.gaming_day(moment) for moment in (*inside, *reversed(inside))}
    assert [day - timedelta(days=1), day + timedelta(days=1)] == [
        here.gaming_day(begins - timedelta(seconds=1)),
        here.gaming_day(ends),
    ]


def test_two_places_are_in_different_gaming_days_at_one_moment() -> None:
    """Each asks its own clock."""
    lincoln = place("lincoln", packs=["us-ri", "us-federal"], gaming_day_begins="06:00")
    moment = BEGINS + timedelta(hours=1)
    assert [TODAY, YESTERDAY] == [each.gaming_day(moment) for each in (place(), lincoln)]


def test_a_claim_of_the_right_day_holds() -> None:
    """Whatever the property does with others."""
    assert TODAY == place().day_of(TODAY, BEGINS) == place(other_gaming_day="flag").day_of(TODAY, BEGINS)


def test_another_day_is_refused_with_the_property_s_clock() -> None:
    """The refusal says which day was claimed, which it is, and why."""
    with pytest.raises(Refused, match=r"'gaming_day' 2026-11-19: .* 04:00:00 is in gaming day 2026-11-20 of riverside"):
        place().day_of(YESTERDAY, BEGINS)


def test_another_day_is_replaced_where_the_property_flags() -> None:
    """The day of the moment counts; `other_day` says what to flag."""
    here = place(other_gaming_day="flag")
    assert TODAY == here.day_of(YESTERDAY, BEGINS)
    assert here.other_day(YESTERDAY, BEGINS).endswith("which begins at 04:00 in America/New_York")


@pytest.mark.parametrize(
    ("claimed", "moment", "holds"),
    [
        (YESTERDAY, BEGINS + MARGIN, False),
        (YESTERDAY, BEGINS + MARGIN - timedelta(seconds=1), True),
        (TODAY, BEGINS - MARGIN, True),
        (TODAY, BEGINS - MARGIN - timedelta(seconds=1), False),
        (TOMORROW, BEGINS, False),
    ],
)
def test_within_the_margin_the_claim_holds(claimed: date, moment: datetime, holds: bool) -> None:
    """Openers come before a day, closers after it: up to the property's minutes outside it."""
    here = place()
    assert MARGIN == here.pit_margin
    if holds:
        assert claimed == here.day_of(claimed, moment, margin=here.pit_margin)
    else:
        with pytest.raises(Refused, match=f"'gaming_day' {claimed}"):
            here.day_of(claimed, moment, margin=here.pit_margin)


def with_table(**changes: Any) -> PropertySnapshot:
    """A property with one table."""
    made = document(tables=["BJ-01"])["tables"][0] | changes
    return PropertySnapshot.of(PropertyApproved.model_validate(approved().model_dump() | {"tables": [made]}))


def test_a_table_is_there_from_its_opening_until_it_retires() -> None:
    """Up to but not including the gaming day on which it retired."""
    here = with_table(opened_on="2026-11-19", retired_on="2026-11-21")
    for day in (YESTERDAY, TODAY):
        assert "BJ-01" == here.table("BJ-01", day).table
        assert here.why_no_table("BJ-01", day) is None
    for day in (date(2026, 11, 18), TOMORROW):
        with pytest.raises(Refused, match=f"opened on 2026-11-19 and retired on 2026-11-21; on {day} it is not there"):
            here.table("BJ-01", day)


def test_an_unknown_table_is_refused_with_what_to_file() -> None:
    """Of an event it is said that it can be replayed; of a command not."""
    here = with_table()
    with pytest.raises(Refused, match=r"table 'BJ-99' is not among .* \(version 1\): file and .*, then replay this"):
        here.table("BJ-99", TODAY)
    assert "replay" not in (here.why_no_table("BJ-99", TODAY) or "")


def test_a_limit_is_the_stricter_of_the_property_s_and_the_pack_s() -> None:
    """Without one of its own the pack's holds."""
    law = gaming_pack("us-pa").limits.variance_report_cents.on(TODAY).value
    limits = (None, law - 1, law + 1)
    assert [law, law - 1, law] == [
        place(limits={"variance_report_cents": own}).limit_cents("variance_report_cents", TODAY) for own in limits
    ]


@pytest.mark.parametrize("packs", [["us-federal"], ["us-pa", "us-ri"], ["us-xx"]])
def test_a_place_has_one_law(packs: list[str]) -> None:
    """Packs that are not here, none or two that license table games: nothing can be done under it."""
    with pytest.raises(LookupError):
        place(packs=packs)


def test_a_property_that_is_not_in_effect_is_refused_or_rejected() -> None:
    """An event waits in quarantine, a command is answered; both with what to file."""
    assert "riverside" == place_at(lambda *_: place(), "riverside", BEGINS).document.property
    said = r"no approved version of property 'riverside' is in effect at 2026-11-20T09:00:00\+00:00: file and approve"
    with pytest.raises(Refused, match=said + ".*, then replay this record"):
        place_at(lambda *_: None, "riverside", BEGINS)
    with pytest.raises(Rejected, match=said) as rejected:
        place_for_command(lambda *_: None, "riverside", BEGINS)
    assert Reason.NOT_FOUND is rejected.value.reason
