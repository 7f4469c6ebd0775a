"""A running stack, shared by the tests of a module, and the command line on it."""

import os
from collections.abc import Iterator

import pytest

from services.cli.services import NAMES
from services.cli.stack import RunningStack
from tests.support.brokers import AnyBroker
from tests.support.stack import running_stack
from tests.unit.cli.calling import Caller


@pytest.fixture(scope="module")
def stack(request: pytest.FixtureRequest, module_database_url: str, module_broker: AnyBroker) -> Iterator[RunningStack]:
    """The `SERVICES` of the module, or all, after a short day: five rounds, one of them corrected."""
    servers = {"DATABASE_URL": module_database_url, "KAFKA_BOOTSTRAP_SERVERS": module_broker.bootstrap_servers}
    services = getattr(request.module, "SERVICES", NAMES)
    with running_stack({**os.environ, **servers}, services) as running:
        yield running


@pytest.fixture
def pitledger(stack: RunningStack, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger` on the stack."""
    for name, value in stack.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "100")
    return Caller(capsys, monkeypatch)
