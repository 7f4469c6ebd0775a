"""The database allows as many connections as all services may open, whatever their pools are set to."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import QueuePool

from services.cli.environment import variable_of
from services.cli.services import NAMES
from services.cli.stack.running_stack import CONNECTIONS_OF_OTHERS, RunningStack, connections_max
from shared.local.postgres import PostgresServer
from shared.runtime.database import Pool, Pools
from shared.runtime.settings import Settings

_KEPT_FOR_SUPERUSERS = 3
"""What PostgreSQL keeps, unless it is told otherwise."""


def opened_by_services(settings: Settings) -> int:
    """Return how many connections the pools of all services open at most: one process of each."""
    found = 0
    for service in NAMES:
        pools = Pools.of(settings, service)
        for engine in (pools.readers, pools.commands, pools.background):
            pool = engine.sync_engine.pool
            assert isinstance(pool, QueuePool)
            found += pool.size() + pool._max_overflow
    return found


def test_all_pools_fit_with_room_for_others() -> None:
    """For a service that is started again beside its last process, two commands in terminals, and superusers."""
    settings = Settings()
    assert opened_by_services(settings) + CONNECTIONS_OF_OTHERS <= connections_max({})
    others = settings.database_connections_max + Pool().connections_max + _KEPT_FOR_SUPERUSERS
    assert others <= CONNECTIONS_OF_OTHERS


_POOLS = [name for name in Settings.model_fields if re.fullmatch(r"database_[a-z]+_max", name)]


@pytest.mark.parametrize("name", _POOLS)
def test_a_pool_that_is_set_larger_is_counted(name: str) -> None:
    """Each pool that there is a setting for."""
    variable = variable_of(name, Settings.model_fields[name])
    larger: dict[str, Any] = {name: 77}
    needed = opened_by_services(Settings(**larger)) + CONNECTIONS_OF_OTHERS
    assert connections_max({}) < needed <= connections_max({variable: "77"})


def test_the_embedded_server_of_a_stack_allows_them() -> None:
    """It is started with what the environment and the settings of the stack come to."""
    stack = RunningStack(environment={}, settings={"PITLEDGER_DATABASE_READERS_MAX": "20"})
    server = stack._new_servers().postgres
    assert isinstance(server, PostgresServer)
    needed = opened_by_services(Settings(database_readers_max=20)) + CONNECTIONS_OF_OTHERS
    assert needed <= int(server._settings["max_connections"])


def test_compose_allows_them(repository: Path) -> None:
    """Its PostgreSQL is started with a number of its own."""
    command = yaml.safe_load((repository / "docker-compose.yml").read_text())["services"]["postgres"]["command"]
    [allowed] = [part.removeprefix("max_connections=") for part in command if part.startswith("max_connections=")]
    assert connections_max({}) <= int(allowed)
