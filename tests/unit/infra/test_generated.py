"""What is written of the services from their manifests: a new service appears everywhere, one that is gone nowhere."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import MetaData

from services.cli.codegen.deployment import PARTS, texts
from services.cli.codegen.generate import drift, write
from services.cli.services import NAMES, load_all
from shared.journal.tables import journal_tables
from shared.runtime.service.manifest import Manifest

JOURNAL = journal_tables(MetaData(), "made_up")


@pytest.fixture
def tree(repository: Path, tmp_path: Path) -> Path:
    """A directory with the files that name the services, as they are in the repository."""
    for path in PARTS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(repository / path, tmp_path / path)
    shutil.copytree(repository / "infra/kubernetes/services", tmp_path / "infra/kubernetes/services")
    return tmp_path


@pytest.fixture
def house() -> list[Manifest]:
    """The services that there are, and one more."""
    return [*load_all(), replace(load_all()[0], name="made-up", title="Made up", port=8199, journal=JOURNAL)]


def test_a_new_service_appears_in_every_file(tree: Path, house: list[Manifest]) -> None:
    """Each file drifts until it is written again; then it names the service with its port."""
    before = {path: (tree / path).read_text() for path in PARTS}
    drifted = drift(texts(house, tree), tree)
    write(texts(house, tree), tree)

    assert len(drifted) == len(PARTS) + len(["its overlay", "its ACLs"])
    assert [] == drift(texts(house, tree), tree)
    assert [] == [path for path, text in before.items() if (tree / path).read_text() == text]
    assert "made-up:8199" in (tree / "infra/prometheus/prometheus.yml").read_text()


def test_a_service_that_is_gone_leaves_nothing(tree: Path, house: list[Manifest]) -> None:
    """Written for the services that there are, the files are again as they were."""
    before = {path: (tree / path).read_text() for path in PARTS}
    write(texts(house, tree), tree)
    write(texts(load_all(), tree), tree)

    assert before == {path: (tree / path).read_text() for path in PARTS}
    assert set(NAMES) == {path.name for path in (tree / "infra/kubernetes/services").iterdir()}


def test_a_file_that_lost_its_place_is_named(tree: Path, house: list[Manifest]) -> None:
    """Without the two comments there is nowhere to write to, which must not pass in silence."""
    (tree / ".env.example").write_text("POSTGRES_PASSWORD=\n")

    with pytest.raises(ValueError, match=r"\.env\.example has 0 places between 'generated: passwords'"):
        drift(texts(house, tree), tree)
