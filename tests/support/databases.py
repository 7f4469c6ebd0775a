"""Fresh databases on one PostgreSQL server, made quickly, also from a prepared template."""

import uuid
from collections.abc import Callable

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.pool import NullPool


class Databases:
    """Creates and drops databases on the server behind `server_url`, whose user may create databases."""

    def __init__(self, server_url: str) -> None:
        self._server = make_url(server_url).set(drivername="postgresql+psycopg")
        self._engine = create_engine(
            self._server.set(database="postgres"), isolation_level="AUTOCOMMIT", poolclass=NullPool
        )
        self._templates: dict[str, str] = {}
        self._created: set[str] = set()

    def create(self, template: str | None = None) -> str:
        """The URL of a new database: empty, or a copy of what `prepare` made under the name `template`."""
        database = f"test_{uuid.uuid4().hex[:16]}"
        source = "template0" if template is None else self._templates[template]
        self._execute(f'CREATE DATABASE "{database}" TEMPLATE "{source}" STRATEGY FILE_COPY')
        self._created.add(database)
        return self._server.set(database=database).render_as_string(hide_password=False)

    def prepare(self, template: str, fill: Callable[[str], None], *, base: str | None = None) -> None:
        """Make a template once, of nothing or of another one: `fill` gets the URL of the database.

        It must leave no connection to it open.
        """
        if template not in self._templates:
            url = self.create(base)
            fill(url)
            self._templates[template] = str(make_url(url).database)

    def back_up(self, url: str) -> str:
        """Keep a database as it is now, and return the name of the copy; whoever is connected to it is cut off."""
        database, copy = make_url(url).database, f"test_{uuid.uuid4().hex[:16]}"
        self._execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")
        self._execute(f'CREATE DATABASE "{copy}" TEMPLATE "{database}" STRATEGY FILE_COPY')
        self._created.add(copy)
        return copy

    def set_back(self, url: str, copy: str) -> None:
        """Put a kept copy in the place of a database, whoever is connected to that."""
        database = make_url(url).database
        self._execute(f'DROP DATABASE "{database}" WITH (FORCE)')
        self._execute(f'CREATE DATABASE "{database}" TEMPLATE "{copy}" STRATEGY FILE_COPY')

    def drop(self, url: str) -> None:
        """Drop a database that `create` made, whoever is still connected to it."""
        database = str(make_url(url).database)
        self._execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')
        self._created.discard(database)

    def drop_all(self) -> None:
        """Drop every database that is left."""
        for database in sorted(self._created):
            self._execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')
        self._created.clear()
        self._templates.clear()

    def _execute(self, statement: str) -> None:
        with self._engine.connect() as connection:
            connection.execute(text(statement))
