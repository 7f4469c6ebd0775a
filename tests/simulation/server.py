"""A database server for simulations, quick and forgetful, whose plans stay what they are."""

import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import GeneratorType
from typing import TYPE_CHECKING, Final

import psycopg
import structlog

from services.cli.services import load
from shared.local import PostgresServer
from tests.conftest import QUICK_POSTGRES, in_memory
from tests.simulation.casino import SERVICES
from tests.simulation.run import Simulation
from tests.support import Databases

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_LEFT_HALF_DONE: Final = "BasePipeline._exit_gen"
_SETTINGS = {"autovacuum": "off", "jit": "off", "max_parallel_workers_per_gather": "0"}


@contextmanager
def simulation() -> Iterator[Simulation]:
    """Give a simulation on a server of its own.

    What is imported stays as long as the process: the garbage collector need not look through it again and again.
    """
    for name in SERVICES:
        load(name)
    gc.freeze()
    with PostgresServer(settings=QUICK_POSTGRES | _SETTINGS) as server:
        yield Simulation(Databases(server.url))


def be_quiet() -> None:
    """Have a process that does nothing but simulate keep what services log to itself, and its data in memory.

    Processes that are forked from it are as quiet.
    """
    in_memory()
    sys.unraisablehook = _unraisable
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.CRITICAL)


def _unraisable(said: "UnraisableHookArgs") -> None:
    """Say nothing of a pipeline that was open when its process crashed, and everything else as usual.

    A process of the simulation crashes within this one: its connections are closed under it, and what it waited for is
    left to the garbage collector. A generator that ends a pipeline then still tries to flush, and nobody is there to be
    told that the connection is gone. A process that is killed says nothing either.
    """
    left = isinstance(said.object, GeneratorType) and said.object.__qualname__ == _LEFT_HALF_DONE
    if not (left and isinstance(said.exc_value, psycopg.OperationalError)):
        sys.__unraisablehook__(said)
