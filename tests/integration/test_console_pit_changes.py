"""The console's pages of pit events, over the real table inventory: found, changed and approved as people do it."""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from services.console.services import INVENTORY
from tests.integration.table_inventory.day import OPENER
from tests.support import Databases
from tests.support.browsers import Browsers
from tests.support.console import Form
from tests.support.outbox import Outbox
from tests.support.pit import PEOPLE, PROPERTY, InventoryDesk, Table, at, inventory_desk
from tests.support.pit_changes import decide, send_approved
from tests.support.services import settled_database
from tests.support.twins import corrected, voided

EVENTS = f"/p/{PROPERTY}/pit-events/BJ-01"
CHANGE = f"/p/{PROPERTY}/pit-changes/1"
APPROVE, REJECT, PROPOSE = (f"/do/{INVENTORY}/{what}-pit-change" for what in ("approve", "reject", "propose"))
CHANGES = f"/p/{PROPERTY}/pit-changes"
VOID = f"{EVENTS}/2/void"
FIELDS = {"property": PROPERTY, "table": "BJ-01", "sequence": "2", "replaces": "1", "reason": "typed wrong"}


@pytest.fixture
def outbox() -> Outbox:
    """Where approved changes go."""
    return Outbox()


@pytest.fixture
def desk(databases: Databases, outbox: Outbox) -> Iterator[InventoryDesk]:
    """Table inventory after a table was opened and sold for 9,000.00."""
    url = settled_database(databases, "table-inventory")
    with inventory_desk(url, outbox) as desk:
        table = Table("BJ-01")
        desk.pit(table.opened(at(0), OPENER), table.sold(at(1), 9_000_00))
        yield desk
    databases.drop(url)


@pytest.fixture
def browsers(desk: InventoryDesk) -> Iterator[Browsers]:
    """People at the console."""
    browsers = Browsers(desk.desk, people=PEOPLE, clock=desk.clock)
    with browsers.client:
        yield browsers


def states(page: str) -> list[str]:
    """What the list of a table's events says of each."""
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", page, re.DOTALL)
    return [re.findall(r"<td[^>]*>(?:<strong[^>]*>)?([^<]*)", row)[-1] for row in rows]


def changes(page: str) -> set[int]:
    """The numbers of the changes on a page."""
    return {int(one) for one in re.findall(rf'href="{CHANGES}/(\d+)"', page)}


def test_a_sale_is_found_corrected_approved_and_recorded(
    desk: InventoryDesk, browsers: Browsers, outbox: Outbox
) -> None:
    """From the list of the table to the form with what the event says, to the page with before and after."""
    assert f"{EVENTS}/2" in browsers.get(EVENTS, "audit.kim")
    event = browsers.get(f"{EVENTS}/2", "floor.mia")
    assert "$9,000.00" in event
    assert f"{EVENTS}/2/correct" in event
    assert f"{EVENTS}/2/correct" not in browsers.get(f"{EVENTS}/2", "audit.kim")
    form = Form(browsers.get(f"{EVENTS}/2/correct", "floor.mia")).sent
    assert "9000.00" == form["instead.cents"]
    typed = {name: value for name, value in form.items() if name == "at" or name.startswith("instead.")}
    typed |= FIELDS | {"instead.cents": "900.00"}
    assert 200 == browsers.send(f"{EVENTS}/2/correct", "floor.mia", **typed).status_code
    assert CHANGE in browsers.get(f"/p/{PROPERTY}/pit-changes", "audit.ned")
    shown = browsers.get(CHANGE, "audit.ned")
    assert re.search(r"Amount <strong[^>]*>changed</strong>.*\$9,000\.00.*\$900\.00", shown, re.DOTALL)
    assert "−$8,100.00" in shown
    assert APPROVE in shown
    assert 200 == browsers.send(APPROVE, "audit.ned", property=PROPERTY, change="1").status_code
    assert "not in effect yet" in browsers.get(CHANGE, "audit.ned")
    for one in send_approved(desk, outbox):
        desk.desk.deliver(one)
    decided = browsers.get(CHANGE, "audit.ned")
    assert "recorded" in decided
    assert APPROVE not in decided
    assert "$900.00" in browsers.get(f"{EVENTS}/2", "floor.mia")


def test_the_events_of_one_gaming_day_are_found(desk: InventoryDesk, browsers: Browsers) -> None:
    """Page by page, as all of them are; an event that is corrected to another day is of that one."""
    table = Table("BJ-01")
    table.sequence, table.day = 2, "2026-11-21"
    late = table.sold(at(24), 5_000_00)
    desk.pit(late, table.sold(at(24.1), 6_000_00))

    def listed(day: str) -> list[int]:
        asked = f"/pit-events/{PROPERTY}/BJ-01?limit=1&from_end=true{day and f'&gaming_day={day}'}"
        found, page = [], desk.read(asked)
        while page["items"]:
            found.append(page["items"][0]["sequence"])
            page = desk.read(f"{asked}&cursor={page['next']}") if page.get("next") else {"items": []}
        return found

    days = ("2026-11-20", "2026-11-21", "2026-11-22", "")
    assert [[2, 1], [4, 3], [], [4, 3, 2, 1]] == [listed(day) for day in days]
    table.sequence = 4
    desk.pit(
        corrected(table, late, {**late, "time": at(2).isoformat(), "data": late["data"] | {"gaming_day": "2026-11-20"}})
    )
    assert [[3, 2, 1], [4]] == [listed(day) for day in days[:2]]
    shown = browsers.get(f"{EVENTS}?day=2026-11-21", "audit.kim")
    assert (True, False) == (f"{EVENTS}/4" in shown, f"{EVENTS}/3" in shown)
    assert 'value="2026-11-21"' in shown


def test_who_proposed_may_take_it_back_and_not_approve_it(browsers: Browsers) -> None:
    """A void shows that nothing is recorded in the place of the event."""
    assert 200 == browsers.send(PROPOSE, "floor.two", **FIELDS).status_code
    own, others = browsers.get(CHANGE, "floor.two"), browsers.get(CHANGE, "audit.ned")
    assert (False, True) == (APPROVE in own, REJECT in own)
    assert APPROVE in others
    assert "Nothing is recorded in its place" in others
    assert APPROVE not in browsers.get(CHANGE, "floor.mia")
    reason = {"property": PROPERTY, "change": "1", "reason": "it was right"}
    assert 200 == browsers.send(REJECT, "floor.two", **reason).status_code
    assert "it was right" in browsers.get(CHANGE, "audit.ned")


def test_a_void_shows_the_event_and_what_it_restates_and_is_confirmed(
    desk: InventoryDesk, browsers: Browsers, outbox: Outbox
) -> None:
    """Which event it is cannot be edited; nothing is proposed before it is confirmed, and the list marks it then."""
    event = browsers.get(f"{EVENTS}/2", "floor.mia")
    assert f'href="{EVENTS}/2/void"' in event
    assert ">in force<" in event
    form = browsers.get(VOID, "floor.mia")
    for shown in ("$9,000.00", "−$9,000.00", "the figures of gaming day 2026-11-20 change", "chips.sold"):
        assert shown in form
    for name in ("property", "table", "sequence", "replaces"):
        assert re.search(rf'<input id="f-{name}" name="{name}" value="[^"]+" readonly>', form)
    assert 'name="instead' not in form
    assert 422 == browsers.send(VOID, "floor.mia", replaces="1").status_code
    asked = {"replaces": "1", "reason": "sold twice", "sequence": "1"}
    headers, csrf = browsers.login("floor.mia")
    headers |= {"content-type": "application/x-www-form-urlencoded"}
    confirming = browsers.client.post(VOID, headers=headers, content=urlencode({"csrf": csrf, **asked})).text
    for shown in ("Nothing is recorded yet", "sold twice", "$9,000.00", "the figures of gaming day 2026-11-20 change"):
        assert shown in confirming
    assert [] == desk.read(f"/pit-changes?property={PROPERTY}")["items"]
    assert 200 == browsers.send(VOID, "floor.mia", **asked).status_code
    pending = browsers.get(f"{EVENTS}/2", "floor.mia")
    assert "Change 1 would void this event" in pending
    assert VOID not in pending
    assert ["change proposed", "in force"] == states(browsers.get(EVENTS, "audit.kim"))
    assert 200 == browsers.send(APPROVE, "audit.ned", property=PROPERTY, change="1").status_code
    for one in send_approved(desk, outbox):
        desk.desk.deliver(one)
    voided = browsers.get(f"{EVENTS}/2", "audit.kim")
    for shown in (">voided<", "sold twice", "floor.mia", "audit.ned", "$9,000.00", CHANGE):
        assert shown in voided
    assert VOID not in browsers.get(f"{EVENTS}/2", "floor.mia")
    assert ["voided", "in force"] == states(browsers.get(f"{EVENTS}?day=2026-11-20", "audit.kim"))


def test_what_the_pit_voids_and_corrects_itself_is_shown_with_its_people(
    desk: InventoryDesk, browsers: Browsers
) -> None:
    """Without a change at the desk; and again once what was voided is corrected."""
    table = Table("BJ-01")
    table.sequence = 2
    sale = table.sold(at(2), 500_00)
    desk.pit(sale, corrected(table, sale, sale | {"data": sale["data"] | {"cents": 600_00}}))
    assert ["corrected", "in force", "in force"] == states(browsers.get(EVENTS, "audit.kim"))
    assert "Why it was corrected" in browsers.get(f"{EVENTS}/3", "audit.kim")
    desk.pit(void := voided(table, sale))
    shown = browsers.get(f"{EVENTS}/3", "audit.kim")
    for one in (">voided<", "$600.00", void["data"]["correction"]["entered_by"]):
        assert one in shown
    desk.pit(voided(table, sale))  # says nothing new, and hides nothing
    assert ["voided", "in force", "in force"] == states(browsers.get(f"{EVENTS}?day=2026-11-20", "audit.kim"))
    desk.pit(corrected(table, sale, sale | {"data": sale["data"] | {"cents": 700_00}}))
    assert ["corrected", "in force", "in force"] == states(browsers.get(EVENTS, "audit.kim"))


def test_changes_are_found_by_gaming_day_and_outcome(desk: InventoryDesk, browsers: Browsers, outbox: Outbox) -> None:
    """One of each outcome; a day without changes has none."""
    table = Table("BJ-01")
    table.sequence = 2
    sales = [table.sold(at(2), 100_00) for _ in range(3)]
    desk.pit(*sales)
    for sequence in (2, 3, 4, 5):
        asked = FIELDS | {"sequence": str(sequence), "key": f"void-{sequence}"}
        assert 200 == browsers.send(PROPOSE, "floor.mia", **asked).status_code
    decide(desk, "approve", 1)
    for one in send_approved(desk, outbox):
        desk.desk.deliver(one)
    decide(desk, "reject", 2, reason="it was right")
    decide(desk, "approve", 3)
    expected = {
        "recorded": {1},
        "rejected": {2},
        "waiting": {3},
        "proposed": {4},
        "superseded": set(),
        "dismissed": set(),
    }
    for outcome, numbers in expected.items():
        assert numbers == changes(browsers.get(f"{CHANGES}?outcome={outcome}&day=2026-11-20", "audit.ned"))
        assert set() == changes(browsers.get(f"{CHANGES}?outcome={outcome}&day=2026-11-21", "audit.ned"))
    assert {1, 2, 3, 4} == changes(browsers.get(f"{CHANGES}?day=2026-11-20", "audit.ned"))
    assert set() == changes(browsers.get(f"{CHANGES}?day=2026-11-21", "audit.ned"))
