"""The examples in the documentation of what runs the services are true. Cards and rules have their own test."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for room in (
        "shared/contracts",
        "shared/journal",
        "shared/jurisdictions",
        "shared/local",
        "shared/runtime",
        "services",
        "infra",
        "pitledger",
    )
    for path in sorted((ROOT / room).rglob("*.py"))
    if ">>> " in path.read_text()
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    """Every example in a docstring gives what it says, and there is one."""
    outcome = doctest.testmod(import_module(name))
    assert 0 == outcome.failed
    assert 0 < outcome.attempted
