"""`make setup` on machines that are not ready for it: it says what is missing and how to get it.

The interpreters here are shell scripts that answer as an unfit Python would, so nothing is installed.
"""

import os
import subprocess
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet


@pytest.fixture
def clone(repository: Path, tmp_path: Path) -> Path:
    """A directory with as much of the repository as the setup reads."""
    (tmp_path / "infra").mkdir()
    for name in ("Makefile", "infra/setup.sh", "pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_bytes((repository / name).read_bytes())
    return tmp_path


def _interpreter(clone: Path, *, version: str, fails_on: str) -> Path:
    """An interpreter of this version that fails on the code that holds the words of `fails_on`."""
    path = clone / "python-of-old"
    path.write_text(f'#!/bin/sh\ncase "$2" in *"{fails_on}"*) exit 1 ;; esac\necho {version}\n')
    path.chmod(0o755)
    return path


def _make(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make as a person would, also when these tests are themselves run by make."""
    ours = {"MAKEFLAGS", "MAKELEVEL", "PYTHON"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(["make", *arguments], cwd=directory, capture_output=True, text=True, env=environment)


def test_missing_interpreter_is_named(clone: Path) -> None:
    """Without the interpreter, the message names it and says how to choose another."""
    done = _make(clone, "setup", "PYTHON=python-that-is-not-there")

    assert done.returncode != 0
    assert "no interpreter 'python-that-is-not-there' found" in done.stderr
    assert "PYTHON=" in done.stderr


def test_old_interpreter_is_refused_with_its_version(clone: Path) -> None:
    """A Python before 3.11 is refused before anything is made."""
    interpreter = _interpreter(clone, version="3.9", fails_on="(3, 11)")

    done = _make(clone, "setup", f"PYTHON={interpreter}")

    assert done.returncode != 0
    assert "is Python 3.9; Pitledger needs 3.11 or newer" in done.stderr
    assert not (clone / ".venv").exists()


def test_the_interpreter_that_was_named_once_is_used_again(clone: Path) -> None:
    """What `make setup PYTHON=...` made, no other target makes again with the interpreter of the path."""
    before = _interpreter(clone, version="3.9", fails_on="(3, 11)")
    (clone / ".venv").mkdir()
    (clone / ".venv/pyvenv.cfg").write_text(f"home = {clone}\nexecutable = {before}\n")

    again, other = _make(clone, "setup"), _make(clone, "setup", "PYTHON=python-that-is-not-there")

    assert f"'{before}' is Python 3.9" in again.stderr
    assert "no interpreter 'python-that-is-not-there' found" in other.stderr


def test_missing_venv_module_names_the_package(clone: Path) -> None:
    """Debian splits the venv module off: the message names the package that brings it."""
    interpreter = _interpreter(clone, version="3.11", fails_on="ensurepip")

    done = _make(clone, "setup", f"PYTHON={interpreter}")

    assert done.returncode != 0
    assert "apt-get install python3.11-venv" in done.stderr
    assert not (clone / ".venv").exists()


def test_makefile_lists_its_targets(repository: Path) -> None:
    """`make help` names the targets that the documentation speaks of."""
    done = _make(repository, "help")

    assert {"setup", "demo", "test", "lint", "generated", "bench", "clean"} <= {
        line.split()[0] for line in done.stdout.splitlines()
    }


def test_all_tests_and_checks_are_run(repository: Path) -> None:
    """`make test` is the whole suite on the embedded broker, and beside it every check and what has other servers."""
    said = _make(repository, "--dry-run", "test").stdout.splitlines()

    assert 1 == sum(line.startswith(".venv/bin/pytest ") and " --broker=embedded" in line for line in said)
    assert 1 == sum(line.startswith(".venv/bin/pytest --broker=kafka ") for line in said)
    for command in ("pytest tests/browser/console", "pytest tests/simulation", "ruff check", "mypy", "lint-imports"):
        assert any(line.startswith(f".venv/bin/{command}") for line in said), command


def test_constraints_pin_every_line_to_one_version(repository: Path) -> None:
    """The constraints hold exact versions, and say how they are written again."""
    header, *pins = (repository / "constraints.txt").read_text().splitlines()

    assert "make constraints" in header
    assert pins
    assert not [pin for pin in pins if pin.count("==") != 1]


def test_everything_installs_on_the_oldest_python(repository: Path) -> None:
    """No package that is installed here asks for a newer Python than we do: Debian 12 has an early 3.11."""
    ours = tomllib.loads((repository / "pyproject.toml").read_text())["project"]["requires-python"]
    oldest = f"{ours.removeprefix('>=')}.0"
    wanted = {one.name: one.metadata["Requires-Python"] or "" for one in distributions()}

    assert wanted
    assert not {name: asks for name, asks in wanted.items() if not SpecifierSet(asks).contains(oldest)}
