"""A short part of what `make fuzz` does: the same inputs in every run, at everything that takes bytes from outside."""

import pytest

from tests.fuzz.run import run
from tests.fuzz.targets import Target, targets

_INPUTS = 250
_SEED = 1


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.name)
def test_whatever_comes_is_read_or_refused(target: Target) -> None:
    """Nothing else is raised, and nothing takes seconds; some of what comes is read, or nothing would be tried."""
    result = run(target, _INPUTS, _SEED)
    assert () == result.findings
    assert result.read > 0


def test_what_is_neither_read_nor_refused_is_found() -> None:
    """A decoder that fails at a byte is named with the input at which it failed."""

    def fails(data: bytes) -> None:
        if b"\xff" in data:
            raise IndexError("beyond the end")

    result = run(Target("fails", [b"an input"], fails), _INPUTS, _SEED)
    assert result.findings
    assert all(b"\xff" in one.data and one.reason == "IndexError: beyond the end" for one in result.findings)


def test_inputs_follow_from_the_seed() -> None:
    """The same seed tries the same inputs again, another seed others."""

    def tried(seed: int) -> list[bytes]:
        found: list[bytes] = []
        run(Target("any", [b'{"a": [1, "b"]}'], found.append), _INPUTS, seed)
        return found

    assert tried(1) == tried(1) != tried(2)
