"""Vigorish by the property: rates of its law, its tables, its gaming days; what nobody filed waits."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from services.vigorish.manifest import MANIFEST
from shared.contracts.vigorish import VigorishAssessed, VigorishCollection
from shared.jurisdictions import gaming_pack
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.pit import Table
from tests.support.properties import property_event
from tests.support.services import settled_database
from tests.unit.vigorish.rounds import NOON, PROPERTY, collected, line, moment, posted, returned, rules

ISLAND = "lincoln"
RULES = rules()


@pytest.fixture
def desk(databases: Databases) -> Iterator[Desk]:
    """The service, which knows the submission and two properties: of Pennsylvania and of Rhode Island."""
    url = settled_database(databases, "vigorish")
    with desk_of(MANIFEST, url, people={"kim": ["reports.read"]}, clock=lambda: NOON) as desk:
        law: dict[str, Any] = {"packs": ["us-ri"], "time_zone": "America/Chicago", "gaming_day_begins": "06:00"}
        island = property_event(ISLAND, ["PG-01"], sequence=2, other_gaming_day="flag", **law)
        desk.feed("properties", property_event(PROPERTY), island)
        desk.feed("submissions", RULES)
        yield desk
    databases.drop(url)


def test_the_rate_is_that_of_the_property(desk: Desk) -> None:
    """Of a regulation of its own jurisdiction; another one has no rate there."""
    won = [line(1, 1200, 75)]
    desk.feed(
        "settlements",
        posted(1, RULES, won),
        posted(2, RULES, won, property=ISLAND, regulation="ri-pai-gow"),
        posted(3, RULES, won, property=ISLAND),
    )
    [reason] = desk.quarantined()
    assert "pack us-ri has no rate of vigorish for pa-645a-2011" in reason
    rates = {}
    for name in (PROPERTY, ISLAND):
        assessed = [fact for fact in desk.facts() if isinstance(fact, VigorishAssessed) and fact.property == name]
        rates[name] = [line.rate_paragraph for fact in assessed for line in fact.lines]
    island = gaming_pack("us-ri").vigorish["ri-pai-gow"].root[0].source
    assert {PROPERTY: ["§ 645a.13(a)"], ISLAND: [island]} == rates


def test_what_nobody_filed_waits_until_it_is(desk: Desk) -> None:
    """A settlement and a pit event of an unknown property, and a pit event of an unknown table."""
    desk.feed("settlements", posted(1, RULES, [line(1, 1200, 75)], property="atlantis"))
    [first] = desk.quarantined()
    assert "no approved version of property 'atlantis' is in effect at 2026-11-20T12:01:30+00:00" in first
    vigorish = {"round_id": "r-1", "seat": 1, "cents": 75, "by": "dealer.1"}
    elsewhere, nowhere = Table("PG-01", property_name="atlantis"), Table("RO-01", property_name=PROPERTY)
    for table in (elsewhere, nowhere):
        desk.feed("pit.events", table.event("vigorish.collected", moment(1), **vigorish))
    _, second, third = desk.quarantined()
    assert "no approved version of property 'atlantis' is in effect at 2026-11-20T12:01:00+00:00" in second
    assert "table 'RO-01' is not among the tables of riverside (version 1)" in third


def test_another_gaming_day_is_refused_where_the_property_says_so(desk: Desk) -> None:
    """What was collected long before or after the day that it claims."""
    desk.feed("pit.events", collected(1, 1, 1, 75, gaming_day="2026-11-22"), collected(2, 1, 1, 75))
    [reason] = desk.quarantined()
    assert "'gaming_day' 2026-11-22: 2026-11-20 07:01:15 is in gaming day 2026-11-20 of riverside" in reason
    assert 1 == len(desk.facts("vigorish.collection"))


def test_another_gaming_day_is_flagged_where_the_property_says_so(desk: Desk) -> None:
    """It is recorded under the day of its moment, and says which day was claimed."""
    desk.feed("settlements", posted(1, RULES, [line(1, 1200, 75)], property=ISLAND, regulation="ri-pai-gow"))
    source = f"/properties/{ISLAND}/tables/PG-01/pit"
    island = {"property": ISLAND, "gaming_day": "2026-11-22"}
    taken = collected(1, 1, 1, 100, **island) | {"source": source}
    given_back = returned(2, 1, 1, 25, property=ISLAND) | {"source": source}
    desk.feed("pit.events", taken, given_back)
    assert [] == desk.quarantined()
    said = [fact for fact in desk.facts() if isinstance(fact, VigorishCollection)]
    assert [(date(2026, 11, 20), date(2026, 11, 22))] == [(fact.gaming_day, fact.claimed_day) for fact in said]


def test_vigorish_is_of_the_shift_of_its_moment(desk: Desk) -> None:
    """Whatever the table claims, which is kept: so it is of the shift of the rounds that assessed it."""
    desk.feed("pit.events", collected(1, 1, 1, 75, shift="swing"), collected(2, 1, 2, 75, shift="day"))
    said = [(fact.shift, fact.claimed_shift) for fact in desk.facts() if isinstance(fact, VigorishCollection)]
    assert [("day", "swing"), ("day", None)] == said
