"""A running stack, shared by the tests of a module, and the command line on it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.cli.operations.keys import PATRON_KEYS
from services.cli.services import NAMES
from services.cli.stack.running_stack import RunningStack
from shared.runtime.sealing import new_wrapping_key
from tests.faults.subject import Subject
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


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The URL of an S3-compatible server on this machine."""
    from moto.server import ThreadedMotoServer  # it takes seconds, and few tests need it

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=NAMES)
def subject(request: pytest.FixtureRequest) -> Subject:
    """A service with a story."""
    from tests.faults.subjects import SUBJECTS  # it takes seconds, and few tests need it

    [found] = [one for one in SUBJECTS if one.name == request.param]
    return found


@pytest.fixture
def patron_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wagering accounts have the keys of patrons, as each service in production that needs them."""
    keys = tmp_path / PATRON_KEYS
    keys.write_text(new_wrapping_key("k1"))
    monkeypatch.setenv("PITLEDGER_PATRON_KEYS_FILE", str(keys))


@pytest.fixture
def pitledger(stack: RunningStack, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger` on the stack."""
    for name, value in stack.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "100")
    return Caller(capsys, monkeypatch)
