"""The examples in the documentation of cards and rules are true."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import shared.cards
import shared.rules

MODULES = [
    module.name
    for package in (shared.cards, shared.rules)
    for module in walk_packages(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    """Every example in a docstring gives what it says."""
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples() -> None:
    """The modules are found, and some of them show examples."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [test for name in MODULES for test in finder.find(import_module(name)) if test.examples]
    assert len(examples) >= 8
