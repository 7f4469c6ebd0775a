"""infra/postgres/roles.sql on a real PostgreSQL: the services' roles get their logins, whichever owner runs it."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from services.cli.services import load_all
from shared.local import PostgresServer

ROLES = tuple(manifest.schema for manifest in load_all())
Psql = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of these tests' own: roles belong to a whole server, not to one database."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def server_with_roles(server: PostgresServer) -> Iterator[PostgresServer]:
    """The server with the roles as `pitledger db upgrade` makes them: without a login."""
    _execute(server, *(f"CREATE ROLE {role} NOLOGIN" for role in ROLES))
    yield server
    _execute(server, *(f"DROP ROLE {role}" for role in ROLES))


@pytest.fixture
def run_roles_sql(repository: Path, tool: Callable[[str, str], str], server: PostgresServer) -> Psql:
    """Run the file with psql, as the server's superuser or as another user, with a password for each role named."""
    psql = tool("psql", "postgresql-client")

    def run(*roles: str, user: str | None = None) -> subprocess.CompletedProcess[str]:
        url = make_url(server.url).set(drivername="postgresql")
        url = url if user is None else url.set(username=user, password=user)
        passwords = {f"{role.upper()}_PASSWORD": f"it's for {role}" for role in roles}
        command = [psql, "-X", url.render_as_string(hide_password=False), "-f", "infra/postgres/roles.sql"]
        return subprocess.run(command, cwd=repository, capture_output=True, text=True, env=os.environ | passwords)

    return run


def _execute(server: PostgresServer, *statements: str) -> None:
    engine = create_engine(server.url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def _logins(server: PostgresServer) -> dict[str, str | None]:
    """The roles of the services that can log in, with the method that protects their passwords."""
    engine = create_engine(server.url)
    with engine.begin() as connection:
        rows = connection.execute(
            text(
                "SELECT rolname, split_part(rolpassword, '$', 1) AS method FROM pg_authid"
                " WHERE rolcanlogin AND rolname = ANY (:roles)"
            ),
            {"roles": list(ROLES)},
        ).all()
    engine.dispose()
    return {row.rolname: row.method for row in rows}


def test_every_role_gets_its_login(server_with_roles: PostgresServer, run_roles_sql: Psql) -> None:
    """Each role can log in afterwards, its password kept as a hash; a second run changes nothing and says nothing."""
    for _ in range(2):
        done = run_roles_sql(*ROLES)

        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert dict.fromkeys(ROLES, "SCRAM-SHA-256") == _logins(server_with_roles)


def test_an_owner_without_superuser_rights_may_run_it(server_with_roles: PostgresServer, run_roles_sql: Psql) -> None:
    """A managed PostgreSQL gives nobody the superuser: the right to administer the roles is enough."""
    _execute(
        server_with_roles,
        "CREATE ROLE owner LOGIN PASSWORD 'owner' CREATEROLE",
        f"GRANT {', '.join(ROLES)} TO owner WITH ADMIN OPTION",
    )
    try:
        done = run_roles_sql(*ROLES, user="owner")
    finally:
        _execute(server_with_roles, "DROP OWNED BY owner", "DROP ROLE owner")

    assert done.returncode == 0, done.stderr
    assert dict.fromkeys(ROLES, "SCRAM-SHA-256") == _logins(server_with_roles)


def test_a_missing_password_changes_nothing(server_with_roles: PostgresServer, run_roles_sql: Psql) -> None:
    """The message names the variable, and no role is half done."""
    for missing in (ROLES[0], ROLES[-1]):
        done = run_roles_sql(*(role for role in ROLES if role != missing))

        assert done.returncode != 0
        assert f"{missing.upper()}_PASSWORD is not set" in done.stderr
        assert not _logins(server_with_roles)


def test_before_the_migration_the_message_names_the_role(server: PostgresServer, run_roles_sql: Psql) -> None:
    """Run too early, it fails and says which role is missing."""
    done = run_roles_sql(*ROLES)

    assert done.returncode != 0
    assert f'role "{ROLES[0]}" does not exist' in done.stderr
