"""Alarms of the statistics: somebody looks into one, and says what was found."""

from urllib.parse import quote

from tests.support.asgi import assert_problem
from tests.support.pit import PROPERTY, InventoryDesk

ALARM = "hits, BJ-01, seat 3, blackjack, match"
PATH = f"/alarms/{PROPERTY}"
OF_ALARM = f"{PATH}/{quote(ALARM)}"


def test_an_alarm_is_owned_and_resolved_by_its_owner(desk: InventoryDesk) -> None:
    """Named by somebody, maybe given to another; the conclusion is the owner's, and is said once."""
    found = {"conclusion": "the dealer exposed the hole card"}
    early = desk.send(f"{OF_ALARM}/resolve", found, person="watch.max")
    assert_problem(early, 409, "has no owner yet")
    desk.done(f"{OF_ALARM}/own", {"owner": "watch.ida"}, person="watch.ida")
    owned = desk.done(f"{OF_ALARM}/own", {"owner": "watch.max"}, person="watch.ida")
    assert (ALARM, "watch.max", "watch.ida") == (owned["alarm"], owned["owner"], owned["named_by"])
    assert_problem(desk.send(f"{OF_ALARM}/resolve", found, person="watch.ida"), 422, "is watch.max's to resolve")
    resolved = desk.done(f"{OF_ALARM}/resolve", found, person="watch.max")
    assert found["conclusion"] == resolved["conclusion"]
    again = desk.send(f"{OF_ALARM}/own", {"owner": "watch.ida"}, person="watch.ida")
    assert_problem(again, 409, "is resolved already")
    desk.done(f"{PATH}/{quote('counts, dealer-7')}/own", {"owner": "watch.ida"}, person="watch.max")
    assert [("counts, dealer-7", None), (ALARM, found["conclusion"])] == [
        (one["alarm"], one.get("conclusion")) for one in desk.read(PATH)["items"]
    ]
    assert {} == desk.balances()


def test_alarms_are_for_those_who_look_into_them(desk: InventoryDesk) -> None:
    """Of a property that is known."""
    assert 403 == desk.send(f"{OF_ALARM}/own", {"owner": "audit.kim"}, person="audit.kim").status_code
    elsewhere = desk.send(f"/alarms/elsewhere/{quote(ALARM)}/own", {"owner": "watch.max"}, person="watch.max")
    assert_problem(elsewhere, 404, "no approved version of property 'elsewhere'")
