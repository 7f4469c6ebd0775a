"""A simulation for the tests of this folder, on a server of its own."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.simulation.run import Simulation
from tests.simulation.server import simulation

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a process that crashes leaves half done is left to the garbage collector, which has to say so."""
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def simulated() -> Iterator[Simulation]:
    """What seeds have in common, made once."""
    with simulation() as made:
        yield made


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Have the garbage of a test collected before it ends: another test may not have such garbage."""
    yield
    gc.collect()
