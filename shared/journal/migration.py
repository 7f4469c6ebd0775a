"""What a migration does: it runs SQL files, and grants the service what it may do with its tables."""

from pathlib import Path

from alembic import context, op


def run_sql(*modules: str) -> None:
    """Run the SQL files next to these modules, each given as its `__file__`, in the service's schema.

    They are the migration itself, and what declares tables that several services have alike.
    """
    for module in modules:
        statements = Path(module).with_suffix(".sql").read_text(encoding="utf-8")
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def grant(privileges: str, *tables: str) -> None:
    """Grant the service's role privileges on tables, such as `SELECT, INSERT` on those that it never changes."""
    role = context.config.attributes["schema"]
    op.execute(f'GRANT {privileges} ON {", ".join(tables)} TO "{role}"')
