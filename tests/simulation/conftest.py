"""A simulation for the tests of this folder, on a server of its own."""

from collections.abc import Iterator

import pytest

from tests.simulation.run import Simulation
from tests.simulation.server import simulation


@pytest.fixture(scope="session")
def simulated() -> Iterator[Simulation]:
    """What seeds have in common, made once."""
    with simulation() as made:
        yield made
