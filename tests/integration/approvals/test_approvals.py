"""Every approval by a second person, of every service: of what was shown, whole, and of nothing else.

What takes two people is read off the OpenAPI documents and the manifests: a new approval without a case here fails.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from html import unescape
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import httpx
import pytest

from services.cli.services import NAMES, load
from services.cli.subjects import HASH
from services.console.operations import Operation
from services.console.views import dollars
from shared.runtime.commands.approval_subject import subject_sha256
from shared.runtime.commands.command import Approving
from tests.integration.approvals import inventory, others
from tests.integration.approvals.case import Case, Proposed
from tests.support import Databases
from tests.support.accounts import ROLES, a_house
from tests.support.asgi import assert_problem
from tests.support.browsers import Browsers, hidden
from tests.support.corrections import PEOPLE as CORRECTORS
from tests.support.desk import Desk, desk_of
from tests.support.identities import People
from tests.support.nightly import sampled
from tests.support.openapi import all_operations, approvals_of, document_of
from tests.support.pit import PEOPLE as PIT
from tests.support.pit import inventory_desk
from tests.support.properties import property_event
from tests.support.registry import PEOPLE as REGISTRARS
from tests.support.registry import a_registry
from tests.support.rounds import DAY, LOSING, TABLES, completed, record
from tests.support.rounds import submission as rules_of_rounds
from tests.support.sars import PEOPLE as SAR_PEOPLE
from tests.support.services import settled_database
from tests.unit.progressive_meters.office import PEOPLE as METERS
from tests.unit.progressive_meters.office import an_office
from tests.unit.progressive_meters.settlements import NOON, rules

SERVICES = [name for name in NAMES if load(name).commands.models() or load(name).readers]
MENDERS = {"kim": ["quarantine.mend"], "ann": ["quarantine.approve"]}

ALONE = {
    ("table-inventory", "count-box"): "nobody who counts a box sees what another found in it",
    ("table-inventory", "enter-manual-slip"): "one command has everybody who signed: nothing waits for anybody",
    ("table-inventory", "prepare-check"): "who raised the limit prepares nothing: the check waits for a table",
    ("table-inventory", "return-cage-transfer"): "what goes back to its giver is as it was before: nothing is approved",
    (
        "table-inventory",
        "reject-cage-count",
    ): "nobody counts until it fits: another person has seen it, and approves nothing",
    ("table-inventory", "enter-tip-hours"): "nobody enters hours who is paid by them: they wait for another person",
    ("table-inventory", "amend-rating"): "whoever was overruled has no further word: nothing waits for anybody",
    ("table-inventory", "overrule-rating"): "whoever was overruled has no further word: nothing waits for anybody",
}
"""Commands that take another person and approve nothing that could be shown, and why."""

_OF_QUARANTINE = (others.REQUEST, others.DISMISSAL)

CASES = {
    **{("table-inventory", one.name): one for one in inventory.CASES},
    **{(service, one.name): one for service, cases in others.CASES.items() for one in cases},
    **{(name, one.name): one for one in _OF_QUARANTINE for name in SERVICES if load(name).readers},
}


class Setting(NamedTuple):
    """What a case works with, its service, and who is who there."""

    stage: Any
    desk: Desk
    people: People


class Waiting(NamedTuple):
    """Something that waits, and as it is shown to whoever approves it."""

    proposed: Proposed
    subject: str
    shown: dict[str, Any]


@contextmanager
def _setting(service: str, case: Case, url: str) -> Iterator[Setting]:
    """Give what a case works with on a database of its service."""
    with ExitStack() as held:
        if case in _OF_QUARANTINE:
            door = [role.name for role in load(service).roles[:1]] if load(service).confidential else []
            menders = {person: [*roles, *door] for person, roles in MENDERS.items()}
            desk = held.enter_context(desk_of(load(service), url, people=menders, clock=lambda: NOON))
            topic = desk.manifest.readers[-1].reader.topic.name
            desk.feed(topic, b"\xff\xfe noise")
            yield Setting(desk, desk, menders)
        elif service == "table-inventory":
            stage = held.enter_context(inventory_desk(url))
            yield Setting(stage, stage.desk, PIT)
        elif service == "paytable-registry":
            registry = held.enter_context(a_registry(url, NOON))
            yield Setting(registry, registry.desk, REGISTRARS)
        elif service == "progressive-meters":
            office = held.enter_context(an_office(url))
            office.learn(rules())
            yield Setting(office, office.desk, METERS)
        elif service == "wagering-accounts":
            house = held.enter_context(a_house(url))
            yield Setting(house, house.desk, ROLES)
        elif service == "suspicious-activity":
            desk = held.enter_context(desk_of(load(service), url, people=SAR_PEOPLE, clock=lambda: NOON))
            desk.feed("properties", property_event())
            yield Setting(desk, desk, SAR_PEOPLE)
        else:
            desk = held.enter_context(desk_of(load(service), url, people=CORRECTORS, clock=lambda: DAY))
            desk.feed("properties", property_event())
            desk.feed("submissions", rules_of_rounds())
            desk.feed("table.events", completed(TABLES[0], 1, "a", record(LOSING)))
            yield Setting(desk, desk, CORRECTORS)


@pytest.fixture(params=sorted(CASES), ids="/".join)
def named(request: pytest.FixtureRequest) -> tuple[str, str]:
    """An approval: its service and its command."""
    found: tuple[str, str] = request.param
    return found


@pytest.fixture
def setting(named: tuple[str, str], databases: Databases, patron_keys: None) -> Iterator[Setting]:
    """What its case works with."""
    url = settled_database(databases, named[0])
    with _setting(named[0], CASES[named], url) as found:
        yield found
    databases.drop(url)


def _wait(setting: Setting, named: tuple[str, str], n: int) -> Waiting:
    """Bring something to wait, and read it as its approver does."""
    proposed = CASES[named].propose(setting.stage, n)
    subject = approvals_of(named[0]).subject_of(proposed.path, proposed.body)
    assert subject is not None, f"{proposed.path} approves something that can be read"
    answer = setting.desk.get(subject, person=proposed.approver)
    assert 200 == answer.status_code, f"{proposed.approver} approves, and may look: {answer.text}"
    return Waiting(proposed, subject, answer.json())


_keys = count(1)


def _approve(setting: Setting, waiting: Waiting, shown: Mapping[str, Any]) -> httpx.Response:
    """Approve something, of which this was shown."""
    proposed = waiting.proposed
    headers = {"Authorization": f"Bearer token of {proposed.approver}", "Idempotency-Key": f"approval-{next(_keys)}"}
    return setting.desk.client.post(proposed.path, json={**proposed.body, **shown}, headers=headers)


def test_every_command_that_takes_another_person_is_of_what_was_shown() -> None:
    """Read off the documents; the commands of the manifests are those of the cases, and no others."""
    taking = {
        (service, one.name)
        for service in SERVICES
        for (named, _), one in all_operations().items()
        if named == service and "same-person" in json.dumps(_described(one)["responses"])
    }
    models = {(service, model.name()): model for service in SERVICES for model in load(service).all_commands.models()}
    approving = {key for key, model in models.items() if issubclass(model, Approving)}
    assert taking - ALONE.keys() <= approving
    assert approving == CASES.keys()
    assert {key for key in all_operations() if key[1].startswith(("approve-", "audit-", "seal-"))} <= approving
    assert not ALONE.keys() & approving


def test_what_is_approved_is_read_by_its_whole_key_by_whoever_approves() -> None:
    """The route of each subject is there, takes the names of the command and nothing else, and has its hash."""
    for service, name in sorted(CASES):
        operation = all_operations()[service, name]
        assert operation.subject is not None
        assert operation.names_of_subject <= {one.name for one in operation.fields}
        found = _route(service, operation.subject)
        roles = {role for one in found["security"] for each in one.values() for role in each}
        assert operation.roles <= roles, f"{service} {name}: who approves may not look"
        schema = found["responses"]["200"]["content"]["application/json"]["schema"]
        model = document_of(service)["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        assert "sha256" in model["properties"]


@sampled(2)
def test_an_approval_is_of_what_was_shown(named: tuple[str, str], setting: Setting) -> None:
    """Without its hash it is malformed, with that of what was there before it is refused; its fact says what it was."""
    before = _wait(setting, named, 1)
    waiting = _wait(setting, named, 2)
    assert waiting.shown["sha256"] == subject_sha256(waiting.shown)
    assert before.shown["sha256"] != waiting.shown["sha256"]
    malformed = _approve(setting, waiting, {})
    assert (422, ["body.subject_sha256"]) == (malformed.status_code, [one["at"] for one in malformed.json()["errors"]])
    refused = _approve(setting, waiting, {HASH: before.shown["sha256"]})
    assert_problem(refused, 409, "look at it again")
    assert "urn:pitledger:problem:not-as-shown" == refused.json()["type"]
    assert waiting.shown == setting.desk.get(waiting.subject, person=waiting.proposed.approver).json()
    approved = _approve(setting, waiting, {HASH: waiting.shown["sha256"]})
    assert approved.is_success, approved.text
    recorded = [getattr(fact, HASH, None) for fact in setting.desk.facts()]
    assert waiting.shown["sha256"] in recorded


@sampled(2)
def test_the_form_shows_all_of_what_is_approved(named: tuple[str, str], setting: Setting) -> None:
    """Every member, amounts in dollars; what is not there has no button, and the form approves what it has shown."""
    service, name = named
    _wait(setting, named, 1)
    waiting = _wait(setting, named, 2)
    operation = all_operations()[service, name]
    fields = {**_in_path(operation, waiting.proposed.path), **waiting.proposed.body}
    given = {name: str(fields[name]) for name in operation.names_of_subject}
    with (browsers := Browsers(setting.desk, people=setting.people, clock=setting.desk.context.clock)).client:
        person = waiting.proposed.approver
        page = browsers.get(f"{operation.address}?{urlencode(given)}", person)
        text = unescape(page)
        missing = [shown for shown in _leaves(waiting.shown) if not _is_shown(shown, text)]
        assert not missing, missing
        assert waiting.shown["sha256"] == hidden(page)[HASH]
        assert 'method="post" action="' + operation.address in page
        for other in ({}, {name: _other(value) for name, value in given.items()}):
            nothing = browsers.get(f"{operation.address}?{urlencode(other)}", person)
            assert 'method="post" action="' + operation.address not in nothing


def _described(operation: Operation) -> Mapping[str, Any]:
    found: Mapping[str, Any] = document_of(operation.service)["paths"][operation.path]["post"]
    return found


def _route(service: str, path: str) -> Mapping[str, Any]:
    """Return what the document of a service says of the GET route of a path."""
    filled = re.sub(r"{\w+}", "x", path)
    for template, methods in document_of(service)["paths"].items():
        if "get" in methods and re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), filled):
            found: Mapping[str, Any] = methods["get"]
            return found
    raise AssertionError(f"{service} has no GET {path}")


def _in_path(operation: Operation, path: str) -> dict[str, str]:
    """Return the fields of a command that its path names."""
    pattern = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", operation.path)
    found = re.fullmatch(pattern, path)
    assert found is not None, f"{path} is not {operation.path}"
    return found.groupdict()


def _other(value: str) -> str:
    """Return another name or number, of which there is nothing."""
    return "9999" if value.isdigit() else f"{value}x"


_CLOCK = ZoneInfo("America/New_York")


def _is_shown(value: str, text: str) -> bool:
    """Return whether a page has a value as it is, a name of ours as words, or a moment on the property's clock."""
    said = [value, value.replace("_", " ")]
    if re.fullmatch(r"\d{4}-\d\d-\d\dT\S+(Z|[+-]\d\d:\d\d)", value):
        moment = datetime.fromisoformat(value)
        said += [f"{moment.astimezone(_CLOCK):%Y-%m-%d %H:%M:%S}", f"{moment:%Y-%m-%d %H:%M:%S} UTC"]
    return any(one.casefold() in text.casefold() for one in said)


def _leaves(document: Any, name: str = "") -> Iterator[str]:
    """Return how a page writes each value of a document; what `by_instrument` has are amounts."""
    match document:
        case dict():
            for member, value in document.items():
                yield from _leaves(value, "cents" if name == "by_instrument" else member)
        case list():
            for value in document:
                yield from _leaves(value, name)
        case bool():
            yield "Yes" if document else "No"
        case int() | str() if name == "cents" or name.endswith("_cents"):
            yield dollars(document)
        case str() if name == "at" or name.endswith("_at"):
            yield datetime.fromisoformat(document).isoformat()
        case _:
            yield str(document)
