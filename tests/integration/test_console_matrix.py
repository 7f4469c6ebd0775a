"""The console and its gateway, used by somebody who works for another property: nothing is shown, nothing happens.

Forms come from the console's own commands, what is behind the gateway from the documents of the
services: a new one is tried as soon as it is there. All services stand behind the console, each after its story, and
what they answer to it is looked at.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from services.console.operations import Operation
from tests.support import Databases
from tests.support.house import ELSEWHERE, HERE, House, a_house
from tests.support.nightly import SomeOf, sampled
from tests.support.openapi import all_operations
from tests.support.told import crews
from tests.support.typed_forms import typed_into

pytestmark = sampled(1, of="a house and its neighbor")

TRIES = 12
"""How often a form is filled in at most, until it is refused for the property."""


@pytest.fixture
def house(databases: Databases, patron_keys: None) -> Iterator[House]:
    """All services after their stories, and people who work elsewhere."""
    del patron_keys
    with a_house(databases) as found:
        yield found


def test_no_form_does_anything_to_another_property(house: House, some_of: SomeOf) -> None:
    """Whichever command it is: nothing of what it is about is shown, and nothing is recorded but refusals."""
    before, unrefused = house.entries(), []
    for operation in some_of(list(all_operations().values()), 10):
        [crew, *_] = [name for name, roles in crews().items() if operation.roles & set(roles)]
        if not sent(house, operation, crew) and "property" in {one.name for one in operation.fields}:
            unrefused.append(operation.address)
    assert [] == unrefused, "refused for other reasons alone"
    assert before == house.entries()


def sent(house: House, operation: Operation, crew: str) -> int:
    """Fill in and send a form until it is refused for the property; how often it was."""
    refused: list[int] = []

    @seed(1)
    @settings(
        max_examples=TRIES,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(typed=typed_into(operation))
    def send(typed: tuple[Any, Any, dict[str, str]]) -> None:
        if any(refused):
            return
        about = {one.name: house.known.one(one.name, one.kind) for one in operation.of_path if one.kind != "whole"}
        since = len(house.browsers.answered)
        answer = house.browsers.send(operation.address, crew, **typed[2] | about | {"property": HERE})
        assert answer.status_code in (200, 403, 404, 422), f"{operation.address}: {answer.status_code} {answer.text}"
        assert [] == house.leaks(since), operation.address
        refused.append(house.refusals(since))

    send()
    return sum(refused)


def test_the_gateway_leads_to_nothing_of_another_property(house: House, some_of: SomeOf) -> None:
    """Each operation of each service behind it, for systems with a token and for pages with a session."""
    before = house.entries()
    for service, desk in house.desks.items():
        since = len(house.browsers.answered)
        document = desk.client.get("/openapi.json").json()
        read: Any = schemathesis.openapi.from_dict(document)
        every = [one.ok() for one in read.get_all_operations()]
        commands = [one for one in every if one.method == "post"]
        reads = [one for one in every if one.method != "post"]
        for operation in (*some_of(commands, 4), *some_of(reads, 4)):
            roles = {role for one in operation.definition.raw.get("security", ()) for role in one["bearer"]}
            for crew in [name for name, its in crews().items() if roles & set(its)][:1]:
                call(house, service, operation, crew)
        assert [] == house.leaks(since), service
        assert house.refusals(since)
    assert before == house.entries()


def call(house: House, service: str, operation: Any, crew: str) -> None:
    """Ask one operation through the gateway about what the stories know, by both ways in."""

    @seed(1)
    @settings(
        max_examples=1, deadline=None, database=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
    )
    @given(case=operation.as_strategy(GenerationMode.POSITIVE), choice=st.randoms(use_true_random=False))
    def ask(case: Any, choice: Any) -> None:
        for part in (case.path_parameters, case.query, case.body):
            house.known.put_into(part, choice)
        said = case.as_transport_kwargs(base_url="http://test")
        path = f"/api/{service}" + said["url"].removeprefix("http://test")
        content = {name: said[name] for name in ("json",) if said.get(name) is not None}
        unsigned = {name: text for name, text in said["headers"].items() if name.lower() != "authorization"}
        session, csrf = house.browsers.login(crew)
        for headers in ({"authorization": f"Bearer token of {crew}"}, {**session, "x-csrf-token": csrf}):
            for params in ({}, {"property": ELSEWHERE}):
                house.browsers.client.request(
                    *(said["method"], path),
                    params={**(said.get("params") or {}), **params},
                    headers={**unsigned, **headers},
                    **content,
                )

    ask()
