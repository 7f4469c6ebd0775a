"""Helpers of migrations: run SQL files, and grant privileges to the service's role."""

from pathlib import Path
from typing import Final

from alembic import context, op

_COPIES: Final = Path(__file__).parent / "migrations" / "copies"
"""SQL files for tables that several services have in the same form, such as the copy of rules submissions."""


def run_sql(script: str, *copies: str) -> None:
    """Run a migration's SQL file, which is next to `script` (its `__file__`), and the shared SQL files in `copies`."""
    for path in (Path(script), *(_COPIES / name for name in copies)):
        statements = path.with_suffix(".sql").read_text(encoding="utf-8")
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def grant(privileges: str, *tables: str) -> None:
    """Grant the service's role privileges on tables, such as `SELECT, INSERT` for append-only ones."""
    role = context.config.attributes["schema"]
    op.execute(f'GRANT {privileges} ON {", ".join(tables)} TO "{role}"')
