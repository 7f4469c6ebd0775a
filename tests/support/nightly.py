"""What `make test` leaves to `make nightly`: the other examples of what a few of them show.

Which examples are left is always the same where `AT_NIGHT`, `most_at_night` and `one_in` say so; of a test that is
`sampled` each commit draws others.
"""

import subprocess
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol, TypeVar

import pytest
from hypothesis import settings

AT_NIGHT = pytest.mark.nightly
"""Marks a test, a module or an example that only `make nightly` runs."""

DRAWN_BY_DAY: Final = 20
"""How many examples Hypothesis draws by day where it draws a hundred at night."""


_T = TypeVar("_T")


class SomeOf(Protocol):
    """Draws so many of some values; what the fixture `some_of` gives."""

    def __call__(self, values: Sequence[_T], number: int, /) -> list[_T]:
        """Return so many of the values, or all."""


def sampled(number: int, *, of: str | None = None) -> pytest.MarkDecorator:
    """Mark a parametrized test of which by day so many examples run, drawn by the commit, and at night all.

    Tests that are marked `of` the same are drawn from together, with all of their examples.
    """
    return pytest.mark.sampled(number, of)


def examples(number: int) -> int:
    """Return how many examples Hypothesis draws of a test for which at night it draws so many."""
    return max(1, number * settings().max_examples // 100)


def drawn(items: Iterable[pytest.Item], sample: str, times: int = 1) -> list[pytest.Item]:
    """Return the tests that run, in their order: of each that is `sampled` the examples that a sample draws.

    By day as many as the mark says; `times` as many on a night.
    """
    kept, groups = list(items), defaultdict[str, list[pytest.Item]](list)
    for item in kept:
        marker = item.get_closest_marker("sampled")
        if marker is not None:
            groups[marker.args[1] or item.nodeid.partition("[")[0]].append(item)
    left = set[pytest.Item]()
    for name, group in groups.items():
        marker = group[0].get_closest_marker("sampled")
        assert marker is not None
        left.update(Random(f"{sample} {name}").sample(group, max(0, len(group) - times * marker.args[0])))
    return [item for item in kept if item not in left]


def commit() -> str:
    """Return the commit that is checked out; without one, or without git, nothing."""
    return _git("rev-parse", "HEAD")


def version() -> str | None:
    """Return the commit that is checked out; None where files were changed since, or without a commit or git."""
    said = _git("describe", "--always", "--abbrev=40", "--exclude=*", "--dirty")
    return None if said.endswith("-dirty") else said or None


def _git(*words: str) -> str:
    """Return what git says of the repository; nothing where it fails or is not there."""
    try:
        said = subprocess.run(["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return said.stdout.strip()


def most_at_night(values: Iterable[Any], *, but: Collection[Any]) -> list[Any]:
    """Return parameters of a test, a tuple for several arguments, of which all but these are marked for the night.

    Raises: ValueError for others.
    """
    found = list(values)
    if unknown := [one for one in but if one not in found]:
        raise ValueError(f"no parameters of the test: {unknown}")
    return [value if value in but else _at_night(value) for value in found]


def one_in(number: int, values: Iterable[Any]) -> list[Any]:
    """Return parameters of a test, a tuple for several arguments: one of so many is not marked for the night."""
    return [value if at % number == 0 else _at_night(value) for at, value in enumerate(values)]


def _at_night(value: Any) -> Any:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=AT_NIGHT)
