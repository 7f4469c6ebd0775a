"""What the meters keep of hours that were compared, as somebody alters it in the database past the service."""

import random

import pytest

from services.progressive_meters.tables import compared_hours, compared_pools
from tests.integration.progressive_meters.test_comparing import Day, keep, open_pools
from tests.support.nightly import AT_NIGHT
from tests.support.rebuilding import assert_named, compared, named
from tests.support.services import query
from tests.support.tampering import tampered
from tests.unit.progressive_meters.office import Office

pytestmark = AT_NIGHT

SERVICE = "progressive-meters"


@pytest.fixture
def played(office: Office) -> Office:
    """A day of rounds at two pools, compared in two parts, and a few rounds after that: the same day each time.

    The last hour kept is then one in which nothing has moved since: an hour that has moved is read by nobody, and the
    next comparison makes it again.
    """
    open_pools(office)
    day = Day(random.Random(7), 40)
    for number, round_ in enumerate(day.waiting):
        shard, event = day.post(**round_)
        office.settle(event, partition=shard)
        if number in (20, 35):
            assert keep(office) > 0
    return office


def test_an_altered_hour_is_named(played: Office, url: str) -> None:
    """Every column of an hour altered, one added, one deleted: what it should be follows from what moved in it."""
    assert_named(SERVICE, url, compared_hours, "altered", "added", "deleted")
    with tampered(url, compared_hours, "altered", "display"):
        found = compared(SERVICE, url)
        assert ["compared_hours"] == [one.table for one in found.tables if one.different]


@pytest.mark.parametrize(("what", "column"), [("altered", "number"), ("altered", "mark"), ("deleted", None)])
def test_marks_of_pools_are_made_again(played: Office, url: str, what: str, column: str | None) -> None:
    """The pool is compared from its beginning, and comes to what it was."""
    keep(played)
    before = query(url, "SELECT h::text FROM progressive_meters.compared_hours h ORDER BY 1")
    marks = query(url, "SELECT p::text FROM progressive_meters.compared_pools p ORDER BY 1")
    with tampered(url, compared_pools, what, column):
        assert 1 == keep(played)
        assert marks == query(url, "SELECT p::text FROM progressive_meters.compared_pools p ORDER BY 1")
        assert before == query(url, "SELECT h::text FROM progressive_meters.compared_hours h ORDER BY 1")
    assert set() == named(SERVICE, url)
