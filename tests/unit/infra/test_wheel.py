"""The wheel: whoever installs it has the contracts, the migrations and the data, not the source tree alone."""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

PACKAGES = ("infra", "loadtest", "pitledger", "schemas", "services", "shared")
WANTED = {".json", ".py", ".sql", ".yaml", ".yml"}


@pytest.fixture(scope="module")
def site(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with what the wheel installs."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for name in PACKAGES:
        shutil.copytree(repository / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(repository / name, source)
    script = f"from setuptools.build_meta import build_wheel; build_wheel({str(built)!r})"
    done = subprocess.run([sys.executable, "-c", script], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [wheel] = built.glob("pitledger-*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(built / "site")
    return built / "site"


def test_the_packages_are_in_it_with_their_data(repository: Path, site: Path) -> None:
    """Catalogues, migrations, schemas, topics: what is read at run time is installed."""
    wanted = {
        path.relative_to(repository).as_posix()
        for name in PACKAGES
        for path in (repository / name).rglob("*")
        if path.suffix in WANTED and "kubernetes" not in path.parts and "grafana" not in path.parts
    }
    assert len(wanted) > 100
    assert set() == {path for path in wanted if not (site / path).is_file()}


def test_the_schemas_are_reachable_where_it_is_installed(site: Path) -> None:
    """`importlib.resources` finds the JSON Schemas and the AsyncAPI document of the release."""
    script = (
        "from importlib.resources import files; import json; root = files('schemas');"
        "print(json.loads((root / 'json' / 'round.completed.json').read_text())['$id'], root / 'asyncapi.yaml')"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(site)!r}); {script}"],
        cwd=site.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "urn:pitledger:schema:round.completed" in done.stdout
    assert str(site) in done.stdout
