"""A cashier's desk that pays out, its database that is set back, and what is known outside of that."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import httpx
import psycopg
from pydantic import SecretStr
from sqlalchemy import URL

from services.wagering_accounts.manifest import MANIFEST
from shared.contracts.topics import ACCOUNTS
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.audit.outside_evidence import OutsideEvidence
from shared.runtime.high_water import HighWaterSource
from shared.runtime.outbox.relay import Relay
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from shared.runtime.settings import Settings
from tests.support.accounts import Clock, House, a_house
from tests.support.databases import Databases
from tests.support.services import query, read_topic

CENTS: Final = 100
"""What is paid out at a time."""
TILLS: Final = 6
DOUBT: Final = (503, "urn:pitledger:problem:journal-in-doubt")

Place = tuple[str, int]
"""The source of a shard, and the number of an entry in it."""


class Cashier:
    """One process of the wagering accounts: who pays out, its relay, and who watches its journal."""

    def __init__(self, house: House, relay: Relay, guard: JournalVerifier) -> None:
        self.house = house
        self._relay = relay
        self.guard = guard

    def pays(self, number: int) -> httpx.Response:
        """Pay out for the n-th time; sent again, it is the same command."""
        return self.house.cash_out(CENTS, f"GA-{number % TILLS}", key=f"cash-out-{number}")

    def publishes(self) -> int:
        """Publish what there is; return the number of entries."""
        return self.house.client.run(self._relay.publish())

    def watches(self) -> None:
        """Verify the journal, and sign it."""
        self.house.client.run(self.guard.watch())


@dataclass
class Bank:
    """An installation: a broker, a database, checkpoints outside, and one process of the service after the other."""

    url: str
    servers: str
    notary: CheckpointSigner
    databases: Databases
    key: Path

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the settings of an operator's commands."""
        return {
            "DATABASE_URL": self.url,
            "KAFKA_BOOTSTRAP_SERVERS": self.servers,
            "PITLEDGER_CHECKPOINT_DIRECTORY": str(self.notary.store.path),
            "PITLEDGER_CHECKPOINT_KEY_FILE": str(self.key),
        }

    @contextmanager
    def opens(self, clock: Clock | None = None, witness: HighWaterSource | None = None) -> Iterator[Cashier]:
        """Start the service, which asks this witness or else its topic and the checkpoints."""
        settings = Settings(database_url=SecretStr(self.url), kafka_bootstrap_servers=self.servers)
        witness = witness or OutsideEvidence(settings, MANIFEST.name, [ACCOUNTS.name], notary=self.notary)
        with a_house(self.url, clock, settings=settings, witness=witness) as house:

            async def made() -> Relay:
                return Relay(house.desk.context, MANIFEST.topic_of, MANIFEST.message_key)

            yield Cashier(house, house.client.run(made()), JournalVerifier(house.desk.context, self.notary))

    def paid(self) -> dict[str, int]:
        """Return what was paid out of each account, as the database says."""
        said = "SELECT data ->> 'account', sum((data ->> 'cents')::int)::int FROM wagering_accounts.entries"
        return dict(query(self.url, f"{said} WHERE kind = 'account.cashed_out' GROUP BY 1 ORDER BY 1"))

    def shards(self) -> list[tuple[Any, ...]]:
        """Return where each shard stands that has entries."""
        of_entries = "FROM wagering_accounts.shards WHERE next_seq > 1 ORDER BY 1"
        return query(self.url, f"SELECT name, next_seq, head {of_entries}")

    def published(self) -> Mapping[Place, set[str]]:
        """Return the hashes that were published of each entry."""
        found: dict[Place, set[str]] = {}
        for record in read_topic(self.servers, ACCOUNTS.name):
            said = json.loads(record.value)
            found.setdefault((said["source"], said["sequence"]), set()).add(said["entryhash"])
        return found


class Rows:
    """All rows of a service's schema, kept under a name, to be put back without a break of connections."""

    def __init__(self, url: URL, schema: str, name: str) -> None:
        self._url = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._schema, self._kept = schema, f"{name}_{schema}"
        with self._superuser() as connection:
            tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
            found = connection.execute(f"{tables} AND table_type = 'BASE TABLE'".encode(), [schema])
            self._tables = [table for (table,) in found]
            connection.execute(f"DROP SCHEMA IF EXISTS {self._kept} CASCADE".encode())
            connection.execute(f"CREATE SCHEMA {self._kept}".encode())
            for table in self._tables:
                kept = f'{self._kept}."{table}"'
                connection.execute(f'CREATE TABLE {kept} AS TABLE {schema}."{table}"'.encode())

    def put_back(self, *only: str, of: Self | None = None) -> None:
        """Put the rows back, of these tables or of all; or those that another service had in tables of these names."""
        with self._superuser() as connection:
            for table in only or self._tables:
                own, kept = f'{self._schema}."{table}"', f'{(of or self)._kept}."{table}"'
                connection.execute(f"DELETE FROM {own}".encode())
                connection.execute(f"INSERT INTO {own} OVERRIDING SYSTEM VALUE TABLE {kept}".encode())

    @contextmanager
    def _superuser(self) -> Iterator[psycopg.Connection[Any]]:
        with psycopg.connect(self._url) as connection:
            connection.execute("SET session_replication_role = replica")
            yield connection
