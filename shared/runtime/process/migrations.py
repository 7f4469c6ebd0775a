"""Migrate a service's schema, as the owner of the database: the journal's revisions, then the service's own."""

import os
from collections.abc import Sequence
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, text

import shared.journal
from shared.runtime.database_names import role_of, schema_of_copy

_JOURNAL = Path(shared.journal.__file__).parent / "migrations"


def upgrade(service: str, migrations: Path, url: str, *, to: Sequence[str] = ("heads",)) -> None:
    """Create the service's schema and role if they are missing, and migrate the schema.

    `to` are the target revisions, by default the latest.
    """
    _upgrade(role_of(service), (_JOURNAL / "versions", migrations), url, to)


def upgrade_without_journal(name: str, migrations: Path, url: str) -> None:
    """Create a schema without a journal, and its role, if they are missing; migrate the schema."""
    _upgrade(role_of(name), (migrations,), url, ("heads",), copied=False)


def _upgrade(role: str, versions: Sequence[Path], url: str, to: Sequence[str], *, copied: bool = True) -> None:
    config = Config()
    config.set_main_option("script_location", str(_JOURNAL))
    config.set_main_option("path_separator", "os")
    config.set_main_option("version_locations", os.pathsep.join(map(str, versions)))
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            _prepare(connection, role, copied=copied)
            config.attributes.update(connection=connection, schema=role)
            for revision in to:
                command.upgrade(config, revision)
    finally:
        engine.dispose()


def _prepare(connection: Connection, role: str, *, copied: bool) -> None:
    """Create schema and role, and set the search path, because migrations name tables without their schema.

    If the tables are `copied`, the role also owns a second schema, for their second copy. The search path ends with
    pg_temp: otherwise it would be searched first, and anyone who may create a temporary table could put one in place of
    a table that the journal's rules read.
    """
    found = connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}).scalar()
    if not found:
        connection.execute(text(f'CREATE ROLE "{role}" NOLOGIN'))
        connection.execute(text(f'GRANT "{role}" TO CURRENT_USER'))
    connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{role}"'))
    connection.execute(text(f'GRANT USAGE ON SCHEMA "{role}" TO "{role}"'))
    if copied:
        connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{schema_of_copy(role)}" AUTHORIZATION "{role}"'))
    connection.execute(text(f'SET LOCAL search_path TO "{role}", pg_temp'))
