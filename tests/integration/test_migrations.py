"""What the migrations make is what the code believes, and running them again changes nothing."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData, create_engine, inspect, text

from services.cli.services import ServiceName, load, migrations
from shared.journal.ddl import journal_grants, journal_rules
from shared.runtime.database import role_of
from shared.runtime.service.migrations import upgrade
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


@pytest.mark.parametrize("service", SERVICES)
def test_the_rules_are_those_of_the_code(service: str, databases: Databases) -> None:
    """Constraints, indexes, functions, triggers and what the service may do with its journal are as the code says."""
    schema, tables = role_of(service), load(service).tables
    migrated, declared = databases.create(), databases.create()
    upgrade(service, Path(migrations(service)), migrated)
    engine = create_engine(declared)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
        tables.entries.metadata.create_all(connection)
        for statement in (*journal_rules(schema), *journal_grants(schema, schema)):
            connection.exec_driver_sql(statement, execution_options={"no_parameters": True})
        expected = _rules(connection, schema)
    engine.dispose()
    engine = create_engine(migrated)
    with engine.connect() as connection:
        actual = _rules(connection, schema)
    engine.dispose()
    assert {
        "function append_only",
        "trigger entries append_only",
        "grant entries",
        "constraint postings postings_pkey",
    } <= set(actual)
    assert expected == actual
    databases.drop(migrated)
    databases.drop(declared)


_RULES = """
    WITH tables AS (
        SELECT c.oid, c.relname, c.relacl, c.relowner FROM pg_class c
        WHERE c.relnamespace = to_regnamespace(:schema) AND c.relkind = 'r' AND c.relname <> 'alembic_version'),
    journal AS (SELECT * FROM tables WHERE relname = ANY(:journal))
    SELECT 'column ' || relname || ' ' || attname,
           concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attidentity, pg_get_expr(adbin, adrelid))
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL SELECT 'constraint ' || relname || ' ' || conname, pg_get_constraintdef(pg_constraint.oid)
    FROM tables JOIN pg_constraint ON conrelid = tables.oid
    UNION ALL SELECT 'index ' || indexname, indexdef
    FROM pg_indexes WHERE schemaname = :schema AND tablename <> 'alembic_version'
    UNION ALL SELECT 'function ' || proname, pg_get_functiondef(oid)
    FROM pg_proc WHERE pronamespace = to_regnamespace(:schema)
    UNION ALL SELECT 'trigger ' || relname || ' ' || tgname, pg_get_triggerdef(pg_trigger.oid)
    FROM tables JOIN pg_trigger ON tgrelid = tables.oid AND NOT tgisinternal
    UNION ALL SELECT 'grant ' || relname, string_agg(privilege_type, ', ' ORDER BY privilege_type)
    FROM journal, aclexplode(relacl) WHERE grantee = to_regrole(:schema) GROUP BY relname
    UNION ALL SELECT 'grant ' || relname || ' ' || attname, string_agg(privilege_type, ', ' ORDER BY privilege_type)
    FROM journal JOIN pg_attribute ON attrelid = journal.oid, aclexplode(attacl)
    WHERE grantee = to_regrole(:schema) GROUP BY relname, attname"""


def _rules(connection: Connection, schema: str) -> dict[str, str]:
    """What the database holds of a schema: definitions by what they define, grants of the journal's tables alone."""
    journal = ["shards", "entries", "accounts", "postings", "sources", "gaps", "quarantine", "relay", "checkpoints"]
    found = connection.execute(text(_RULES), {"schema": schema, "journal": journal}).all()
    assert len(found) == len({name for name, _ in found})
    return dict(found)


KEPT = {
    "table-inventory": {"sealed_counts", "idempotency"},
    "vigorish": {"submissions", "shifts"},
    "progressive-meters": {"submissions", "movements", "reconciliations", "idempotency"},
    "wagering-accounts": {"idempotency", "lines"},
    "round-settlement": {"submissions"},
    "reporting": {"submissions"},
}
"""What a service adds to and never changes, beside its journal."""


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_may_do_what_it_does_and_no_more(service: str, databases: Databases) -> None:
    """It reads and adds to every table of its own; it empties none, and what is to stay it cannot change."""
    schema, url = role_of(service), databases.create()
    upgrade(service, Path(migrations(service)), url)
    engine = create_engine(url)
    with engine.connect() as connection:
        for table in inspect(engine).get_table_names(schema=schema):
            granted = {
                privilege
                for privilege in ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES")
                if connection.execute(
                    text("SELECT has_table_privilege(:role, :table, :privilege)"),
                    {"role": schema, "table": f"{schema}.{table}", "privilege": privilege},
                ).scalar_one()
            }
            if table == "alembic_version":
                assert set() == granted
            elif table in KEPT.get(service, ()):
                assert granted == {"SELECT", "INSERT"}
            else:
                assert {"SELECT", "INSERT"} <= granted <= {"SELECT", "INSERT", "UPDATE", "DELETE"}
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


def test_vigorish_is_upgraded_with_its_rows(database_url: str) -> None:
    """What was collected before anything could be given back stays, with nothing given back."""
    directory = Path(migrations("vigorish"))
    upgrade("vigorish", directory, database_url, "0001")
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            """INSERT INTO vigorish.owed
                (property, table_name, round_id, seat, bank, gaming_day, assessed, collected, waived)
                VALUES ('riverside', 'PG-01', 'r-1', 3, false, '2026-11-20', 75, 50, 25)"""
        )
    upgrade("vigorish", directory, database_url)
    with engine.connect() as connection:
        sums = "SELECT assessed, collected, waived, returned FROM vigorish.owed"
        assert (75, 50, 25, 0) == connection.exec_driver_sql(sums).one()
    engine.dispose()
