"""The archiver's access to PostgreSQL: its own role, which reads the journals, and a lock against a second archiver."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import Connection
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from services.cli.database import explained
from services.cli.environment import without_password
from services.cli.exits import UsageWrong
from services.cli.services import NAMES
from shared.runtime.database_names import application_name

ROLE: Final = "archive"
"""The database role and schema of the archiver."""
WITHHELD: Final = frozenset({"suspicious-activity"})
"""Confidential services: only their own roles may learn even that their journals have entries."""
ARCHIVED: Final = tuple(name for name in NAMES if name not in WITHHELD)
"""The services whose journals are archived."""
_LOCK: Final = 0x70_69_74_6C_65_64_67_72
"""The key of the advisory lock: `pitledgr`."""


def url_of_archiver(url: str, driver: str = "postgresql") -> str:
    """Return the database URL with options that set the archive's role and schema. Raises: UsageWrong."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise UsageWrong(f"DATABASE_URL {without_password(url)!r} is not a SQLAlchemy URL") from None
    settings = {"role": ROLE, "search_path": f"{ROLE},pg_temp", "timezone": "UTC", "jit": "off"}
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    given = parsed.query.get("options")
    query = {"options": f"{given} {options}" if given else options, "application_name": application_name(ROLE)}
    whole = parsed.set(drivername=driver).update_query_dict(query).render_as_string(hide_password=False)
    server, _, written = whole.partition("?")
    return f"{server}?{written.replace('+', '%20')}"  # libpq reads a plus as a plus


@contextmanager
def archiver(url: str) -> Iterator[Connection[Any]]:
    """Yield the archiver's connection, which locks out other archivers until it is closed or its process ends.

    Raises: UsageWrong if another archiver is running; NotFound if the database does not answer or is not migrated.
    """
    with explained(url), psycopg.connect(url_of_archiver(url), autocommit=True) as connection:
        locked = connection.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK]).fetchone()
        if locked != (True,):
            raise UsageWrong("another archiver is at work on this database: wait until it has ended")
        yield connection
