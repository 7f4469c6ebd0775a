"""A database server for simulations, quick and forgetful, whose plans stay what they are."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from shared.local import PostgresServer
from tests.conftest import QUICK_POSTGRES, in_memory
from tests.simulation.run import Simulation
from tests.support import Databases

_SETTINGS = {"autovacuum": "off", "jit": "off", "max_parallel_workers_per_gather": "0"}


@contextmanager
def simulation() -> Iterator[Simulation]:
    """Give a simulation on a server of its own."""
    with PostgresServer(settings=QUICK_POSTGRES | _SETTINGS) as server:
        yield Simulation(Databases(server.url))


def be_quiet() -> None:
    """Have a process that does nothing but simulate keep what services log to itself, and its data in memory."""
    in_memory()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.CRITICAL)
