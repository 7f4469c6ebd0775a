"""Whatever is typed as an amount or a moment is shown as it was read before it counts: the form of every command."""

import json
from html import escape
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings

from services.console.confirming import Line, lines
from services.console.forms import filled
from services.console.money import dollars
from services.console.operations import Field, Operation, all_operations
from services.console.pages.commands import OWN
from services.console.views import moment
from tests.support.console import CONFIRM, Browser, Form, Stage
from tests.support.typed_forms import typed_into

UTC = ZoneInfo("UTC")


def weighs(one: Field) -> bool:
    """Whether a field is an amount or a moment, or has one in it."""
    within = one.fields if one.item is None else (*one.fields, one.item)
    return one.kind in ("cents", "moment") or any(map(weighs, within))


WEIGHED = [one for one in all_operations().known.values() if any(map(weighs, one.fields))]


@pytest.fixture
def browser(stage: Stage) -> Browser:
    """A browser with which somebody has logged in."""
    return stage.browser("pit.pat")


def as_shown(line: Line) -> str:
    """An amount or a moment as a page has it, without the zone's own spelling."""
    return escape(dollars(line.value)) if line.kind == "cents" else str(moment(line.value, "UTC")).split(">")[0]


@pytest.mark.parametrize("operation", WEIGHED, ids=lambda one: f"{one.service}-{one.name}")
def test_what_was_read_is_shown_first(stage: Stage, browser: Browser, operation: Operation) -> None:
    """Nothing is sent by the first step; the second sends what was shown, under the key of the first."""
    csrf = browser.csrf()

    @settings(max_examples=4, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(typed=typed_into(operation))
    def check(typed: tuple[object, object, dict[str, str]]) -> None:
        form = typed[2] | {"csrf": csrf, "key": "console.once"}
        read = filled(operation, form, UTC)
        shown = [one for one in lines(operation, read) if one.is_weighed]
        if not shown:
            return
        stage.services.asked.clear()
        page = browser.post(operation.address, form)
        assert (200, True) == (page.status_code, CONFIRM in page.text)
        assert {"GET"} >= {one.method for one in stage.services.asked}
        for line in shown:
            assert as_shown(line) in page.text
            assert escape(line.label) in page.text
        confirmed = Form(page.text).sent
        browser.post(operation.address, confirmed)
        browser.post(operation.address, confirmed)
        sent = [one for one in stage.services.asked if one.method == "POST"]
        assert ["console.once"] * 2 == [one.headers["idempotency-key"] for one in sent]
        assert all((json.loads(one.content) if one.content else {}) == read.body for one in sent)

    check()


def test_no_field_of_a_command_is_taken_for_one_of_the_form() -> None:
    """What the form adds has names of its own."""
    assert {} == {
        one.address: names
        for one in all_operations().known.values()
        if (names := {*OWN} & {each.name for each in one.fields})
    }


SLIPS = "/do/table-inventory/request-slip"
SLIP = {"property": "riverside", "table": "BJ-01", "kind": "fill", "gaming_day": "2026-11-22", "shift": "day"}
CHIPS = {"contents.0.kind": "chip", "contents.0.cents": "1,500.00", "contents.0.count": "2"}


@pytest.mark.parametrize(("name", "text"), [("contents.0.cents", "1500.01"), ("table", "BJ-02"), ("shift", "swing")])
def test_what_was_not_shown_does_not_count(stage: Stage, browser: Browser, name: str, text: str) -> None:
    """Whatever is changed after the look is shown again; so is what carries another hash, or none."""
    first = Form(browser.get(SLIPS).text).sent | SLIP | CHIPS
    looked = Form(browser.post(SLIPS, first).text).sent
    again = browser.post(SLIPS, looked | {name: text})
    assert CONFIRM in again.text
    assert looked["_confirmed"] != Form(again.text).sent["_confirmed"]
    assert CONFIRM in browser.post(SLIPS, looked | {"_confirmed": ""}).text
    assert "POST" not in {one.method for one in stage.services.asked}


def test_whoever_sees_a_mistake_changes_it(stage: Stage, browser: Browser) -> None:
    """The form is there with what was typed, under the same key; nothing was sent."""
    first = Form(browser.get(SLIPS).text).sent | SLIP | CHIPS
    shown = browser.post(SLIPS, first).text
    assert "$1,500.00" in shown
    form = browser.post(SLIPS, Form(shown).sent | {"_change": "yes"})
    assert CONFIRM not in form.text
    sent = Form(form.text).sent
    assert (first["key"], "1,500.00", "BJ-01") == (sent["key"], sent["contents.0.cents"], sent["table"])
    assert "POST" not in {one.method for one in stage.services.asked}


def test_what_has_neither_is_sent_at_once(stage: Stage, browser: Browser) -> None:
    """A command without an amount and a moment takes one step."""
    close = "/do/table-inventory/close-day"
    form = {"csrf": browser.csrf(), "property": "riverside", "gaming_day": "2026-11-22"}
    assert CONFIRM not in browser.post(close, form).text
    assert "POST" in {one.method for one in stage.services.asked}
