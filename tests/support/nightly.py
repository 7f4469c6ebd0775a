"""What `make test` leaves to `make nightly`: the other examples of what a few of them show."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

AT_NIGHT = pytest.mark.nightly
"""Marks a test, a module or an example that only `make nightly` runs."""


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
