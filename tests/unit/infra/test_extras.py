"""The extras of the package: each service runs with its own alone, and says which one is missing."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from services.cli.services import CONSOLE, NAMES
from shared.runtime.extras import EXTRAS, OF_COMMANDS
from tests.support.nightly import SomeOf

_EVERY = {**EXTRAS, **OF_COMMANDS}
_OF_OTHERS = (
    *(f"shared.journal.archive.{name}" for name in ("columns", "files", "proving", "records", "rows", "verification")),
    *("shared.counting", "shared.local", "shared.runtime.tracing.traces"),
)
"""What other extras are for: `archive`, `counting`, `embedded`, `tracing`."""
_COMMANDS = (
    *(f"books.{name}" for name in ("rebuild", "reconcile", "rederive", "verify", "verify_reports")),
    *(f"operations.{name}" for name in ("config", "db", "keys", "quarantine", "topics")),
    "registry.sign",
    "stack.run",
)
"""What an operator works with beside the services, from the module of each, and what says that an extra is missing."""

_IMPORTING = """
import json, os, sys
from importlib import import_module
blocked, wanted, extras = json.loads(sys.argv[1])
sys.modules.update(dict.fromkeys(blocked))  # as if they were not installed
for name in wanted:
    import_module(name)
for there, wanted in extras:
    if (child := os.fork()) == 0:
        for name in there:
            del sys.modules[name]
        for name in wanted:
            import_module(name)
        sys.exit()
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{wanted[0]} and those beside it are not imported with {there} alone")
"""


@pytest.fixture(scope="module")
def project(repository: Path) -> dict[str, Any]:
    """What pyproject.toml says of the package."""
    project: dict[str, Any] = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    return project


def _own(extra: str) -> list[str]:
    """What an extra of this package requires, as pyproject.toml says now, whatever is installed."""
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    required: list[str] = project["optional-dependencies"].get(extra, [])
    return required


def _installed(wanted: Iterable[str], found: set[tuple[str, str]]) -> Iterator[str]:
    """Name what requirements install, with all that these require."""
    for one in map(Requirement, wanted):
        name = canonicalize_name(one.name)
        for extra in ("", *one.extras):
            if (name, extra) in found or (one.marker and not one.marker.evaluate({"extra": ""})):
                continue
            found.add((name, extra))
            yield name
            try:
                more = map(Requirement, _own(extra) if name == "pitledger" else requires(name) or ())
            except PackageNotFoundError:
                continue  # on this system it is not needed
            applies = [each for each in more if each.marker is None or each.marker.evaluate({"extra": extra})]
            for each in applies:
                each.marker = None
            yield from _installed(map(str, applies), found)


def _others(project: dict[str, Any], extra: str | None) -> list[str]:
    """Name every module of this environment that would not be there with this extra alone."""
    optional = project["optional-dependencies"].get(extra, ())
    there = set(_installed([*project["dependencies"], *optional], set()))
    return sorted(
        module
        for module, names in packages_distributions().items()
        if module.isidentifier()
        and not there & {canonicalize_name(name) for name in names}
        and "pitledger" not in names
        and module not in sys.stdlib_module_names
    )


def _modules(repository: Path, package: str) -> list[str]:
    """Name the modules of a package, without what is for other extras and what runs as a program of its own."""
    paths = (path.relative_to(repository) for path in (repository / package).rglob("*.py"))
    names = (".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths)
    return sorted(
        name for name in names if not name.startswith(_OF_OTHERS) and not name.endswith(("typesetter", ".env"))
    )


def test_a_service_is_imported_with_its_own_extra_alone(repository: Path, project: dict[str, Any]) -> None:
    """All of its modules, those that are imported late too.

    With none, also all that every service has, and the commands of an operator: what is there with less is with more.
    """

    def modules(*services: str) -> list[str]:
        paths = (f"services/{'cli/' if one in OF_COMMANDS else ''}{one.replace('-', '_')}" for one in services)
        return [name for path in paths for name in _modules(repository, path)]

    others = {extra: set(_others(project, extra)) for extra in (None, *_EVERY)}
    for extra, blocked in others.items():
        elsewhere = {package for packages in _EVERY.values() for package in packages} - set(_EVERY.get(str(extra), ()))
        assert {"pytest", *elsewhere, *(() if extra == "spark" else ("numpy",))} <= blocked
    wanted = [*_modules(repository, "shared"), *(f"services.cli.{command}" for command in _COMMANDS)]
    wanted += modules(*(name for name in (*NAMES, CONSOLE) if name not in EXTRAS))
    extras = [(sorted(others[None] - others[extra]), modules(extra)) for extra in _EVERY]
    assert all(there and names for there, names in extras)
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTING, json.dumps([sorted(others[None]), wanted, extras])],
        cwd=repository,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def _installed_bytes(name: str) -> int:
    """Return what a distribution of this environment has on the disk, without what was compiled of it."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return 0  # on this system it is not needed
    if found.read_text("RECORD") is None:  # without one, its files are those of the source
        names = (found.read_text("top_level.txt") or "").split()
        paths = [path for name in names for path in Path(str(found.locate_file(name))).rglob("*")]
        return sum(512 * path.lstat().st_blocks for path in paths if path.suffix != ".pyc")
    paths = [Path(str(found.locate_file(file))) for file in found.files or () if file.suffix != ".pyc"]
    return sum(512 * path.lstat().st_blocks for path in paths if path.exists())


def test_a_server_installs_what_it_runs(repository: Path, project: dict[str, Any]) -> None:
    """The table of docs/operate/install.md is right within 5 %; services take less than half of what development does.

    Measured by the files of the same versions here, and not by installing each: `python -m tests.sizes` does.
    """
    table = (
        (repository / "docs/operate/install.md").read_text().partition("## What to install")[2].partition("\n## ")[0]
    )
    stated = {
        extra or None: int(mb) for extra, mb in re.findall(r"\| `pitledger(?:\[([a-z-]+)\])?` \| (\d+) \|", table)
    }
    assert {None, *_EVERY, "services", "embedded"} == stated.keys()
    packages = (repository / name for name in ("shared", "services", "infra", "loadtest", "schemas"))
    own = sum(512 * path.lstat().st_blocks for each in packages for path in each.rglob("*") if path.suffix != ".pyc")
    sizes: dict[str | None, int] = {}
    for extra, said in stated.items():
        wanted = [*project["dependencies"], *project["optional-dependencies"].get(extra, ())]
        sizes[extra] = own + sum(map(_installed_bytes, set(_installed(wanted, set()))))
        assert 0.95 * said < sizes[extra] / 2**20 < 1.05 * said, extra
    [development] = re.findall(r"installs what builds and tests Pitledger, too: (\d\.\d) GB", table)
    assert max(sizes[extra] for extra in (None, *_EVERY, "services")) < float(development) * 10**9 / 2
    assert 2 * sizes[None] < sizes["services"]


def test_what_a_service_asks_for_is_its_extra(project: dict[str, Any]) -> None:
    """The packages that it looks for are those that the extra of its name installs, one for one."""
    distributions = packages_distributions()
    optional = project["optional-dependencies"]
    assert {name for name in optional if name in (*NAMES, CONSOLE)} == set(EXTRAS)
    for name, packages in _EVERY.items():
        assert {canonicalize_name(Requirement(one).name) for one in optional[name]} == {
            canonicalize_name(distributions[package][0]) for package in packages
        }
    [everything] = map(Requirement, optional["services"])
    assert everything.extras == set(EXTRAS)


_CALLING = """
import json, os, sys
from services.cli.main import main
for words, missing, _ in json.loads(sys.argv[1]):
    if (child := os.fork()) == 0:
        sys.modules.update(dict.fromkeys(missing))  # as if they were not installed
        sys.exit(main(words))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print("exit code", code, file=sys.stderr, flush=True)
"""


def test_what_is_missing_is_named_with_its_extra(repository: Path, some_of: SomeOf) -> None:
    """One line, no traceback."""
    every = [
        *((("run", name), packages, name) for name, packages in EXTRAS.items()),
        (("sign", "docs/examples/submission.json", "-o", "/dev/null", "--as", "pdf"), ("typst",), "paytable-registry"),
        (("verify-reports", "/nowhere", "--key", "/nowhere"), ("obstore",), "reporting"),
        (("sql", "SELECT 1", "--store", "/nowhere"), ("duckdb",), "archive"),
        (("archive", "list", "--store", "/nowhere"), ("pyarrow",), "archive"),
        (("spark", "win", "--store", "/nowhere"), ("pyspark",), "spark"),
    ]
    calls = some_of(every, 3)
    done = subprocess.run(
        [sys.executable, "-c", _CALLING, json.dumps(calls)], cwd=repository, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    *told, rest = re.split(r"exit code (\d+)\n", done.stderr)
    assert "" == rest
    assert len(calls) == len(told) / 2
    for (_, missing, extra), said, code in zip(calls, told[::2], told[1::2], strict=True):
        assert code in ("2", "4")
        assert f"not installed: {', '.join(missing)}; install the extra: pip install 'pitledger[{extra}]'" in said
        assert "Traceback" not in said


def test_every_extra_that_is_named_exists(repository: Path, project: dict[str, Any]) -> None:
    """In the documentation, in what is built, and in what the code says."""
    paths = [
        repository / name for name in ("README.md", "Dockerfile", "docker-compose.yml", "Makefile", "infra/setup.sh")
    ]
    paths += [
        *(repository / "docs").rglob("*.md"),
        *(repository / "services").rglob("*.py"),
        *(repository / "shared").rglob("*.py"),
    ]
    named = {
        extra
        for path in paths
        for words in re.findall(r"(?:pitledger|'\.|\"\.)\[([a-z,-]+)\]", path.read_text())
        for extra in words.split(",")
    }
    assert {"embedded", "reporting", "tracing"} <= named
    assert named <= set(project["optional-dependencies"])
