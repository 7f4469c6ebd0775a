"""Amounts, moments and documents are shown as they were read before they count: the form of every command."""

import json
import re
from collections.abc import Iterator
from html import escape
from importlib import resources
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings

from services.console.confirming import AMOUNTS, Line, lines, needs_a_look
from services.console.forms import filled
from services.console.money import dollars
from services.console.operations import Field, Operation
from services.console.pages.commands import OWN
from services.console.views import moment
from shared.rules.record import MOST_CENTS
from tests.support.console import CONFIRM, Browser, Form, Stage
from tests.support.nightly import sampled
from tests.support.openapi import all_operations
from tests.support.typed_forms import typed_into

UTC = ZoneInfo("UTC")


def weighs(one: Field) -> bool:
    """Whether a field is an amount, a moment or a document, or has one in it."""
    within = one.fields if one.item is None else (*one.fields, one.item)
    return one.kind in ("cents", "moment", "document") or any(map(weighs, within))


WEIGHED = [one for one in all_operations().values() if any(map(weighs, one.fields))]


@pytest.fixture
def browser(stage: Stage) -> Browser:
    """A browser with which somebody has logged in."""
    return stage.browser("pit.pat")


def as_shown(line: Line) -> str:
    """An amount or a moment as a page has it, without the zone's own spelling."""
    return escape(dollars(line.value)) if line.kind == "cents" else str(moment(line.value, "UTC")).split(">")[0]


@sampled(3)
@pytest.mark.parametrize("operation", WEIGHED, ids=lambda one: f"{one.service}-{one.name}")
def test_what_was_read_is_shown_first(stage: Stage, browser: Browser, operation: Operation) -> None:
    """Nothing is sent by the first step; the second sends what was shown, under the key of the first."""
    csrf = browser.csrf()

    @settings(max_examples=4, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(typed=typed_into(operation))
    def check(typed: tuple[object, object, dict[str, str]]) -> None:
        form = typed[2] | {"csrf": csrf, "key": "console.once"}
        read = filled(operation, form, UTC)
        every = lines(operation, read)
        shown = [one for one in every if one.is_weighed]
        if not needs_a_look(every):
            assert not shown
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


@sampled(2)
@pytest.mark.parametrize("service", [one.service for one in WEIGHED if one.name == "ask-replay"])
def test_a_mended_record_is_shown_with_its_amounts_and_moments(stage: Stage, browser: Browser, service: str) -> None:
    """Whoever types 1000 for 10000 sees dollars before anybody is asked to approve it, and sees the whole record."""
    page_of = f"/do/{service}/ask-replay"
    data = {
        "closed_at": "2026-11-20T10:01:00Z",
        "round": {"seats": [{"wagers": {"blackjack": 1000}}]},
        "tip_cents": 250,
    }
    mended = json.dumps({"source": "/properties/riverside/tables/BJ-01", "sequence": 1000, "data": data})
    form = {"csrf": browser.csrf(), "key": "once", "quarantine": "7", "reason": "misread", "mended": mended}
    first = browser.post(page_of, form).text
    assert CONFIRM in first
    for said in (
        "Seats 1: Wagers: Blackjack</dt><dd>$10.00<",
        "Tip</dt><dd>$2.50<",
        "Friday, November 20, 2026, 10:01:00",
    ):
        assert said in first, said
    assert "&#34;sequence&#34;: 1000" in first
    assert "POST" not in {one.method for one in stage.services.asked}
    browser.post(page_of, Form(first).sent)
    [sent] = [one for one in stage.services.asked if one.method == "POST"]
    assert json.loads(mended) == json.loads(sent.content)["mended"]


@pytest.mark.parametrize(
    "odd",
    [
        '{"at": "0001-01-01T00:00:00Z", "then": "9999-12-31T23:59:59-23:00", "wagers": {"cents": true}}',
        '{"at": "2026-02-30T00:00:00Z", "cents": "ten", "wagers": {"ante": 1e999}, "tip_cents": null}',
        "[" * 90 + "]" * 90,
        "7",
    ],
)
def test_a_document_that_says_nothing_of_the_kind_is_shown_as_it_is(browser: Browser, odd: str) -> None:
    """What only looks like an amount or a moment is not made one, and no document ends in an error."""
    form = {"csrf": browser.csrf(), "quarantine": "7", "reason": "misread", "mended": odd}
    answer = browser.post("/do/round-settlement/ask-replay", form)
    assert ("1e999" in odd, CONFIRM in answer.text) in ((False, True), (True, False))
    assert 'class="weighed"' not in answer.text
    assert answer.status_code in (200, 422)


def test_every_amount_of_a_record_is_known_by_its_name() -> None:
    """The members of all schemas that are whole cents are those that are shown in dollars."""
    named: set[str] = set()
    for file in resources.files("schemas").joinpath("json").iterdir():
        named |= set(members_of_cents(json.loads(file.read_text())))
    assert AMOUNTS == {one for one in named if not re.search(r"(cents(_max)?|(^|_)dollars)$", one)}


def members_of_cents(schema: Any) -> Iterator[str]:
    """The members of a schema that are amounts, or that have amounts by name."""
    if isinstance(schema, list):
        for one in schema:
            yield from members_of_cents(one)
    elif isinstance(schema, dict):
        yield from (name for name, one in (schema.get("properties") or {}).items() if is_cents(one))
        for one in schema.values():
            yield from members_of_cents(one)


def is_cents(schema: Any) -> bool:
    """Whether a schema is of whole cents, of a mapping to them, or of either or nothing."""
    if not isinstance(schema, dict):
        return False
    within = [
        *schema.get("anyOf", ()),
        schema.get("additionalProperties"),
        *schema.get("patternProperties", {}).values(),
    ]
    return (schema.get("type"), schema.get("maximum")) == ("integer", MOST_CENTS) or any(map(is_cents, within))


def test_no_field_of_a_command_is_taken_for_one_of_the_form() -> None:
    """What the form adds has names of its own."""
    assert {} == {
        one.address: names
        for one in all_operations().values()
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


def test_what_is_not_seen_is_shown_and_sent_as_it_was_typed(browser: Browser) -> None:
    """The page writes out a character without width; what counts, and what is changed, is the text as it was typed."""
    shown = browser.post(SLIPS, Form(browser.get(SLIPS).text).sent | SLIP | CHIPS | {"shift": "day\u200b"}).text
    assert CONFIRM in shown
    assert ("day[U+200B]" in shown, "day\u200b") == (True, Form(shown).sent["shift"])
    form = browser.post(SLIPS, Form(shown).sent | {"_change": "yes"})
    assert "day\u200b" == Form(form.text).sent["shift"]


def test_what_has_neither_is_sent_at_once(stage: Stage, browser: Browser) -> None:
    """A command without an amount and a moment takes one step."""
    close = "/do/table-inventory/close-day"
    form = {"csrf": browser.csrf(), "property": "riverside", "gaming_day": "2026-11-22"}
    assert CONFIRM not in browser.post(close, form).text
    assert "POST" in {one.method for one in stage.services.asked}
