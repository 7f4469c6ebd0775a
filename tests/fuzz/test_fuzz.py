"""A short part of what `make fuzz` does, the same in every run, and every input at which an earlier version failed."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.__main__ import main
from tests.fuzz.every import FOUND, found, targets
from tests.fuzz.mutate import mutated
from tests.fuzz.target import Target
from tests.support.nightly import examples


@cache
def every() -> dict[str, Target]:
    """All targets by name."""
    return {target.name: target for target in targets()}


_SEED = 1
_EACH = examples(75)
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


def test_whatever_comes_is_read_or_refused() -> None:
    """Nothing else is raised by inputs that are made of those with which a target begins. `make fuzz` is guided."""
    for name, target in every().items():
        random = Random(f"{_SEED} {name}")
        for _ in range(_EACH):
            data = mutated(random.choice(target.inputs), target.inputs, random)
            try:
                target(data)
            except Exception as error:
                error.add_note(f"{name} of {data[:300]!r}")
                raise


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
