"""Runs a service's Alembic migrations, in the service's own schema, as the owner."""

from pathlib import Path
from typing import Any

from alembic import command, context, op
from alembic.config import Config
from sqlalchemy import Connection, create_engine, text

from shared.runtime.database import role_of


def upgrade(service: str, migrations: Path, url: str, revision: str = "head") -> None:
    """Creates the service's schema and role where they are missing, and upgrades the schema."""
    role = role_of(service)
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            _prepare(connection, role)
            config = Config()
            config.set_main_option("script_location", str(migrations))
            config.attributes["connection"] = connection
            config.attributes["schema"] = role
            command.upgrade(config, revision)
    finally:
        engine.dispose()


def _prepare(connection: Connection, role: str) -> None:
    found = connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}).scalar()
    if not found:
        connection.execute(text(f'CREATE ROLE "{role}" NOLOGIN'))
        connection.execute(text(f'GRANT "{role}" TO CURRENT_USER'))
    connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{role}"'))


def run_environment() -> None:
    """What each service's `env.py` calls: migrates on the connection that `upgrade` made."""
    attributes: dict[Any, Any] = context.config.attributes
    context.configure(connection=attributes["connection"], version_table_schema=attributes["schema"])
    with context.begin_transaction():
        context.run_migrations()


def run_script(path: Path) -> None:
    """What a migration calls: runs the SQL statements of a file as they stand, in the migration's transaction."""
    op.get_bind().exec_driver_sql(path.read_text(encoding="utf-8"), execution_options={"no_parameters": True})
