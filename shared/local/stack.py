"""PostgreSQL and a broker on one machine: at the addresses in the environment, or embedded."""

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from shared.local.broker import Broker
from shared.local.kafka import KafkaServer
from shared.local.postgres import PostgresServer


class Stack:
    """The two servers that every service needs, running during a `with` block.

    `DATABASE_URL` and `KAFKA_BOOTSTRAP_SERVERS` in `environment` (by default the process's own) take precedence: a
    server at a given address is used and not started. With `directory`, the data of both servers are kept there between
    runs, and the broker is Apache Kafka. Without it the data are temporary, and the broker keeps its messages in
    memory. `postgres` and `broker` are None if the environment gives the address.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str] = os.environ,
        directory: Path | None = None,
        postgres_port: int | None = None,
        broker_port: int | None = None,
        postgres_settings: Mapping[str, str] | None = None,
    ) -> None:
        self._database_url = environment.get("DATABASE_URL", "")
        self._bootstrap_servers = environment.get("KAFKA_BOOTSTRAP_SERVERS", "")
        self.postgres: PostgresServer | None = None
        self.broker: KafkaServer | Broker | None = None
        if not self._database_url:
            kept = directory and directory / "postgres"
            self.postgres = PostgresServer(directory=kept, port=postgres_port, settings=postgres_settings)
        if not self._bootstrap_servers:
            kept = directory and directory / "kafka"
            self.broker = Broker(port=broker_port) if kept is None else KafkaServer(directory=kept, port=broker_port)
        self._running = ExitStack()

    @property
    def database_url(self) -> str:
        """Return the URL of the database, given or embedded; for the embedded one, as its owner."""
        return self._database_url if self.postgres is None else self.postgres.owner_url

    def urls_for(self, roles: Iterable[str]) -> Mapping[str, str]:
        """Return role -> database URL, for roles that exist.

        In the embedded database each role gets a login with a new password of its own. The logins of a given database
        are not changed: there all roles share the given URL, and a session switches to its role after connecting.
        """
        if self.postgres is None:
            return dict.fromkeys(roles, self._database_url)
        return self.postgres.give_logins(roles)

    @property
    def bootstrap_servers(self) -> str:
        """Return `host:port` of the broker, given or embedded."""
        return self._bootstrap_servers if self.broker is None else self.broker.bootstrap_servers

    def __enter__(self) -> Self:
        servers = [server for server in (self.postgres, self.broker) if server is not None]
        with ExitStack() as starting, ThreadPoolExecutor() as pool:
            for server in servers:
                starting.callback(server.close)
            for started in [pool.submit(server.start) for server in servers]:
                started.result()
            self._running = starting.pop_all()
        return self

    def __exit__(self, *reason: object) -> None:
        self._running.close()
