"""Real rounds of a casino, archived or about to be, shared by the tests of the archive."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.cli.main import main
from shared.local import Broker
from tests.integration.archive.told import RUN
from tests.support import Databases
from tests.support.archived import Casino, casino
from tests.unit.cli.calling import Caller


@pytest.fixture(scope="package")
def first(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Casino]:
    """A casino after two gaming days, of which the first is sealed."""
    with Broker() as broker:
        made = casino(databases, broker, tmp_path_factory.mktemp("casino"))
    yield made
    databases.drop(made.url)


def copy_of(made: Casino, databases: Databases, home: Path) -> Casino:
    """The casino on a database and checkpoints of one's own."""
    url = made.url.rpartition("/")[0] + f"/{databases.back_up(made.url)}"
    shutil.copytree(made.checkpoints, home / "checkpoints")
    return Casino(url, made.keys, home / "checkpoints")


@pytest.fixture(scope="package")
def archived(first: Casino, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Casino]:
    """The casino with the sealed day archived, which no test alters."""
    made = copy_of(first, databases, tmp_path_factory.mktemp("archived"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in made.environment(made.checkpoints.parent / "archive").items():
            patch.setenv(name, value)
        assert 0 == main(RUN)
    yield made
    databases.drop(made.url)


@pytest.fixture
def first_store(archived: Casino) -> Path:
    """The archive with the sealed day."""
    return archived.checkpoints.parent / "archive"


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger` with what a terminal without any setting has."""
    monkeypatch.setenv("COLUMNS", "200")
    return Caller(capsys, monkeypatch)


@pytest.fixture
def copied(first: Casino, databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Casino]:
    """The casino on a database, an archive and checkpoints of the test's own; nothing is archived yet."""
    made = copy_of(first, databases, tmp_path)
    for name, value in made.environment(tmp_path / "archive").items():
        monkeypatch.setenv(name, value)
    yield made
    databases.drop(made.url)
