"""Engines of databases that are used for one test each: what one has compiled, the next does not compile again."""

from typing import Final

from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import LRUCache

from shared.runtime import database

_STATEMENTS: Final = 4_000
_known: list[Engine] = []
"""The engine whose dialect knows its server; of all later ones SQLAlchemy keeps what it compiles under that."""


def create_engine(url: str, *, role: str) -> AsyncEngine:
    """Return an engine like that of a service. To compile for each would be a fifth of what a test of one takes."""
    made = database.create_engine(url, role=role)
    engine = made.sync_engine
    if _known and _known[0].dialect.server_version_info is not None:
        engine.dialect, engine._compiled_cache = _known[0].dialect, _known[0]._compiled_cache
    else:
        engine._compiled_cache = LRUCache(_STATEMENTS)
        _known[:] = [engine]
    return made
