"""Every operation of every service, called with whatever its own description allows, and with what it does not.

The OpenAPI document of a service says what may be sent and what is answered. Schemathesis makes requests of it; each is
sent by somebody who has the role, and the answer has to be one that the document describes: no 5xx, no undocumented
status, content type or member. `make fuzz-apis` tries more of them.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from services.cli.services import load_all
from shared.runtime.service.manifest import Manifest
from shared.runtime.web import ROLES
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.properties import property_event
from tests.support.rounds import PROPERTY
from tests.support.services import settled_database

EXAMPLES = int(os.environ.get("API_EXAMPLES", "3"))
"""How many requests are made of each operation."""
SEED = int(os.environ.get("API_SEED", "1"))
CHECKED: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SERVICES = [pytest.param(manifest, id=manifest.name) for manifest in load_all()]


@pytest.fixture
def desk(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Desk]:
    """A service that knows a property, and for each role somebody who has no other."""
    manifest: Manifest = request.param
    url = settled_database(databases, manifest.name)
    people = {role: [role] for role in ROLES}
    with desk_of(manifest, url, people=people, clock=lambda: NOW, outbox=Outbox()) as found:
        if any(handler.reader.topic.name == "properties" for handler in manifest.readers):
            found.feed("properties", property_event())
        yield found
    databases.drop(url)


@pytest.mark.parametrize("desk", SERVICES, indirect=True)
def test_every_answer_is_one_that_is_described(desk: Desk) -> None:
    """Whatever is sent, to whatever operation."""
    schema = schemathesis.openapi.from_dict(desk.client.get("/openapi.json").json())
    operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert len(operations) == sum(1 for _ in schema.get_all_operations()) > 5
    for operation in operations:
        _call(desk, operation)


def _call(desk: Desk, operation: Any) -> None:
    """Call an operation EXAMPLES times, and look at each answer."""
    roles = [role for one in operation.definition.raw.get("security", ()) for role in one.get("bearer", ())]
    token = {"Authorization": f"Bearer token of {roles[0]}"} if roles else {}

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), known=st.booleans())
    def call(case: Any, known: bool) -> None:
        if known:
            _of_property(case)
        said = case.as_transport_kwargs(base_url="http://test")
        body = {name: said[name] for name in ("params", "json", "data") if said.get(name) is not None}
        answer = desk.client.request(said["method"], said["url"], headers={**said["headers"], **token}, **body)
        case.validate_response(answer, checks=CHECKED)

    call()


def _of_property(case: Any) -> None:
    """Ask about the property that the service knows."""
    for where in (case.path_parameters, case.query, case.body):
        if isinstance(where, dict) and "property" in where:
            where["property"] = PROPERTY
