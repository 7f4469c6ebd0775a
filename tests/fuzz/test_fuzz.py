"""A short part of what `make fuzz` does, the same in every run, and every input at which an earlier version failed."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.fuzz.__main__ import main
from tests.fuzz.every import FOUND, found, targets
from tests.fuzz.target import Target


@cache
def every() -> dict[str, Target]:
    """All targets by name."""
    return {target.name: target for target in targets()}


_SEED = 1
_EACH = 15
_ROOT = Path(__file__).parents[2]


def _python(*words: str) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run([sys.executable, *words], cwd=_ROOT, capture_output=True, text=True, check=False, timeout=240)
    if done.returncode == 2 and "atheris is not installed" in done.stderr:
        pytest.skip("atheris is not installed: it is made for Linux on x86-64")
    return done


def test_what_every_target_begins_with_is_read_or_refused() -> None:
    """Some of what it begins with is read, or nothing would be tried; what an earlier version failed at is refused."""
    for name, target in every().items():
        read = [target(data) for data in target.inputs]
        assert any(read), name


def test_what_was_found_belongs_to_targets() -> None:
    """No input of an earlier failure lies where nothing tries it."""
    assert {directory.name for directory in FOUND.iterdir()} <= {*every()}
    assert all(found(directory.name) for directory in FOUND.iterdir())


def test_whatever_comes_is_read_or_refused(tmp_path: Path) -> None:
    """Nothing else is raised, and nothing takes seconds, in the inputs that follow from one seed."""
    inputs = _EACH * len(every())
    done = _python("-m", "tests.fuzz", f"--inputs={inputs}", f"--seed={_SEED}", f"--keep={tmp_path}")
    assert 0 == done.returncode, done.stdout + done.stderr
    assert done.stdout.endswith(f"\n{inputs:,} inputs, 0 findings, seed {_SEED}\n")


_FAILS = """
from tests.fuzz import guided
from tests.fuzz.target import Target
def takes(data):
    if data[:1] == b"\\xff":
        raise IndexError("beyond the end")
with guided.instrumented():
    result = guided.run(Target("fails", [b"an input"], takes), 3000, 1)
[finding] = result.findings
assert finding.data[:1] == b"\\xff"
assert result.inputs == 3000
print(finding.reason)
"""


def test_what_is_neither_read_nor_refused_is_found() -> None:
    """A decoder that fails at a byte is named with an input at which it failed, once, and the others are tried too."""
    done = _python("-c", _FAILS)
    assert "IndexError: beyond the end\n" == done.stdout, done.stderr


def test_an_input_can_be_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A finding is replayed at its target: exit code 0 where it is refused as declared."""
    file = tmp_path / "input.bin"
    file.write_bytes(b"[")
    assert 0 == main(["--only=cursor", f"--replay={file}"])
    assert "refused, as the target declares\n" == capsys.readouterr().out
