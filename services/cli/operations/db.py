"""`pitledger db`: create and migrate the services' schemas in PostgreSQL."""

from typing import Annotated

import typer

from services.cli.archive.upgrade import upgrade_archive
from services.cli.database import explained
from services.cli.environment import settings
from services.cli.output import AsJson, message, print_json
from services.cli.services import NAMES, migrations, service_option
from shared.runtime.database_names import role_of
from shared.runtime.process.migrations import upgrade as upgrade_schema

app = typer.Typer()


@app.command()
def upgrade(
    services: Annotated[list[str] | None, service_option("Only this service; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create missing schemas and roles, and migrate every schema.

    Needs the login of the database's owner in DATABASE_URL. Schemas that are up to date are not changed.

    Example: DATABASE_URL=postgresql+psycopg://owner@db/pitledger pitledger db upgrade
    """
    url = settings().database_url.get_secret_value()
    for service in services or NAMES:
        with explained(url):
            upgrade_schema(service, migrations(service), url)
        if as_json:
            print_json({"service": service, "schema": role_of(service), "upgraded": True})
        else:
            message(f"{service}: schema {role_of(service)} is up to date")
    with explained(url):
        upgrade_archive(url)  # its role reads the journals, also those that are new
