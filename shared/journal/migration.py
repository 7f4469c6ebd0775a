"""What a migration does: it runs the SQL file of its name, and grants the service what it may do with its tables."""

from pathlib import Path

from alembic import context, op


def run_sql(migration: str) -> None:
    """Run the SQL file next to a migration, given as `__file__`, in the service's schema."""
    statements = Path(migration).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def grant(privileges: str, *tables: str) -> None:
    """Grant the service's role privileges on tables, such as `SELECT, INSERT` on those that it never changes."""
    role = context.config.attributes["schema"]
    op.execute(f'GRANT {privileges} ON {", ".join(tables)} TO "{role}"')
