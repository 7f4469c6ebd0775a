"""An empty database for each peer, on a new or a given PostgreSQL server."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from loadtest.bench.processes import parent_of
from loadtest.traffic.target import conninfo_of
from shared.local import PostgresServer


@contextmanager
def empty_database(given: str | None = None) -> Iterator[str]:
    """Yield the SQLAlchemy URL of an empty database, which is dropped afterwards; `given` is the URL of a server."""
    if given is None:
        with PostgresServer() as server:
            yield server.url
        return
    name = f"peer_{uuid4().hex}"
    with psycopg.connect(conninfo_of(given), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        try:
            yield make_url(given).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def server_process(url: str) -> list[int]:
    """Return the process id of a database's server, if the server runs on this machine."""
    with psycopg.connect(conninfo_of(url)) as connection:
        row = connection.execute("SELECT pg_backend_pid(), inet_server_addr()").fetchone()
        assert row is not None
        session, address = row
        parent = parent_of(session) if address is None or address.is_loopback else None
        return [] if parent is None else [parent]
