"""The archiver's schema and role in PostgreSQL, and the role's read permissions."""

from pathlib import Path
from typing import Final

from sqlalchemy import create_engine, text

from services.cli.archive.database import ARCHIVED, ROLE
from shared.runtime.database_names import role_of
from shared.runtime.process.migrations import upgrade_without_journal

_READ: Final = ("entries", "accounts", "shards", "checkpoints")
_MIGRATIONS: Final = Path(__file__).parent / "migrations"


def upgrade_archive(url: str) -> None:
    """Create the archive's schema and role if they are missing, and let the role read the existing journals."""
    upgrade_without_journal(ROLE, _MIGRATIONS, url)
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            for schema in map(role_of, ARCHIVED):
                if connection.execute(text("SELECT to_regclass(:name)"), {"name": f"{schema}.entries"}).scalar():
                    connection.execute(text(f'GRANT USAGE ON SCHEMA "{schema}" TO "{ROLE}"'))
                    tables = ", ".join(f'"{schema}".{table}' for table in _READ)
                    connection.execute(text(f'GRANT SELECT ON {tables} TO "{ROLE}"'))
    finally:
        engine.dispose()
