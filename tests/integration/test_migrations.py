"""What the migrations make is what the code declares, and running them again changes nothing."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, text

from services.cli.services import NAMES, load, migrations
from shared.runtime.database_names import role_of
from shared.runtime.process.migrations import upgrade
from tests.support import Databases


def _upgrade_all(url: str) -> None:
    for service in NAMES:
        upgrade(service, migrations(service), url)


@pytest.fixture(scope="module")
def migrated(databases: Databases) -> Iterator[Engine]:
    """A database with the schemas of all services."""
    url = databases.create()
    _upgrade_all(url)
    engine = create_engine(url)
    yield engine
    engine.dispose()
    databases.drop(url)


_BALANCES = "CREATE FUNCTION {}.balances(integer[], bigint[]) RETURNS boolean LANGUAGE sql RETURN true"
"""What a constraint of the tables names: it is written in the migration alone."""


@pytest.fixture(scope="module")
def declared(databases: Databases) -> Iterator[Engine]:
    """A database with the tables that the services declare."""
    url = databases.create()
    engine = create_engine(url)
    with engine.begin() as connection:
        for service in NAMES:
            connection.exec_driver_sql(f"CREATE SCHEMA {role_of(service)}")
            connection.exec_driver_sql(_BALANCES.format(role_of(service)))
            load(service).journal.entries.metadata.create_all(connection)
    yield engine
    engine.dispose()
    databases.drop(url)


_DEFINITIONS = """
    WITH tables AS (
        SELECT c.oid, c.relname FROM pg_class c
        WHERE c.relnamespace = to_regnamespace(:schema) AND c.relkind = 'r' AND c.relname <> 'alembic_version')
    SELECT 'column ' || relname || ' ' || attname,
           concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attidentity, pg_get_expr(adbin, adrelid))
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL SELECT 'constraint ' || relname || ' ' || conname, pg_get_constraintdef(pg_constraint.oid)
    FROM tables JOIN pg_constraint ON conrelid = tables.oid
    UNION ALL SELECT 'index ' || indexname, indexdef
    FROM pg_indexes WHERE schemaname = :schema AND tablename <> 'alembic_version'"""

_RULES = """
    SELECT 'function ' || proname, pg_get_functiondef(oid)
    FROM pg_proc WHERE pronamespace = to_regnamespace(:schema)
    UNION ALL SELECT 'trigger ' || relname || ' ' || tgname, pg_get_triggerdef(pg_trigger.oid)
    FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
    WHERE relnamespace = to_regnamespace(:schema) AND NOT tgisinternal"""


def _found(connection: Connection, query: str, schema: str) -> dict[str, str]:
    """What the database holds of a schema: definitions by what they define."""
    found = connection.execute(text(query), {"schema": schema}).all()
    assert len(found) == len({name for name, _ in found})
    return dict(found)


@pytest.mark.parametrize("service", NAMES)
def test_the_schema_is_that_of_the_tables(service: str, migrated: Engine, declared: Engine) -> None:
    """No column, constraint or index differs between what was migrated and the declared tables."""
    schema = role_of(service)
    with migrated.connect() as one, declared.connect() as other:
        actual, expected = _found(one, _DEFINITIONS, schema), _found(other, _DEFINITIONS, schema)
    assert {"constraint entries entries_balance", "index quarantine_open", "column shards head"} <= set(actual)
    assert expected == actual


def test_running_them_again_changes_nothing(migrated: Engine) -> None:
    """Whoever is up to date stays as it is; a service's revision stands for the journal's that it depends on."""

    def versions() -> list[str]:
        with migrated.connect() as connection:
            query = "SELECT version_num FROM {}.alembic_version"
            return [connection.exec_driver_sql(query.format(role_of(one))).scalar_one() for one in NAMES]

    def definitions() -> list[dict[str, str]]:
        with migrated.connect() as connection:
            return [_found(connection, query, role_of(one)) for one in NAMES for query in (_DEFINITIONS, _RULES)]

    expected = definitions()
    _upgrade_all(migrated.url.render_as_string(hide_password=False))
    assert [f"{role_of(service)}_0001" for service in NAMES] == versions()
    assert expected == definitions()


READ, ADD, CHANGE, REMOVE = "SELECT", "INSERT", "UPDATE", "DELETE"

JOURNAL = {
    "entries": {READ, ADD},
    "postings": {READ},
    "accounts": {READ, ADD},
    "checkpoints": {READ, ADD, REMOVE},
    "idempotency": {READ, ADD},
    "quarantine": {READ, ADD},
    "shards": {READ, ADD, CHANGE},
    "sources": {READ, ADD, CHANGE},
    "relay": {READ, ADD, CHANGE},
    "gaps": {READ, ADD, CHANGE, REMOVE},
    "alembic_version": set(),
}
"""What every service may do with its journal."""

KEPT = {
    "table-inventory": {"sealed_counts"},
    "vigorish": {"submissions", "shifts"},
    "progressive-meters": {"properties", "submissions", "movements", "reconciliations"},
    "wagering-accounts": {"lines", "properties"},
    "round-settlement": {"properties", "submissions"},
    "reporting": {"house_edges", "filled_gaps", "closings"},
}
"""What else a service adds to and never changes."""


@pytest.mark.parametrize("service", NAMES)
def test_a_service_may_do_what_it_does_and_no_more(service: str, migrated: Engine) -> None:
    """It reads and adds to every table of its own; it empties none, and what is to stay it cannot change."""
    schema = role_of(service)
    with migrated.connect() as connection:
        for table in inspect(migrated).get_table_names(schema=schema):
            granted = {
                privilege
                for privilege in (READ, ADD, CHANGE, REMOVE, "TRUNCATE", "TRIGGER", "REFERENCES")
                if connection.execute(
                    text("SELECT has_table_privilege(:role, :table, :privilege)"),
                    {"role": schema, "table": f"{schema}.{table}", "privilege": privilege},
                ).scalar_one()
            }
            if table in JOURNAL:
                assert JOURNAL[table] == granted, table
            elif table in KEPT.get(service, ()):
                assert granted == {READ, ADD}, table
            else:
                assert {READ, ADD} <= granted <= {READ, ADD, CHANGE, REMOVE}, table
        columns = connection.execute(
            text("""
                SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(:quarantine) AND attnum > 0
                AND has_column_privilege(:role, attrelid, attnum, 'UPDATE')"""),
            {"role": schema, "quarantine": f"{schema}.quarantine"},
        )
        assert ["resolved_at"] == columns.scalars().all()


def test_each_service_keeps_to_its_schema(migrated: Engine) -> None:
    """All services share a database without touching each other; nothing lands in `public`."""
    assert [] == inspect(migrated).get_table_names(schema="public")
    with migrated.connect() as connection:
        for service in NAMES:
            for other in NAMES:
                granted = connection.exec_driver_sql(
                    "SELECT has_schema_privilege(%s, %s, 'USAGE')", (role_of(service), role_of(other))
                ).scalar_one()
                assert granted == (service == other)
