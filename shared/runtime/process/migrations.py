"""Migrate a service's schema as the owner: the revisions of the journal, then those of the service."""

import os
from collections.abc import Sequence
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, text

import shared.journal
from shared.runtime.database import role_of

_JOURNAL = Path(shared.journal.__file__).parent / "migrations"


def upgrade(service: str, migrations: Path, url: str, *, to: Sequence[str] = ("heads",)) -> None:
    """Create the service's schema and role where they are missing, and bring the schema up to date.

    `to` are the revisions to which it is brought, where those are not the latest.
    """
    role = role_of(service)
    config = Config()
    config.set_main_option("script_location", str(_JOURNAL))
    config.set_main_option("path_separator", "os")
    config.set_main_option("version_locations", os.pathsep.join(map(str, (_JOURNAL / "versions", migrations))))
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            _prepare(connection, role)
            config.attributes.update(connection=connection, schema=role)
            for revision in to:
                command.upgrade(config, revision)
    finally:
        engine.dispose()


def _prepare(connection: Connection, role: str) -> None:
    """Make the schema and the role. What a migration names without a schema is in the service's own.

    The schema of temporary tables comes last: else functions would look for tables there first, and whoever may create
    a temporary table could have the rules of the journal look at that.
    """
    found = connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}).scalar()
    if not found:
        connection.execute(text(f'CREATE ROLE "{role}" NOLOGIN'))
        connection.execute(text(f'GRANT "{role}" TO CURRENT_USER'))
    connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{role}"'))
    connection.execute(text(f'GRANT USAGE ON SCHEMA "{role}" TO "{role}"'))
    connection.execute(text(f'SET LOCAL search_path TO "{role}", pg_temp'))
