"""The form of every command: what is typed into it becomes a document that the service's own schema takes."""

import re
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.cli.services import NAMES
from services.console.forms import cents_of, filled, places
from services.console.money import dollars
from services.console.operations import Field, Operation
from tests.support.json_schema import validator
from tests.support.nightly import sampled
from tests.support.openapi import all_operations, document_of
from tests.support.typed_forms import ZONE, typed_into

DOCUMENTS = {name: document_of(name) for name in NAMES}
COMMANDS = [(service, name) for service, name in all_operations()]


def takes(operation: Operation, body: Any) -> list[str]:
    """Return what the service's own schema finds wrong with a document."""
    document = DOCUMENTS[operation.service]
    schema = document["paths"][operation.path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    errors = validator({**schema, "components": document["components"]}).iter_errors(body)
    return [f"{error.json_path}: {error.message}" for error in errors]


def test_the_form_of_a_cage_movement_is_in_the_order_in_which_a_cashier_works() -> None:
    """What, how much and in what; who, at which window; then what few kinds need; at last, that it is late."""
    names = [one.name for one in command("table-inventory", "move-at-cage").asked]
    assert ["property", "kind", "cents", "medium", "patron", "on_behalf_of", "window"] == names[:7]
    assert ["purpose", "foreign_country", "table", "instrument", "occurred_at", "late_reason"] == names[7:]


def test_every_command_has_a_form() -> None:
    """Each POST of each document is a command with roles, under its own address."""
    described = [
        (service, path)
        for service, document in DOCUMENTS.items()
        for path, each in document["paths"].items()
        if "post" in each
    ]
    assert sorted(described) == sorted((one.service, one.path) for one in all_operations().values())
    assert len(described) == len({one.address for one in all_operations().values()})
    questions = {one.name for one in all_operations().values() if not one.roles}
    assert set() == questions


@sampled(40)
@pytest.mark.parametrize(("service", "name"), COMMANDS)
@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_typed_is_what_the_service_takes(service: str, name: str, data: st.DataObject) -> None:
    """Filled in as a browser sends it, empty rows and all: the document that was meant, and the schema takes it."""
    operation = all_operations()[service, name]
    at_path, parts, sent = data.draw(typed_into(operation))
    found = filled(operation, sent, ZONE)
    expected = {key: part.value for key, part in parts.items() if part.value is not None}
    empty: dict[str, Any] = {
        one.name: [] for one in operation.of_body if one.kind == "list" and one.required and not one.items_min
    }
    assert ({}, at_path, empty | expected) == (found.mistakes, found.path, found.body)
    if operation.of_body:
        assert [] == takes(operation, found.body)


def command(service: str, name: str) -> Operation:
    """Return a command."""
    return all_operations()[service, name]


@pytest.mark.parametrize(
    ("name", "text", "mistake"),
    [
        ("cents", "12.345", "an amount in dollars"),
        ("cents", "1e3", "an amount in dollars"),
        ("request", "one", "a whole number"),
        ("request", "", "needed"),
        ("reason", " ", "needed"),
        ("mended", "{", "not JSON"),
        ("mended", "NaN", "not JSON"),
        ("mended", '{"data": {"cents": 1, "cents": 2}}', "member 'cents' is there twice in one object"),
        ("mended", '"\\ud800"', "not JSON"),
        ("mended", "[" * 100_000, "not JSON"),
        ("at", "yesterday", "a date and a time"),
    ],
)
def test_a_mistake_is_said_at_its_field(name: str, text: str, mistake: str) -> None:
    """What cannot be read is not sent, and the field is named."""
    kinds = {"cents": "cents", "request": "whole", "reason": "long", "mended": "document", "at": "moment"}
    one = Field(name=name, kind=kinds[name])  # type: ignore[arg-type]
    operation = Operation(
        service="x", name="x", title="x", description="", path="/x", roles=frozenset(), of_path=(), of_body=(one,)
    )
    found = filled(operation, {name: text}, ZONE)
    assert [name] == list(found.mistakes)
    assert found.mistakes[name].startswith(mistake)


def test_mistakes_in_rows_stand_where_they_were_typed() -> None:
    """Rows that were left out do not move what a service says of those after them."""
    slip = command("table-inventory", "request-slip")
    sent = {"contents.0.kind": "chip", "contents.3.kind": "chip", "contents.3.cents": "5.00"}
    found = filled(slip, sent, ZONE)
    assert {"contents.3"} == set(found.moved.values())
    [missing] = [at for at in found.mistakes if at.startswith("contents.")]
    assert missing.startswith("contents.3.")
    problem = {"errors": [{"at": "body.contents.0.count", "what": "too many"}, {"at": "body.table", "what": "none"}]}
    assert {"contents.3.count": "too many", "table": "none"} == places(problem, found.moved)
    of_record = {"problems": [{"pointer": "/contents/0/cents", "detail": "more than 0"}]}
    assert {"contents.3.cents": "more than 0"} == places(of_record, found.moved)


def test_a_row_far_away_is_one_row() -> None:
    """The number of a row costs nothing, however large somebody makes it."""
    slip = command("table-inventory", "request-slip")
    for number in ("99999", "9" * 5_000, "-1", "x"):
        found = filled(slip, {f"contents.{number}.kind": "coin"}, ZONE)
        assert len(found.moved) <= 1


def test_a_part_of_a_path_stays_one() -> None:
    """No value of a form leads to another path of the service."""
    close = command("table-inventory", "close-day")
    values = {"property": "..", "gaming_day": "a/../b?x#y"}
    assert "/gaming-days/%2E%2E/a%2F..%2Fb%3Fx%23y/preliminary" == close.path_with(values)


def typed(kind: str, text: str) -> tuple[Any, str | None]:
    """Return what a field of a kind reads, and what it says is wrong."""
    one = Field(name="it", kind=kind)  # type: ignore[arg-type]
    operation = Operation(
        service="s", name="n", title="", description="", path="/", roles=frozenset(), of_path=(), of_body=(one,)
    )
    read = filled(operation, {"it": text}, ZONE)
    return read.body.get("it"), read.mistakes.get("it")


@pytest.mark.parametrize(
    "text",
    [
        *("1,50", "1,5", "1,2345", "12,34.00", "1,,000", ",100", "100,", "1.000,00", "1.", "1.234", ".50", "1 000"),
        *("1,000,00", "0,123", "0001,000", "$", "-", "--5", "5-", "\u0661\u0662", "1,000.5.0", "1_000", "\uff11"),
        *("1e3", "9" * 41, "$-5", "010", "-01", "00", "010.50"),
    ],
)
def test_an_amount_that_can_be_read_in_two_ways_is_refused(text: str) -> None:
    """Nobody guesses what a comma in the wrong place stood for; what may be typed is said."""
    value, wrong = typed("cents", text)
    assert value is None
    assert wrong is not None
    assert "1,250.00" in wrong


@given(st.text("0123456789,.$-+−_ \u0661", max_size=12))
def test_an_amount_has_one_reading(text: str) -> None:
    """What is taken is the one number that its digits spell, written with right groups or none."""
    value, wrong = typed("cents", text)
    assert (value is None) != (wrong is None)
    if value is not None:
        plain = f"{abs(value) / 100:.2f}", f"{abs(value) / 100:,.2f}"
        whole, _, cents = text.strip().lstrip("-−+").removeprefix("$").partition(".")
        assert f"{whole}.{cents.ljust(2, '0')}" in plain
        assert value <= 0 or not text.strip().startswith(("-", "−"))


@given(st.integers(-(10**14), 10**14))
def test_an_amount_as_pages_write_it_is_read_back(cents: int) -> None:
    """With groups, a sign of either kind, and the currency."""
    assert cents_of(dollars(cents)) == cents == cents_of(dollars(cents).replace(",", "").replace("$", ""))


@pytest.mark.parametrize(
    "text", ["1,2", "1,2345", "1_000", "1.0", "\u0663", "9" * 5000, "1,,000", "0x1", "010", "-01", "00"]
)
def test_a_whole_number_that_can_be_read_in_two_ways_is_refused(text: str) -> None:
    """As an amount is."""
    value, wrong = typed("whole", text)
    assert (value, wrong) == (None, "a whole number, such as 1250 or 1,250")


def test_an_hour_that_the_clock_shows_twice_takes_a_choice() -> None:
    """On the night on which the clock goes back, both readings are offered, and each is taken as it stands there."""
    value, wrong = typed("moment", "2026-11-01T01:30")
    assert value is None
    assert wrong is not None
    offered = re.findall(r"2026-11-01T01:30:00-0[45]:00", wrong)
    assert offered == ["2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00"]
    assert [typed("moment", one) for one in offered] == [(one, None) for one in offered]


def test_an_hour_that_the_clock_never_shows_is_refused() -> None:
    """On the night on which the clock goes forward."""
    value, wrong = typed("moment", "2026-03-08T02:30")
    assert (value, "never shows" in str(wrong)) == (None, True)


@pytest.mark.parametrize(
    "text", ["2026-11-22", "20261122T203000", "2026-W47-7T20:30", "2026-11-22T20", "22.11.2026 8:30"]
)
def test_a_moment_has_one_form(text: str) -> None:
    """A day and a time of day, in figures: a day alone is no moment."""
    value, wrong = typed("moment", text)
    assert (value, "2026-11-22T20:30" in str(wrong)) == (None, True)


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)))  # noqa: DTZ001
def test_a_moment_that_is_taken_is_what_the_clock_showed_once(at: datetime) -> None:
    """Read on the clock of the zone, it shows what was typed; no other moment shows it."""
    value, wrong = typed("moment", at.isoformat())
    if value is not None:
        read = datetime.fromisoformat(value)
        assert read.astimezone(ZONE).replace(tzinfo=None) == at
        assert read.utcoffset() == at.replace(tzinfo=ZONE, fold=1).utcoffset()
    else:
        assert wrong is not None
