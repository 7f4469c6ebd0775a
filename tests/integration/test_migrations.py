"""What the migrations make is what the code believes, and running them again changes nothing."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, create_engine, inspect

from services.cli.services import ServiceName, load, migrations
from shared.runtime.database import role_of
from shared.runtime.migrations import upgrade
from tests.support import Databases

SERVICES = [service.value for service in ServiceName]


@pytest.mark.parametrize("service", SERVICES)
def test_the_schema_is_that_of_the_tables(service: str, databases: Databases) -> None:
    """No column, index or constraint differs between the database and the declared tables."""
    url = databases.create()
    for _ in range(2):
        upgrade(service, Path(migrations(service)), url)
    metadata: MetaData = load(service).tables.entries.metadata
    engine = create_engine(url)
    with engine.connect() as connection:
        options = {
            "include_schemas": True,
            "include_name": lambda name, kind, _: kind != "schema" or name == role_of(service),
            "version_table_schema": role_of(service),
            "compare_server_default": True,
        }
        context = MigrationContext.configure(connection, opts=options)
        assert [] == compare_metadata(context, metadata)
    engine.dispose()
    databases.drop(url)


def test_each_service_keeps_to_its_schema(databases: Databases) -> None:
    """All services share a database without touching each other; nothing lands in `public`."""
    url = databases.create()
    for service in SERVICES:
        upgrade(service, Path(migrations(service)), url)
    engine = create_engine(url)
    assert [] == inspect(engine).get_table_names(schema="public")
    with engine.connect() as connection:
        for service in SERVICES:
            for other in SERVICES:
                granted = connection.exec_driver_sql(
                    "SELECT has_schema_privilege(%s, %s, 'USAGE')", (role_of(service), role_of(other))
                ).scalar_one()
                assert granted == (service == other)
    engine.dispose()
    databases.drop(url)


def test_reporting_is_upgraded_with_its_rows(database_url: str) -> None:
    """What was counted before rounds could be banked stays, with nothing banked; exceptions keep their places."""
    directory = Path(migrations("reporting"))
    upgrade("reporting", directory, database_url, "0001")
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            """INSERT INTO reporting.wager_days VALUES
                ('2026-11-20', 'riverside', 'BJ-01', 'blackjack', 'blackjack', 2, 700, 300, 1, 2, 3, 4, 5, 6)"""
        )
        connection.exec_driver_sql(
            """INSERT INTO reporting.exceptions (service, shard, seq, hash, recorded_at, kind, state, since)
                VALUES ('round-settlement', 1, 9, 'ab', now(), 'voided', 'noted', now())"""
        )
    upgrade("reporting", directory, database_url)
    with engine.connect() as connection:
        sums = "rounds, handle, payout, account_credited, banked_handle, bank_paid, house_in_bank"
        assert (2, 700, 300, 6, 0, 0, 0) == connection.exec_driver_sql(f"SELECT {sums} FROM reporting.wager_days").one()
        kept = "SELECT seq, number, kind, code FROM reporting.exceptions"
        assert (9, 0, "voided", None) == connection.exec_driver_sql(kept).one()
    engine.dispose()
