"""A running stack for tests of the command line: a short day, and what an owner of its database can read and do."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import psycopg
from sqlalchemy import make_url

from services.cli.services import NAMES
from services.cli.stack.running_stack import RunningStack
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import Signer
from tests.support.polling import eventually
from tests.support.properties import OF_ANY_AGE, property_event
from tests.support.rounds import BLACKJACK, LOSING, completed, corrected, record, submission
from tests.support.services import produce

TABLE: Final = "BJ-01"
CORRECTED: Final = f"{TABLE}-r2"
PARTITIONS: Final = {"table.events": 4, "settlements": 4}
_QUICK: Final = {
    "PITLEDGER_CHECKPOINT_SECONDS": "1",
    "PITLEDGER_VERIFICATION_SECONDS": "1",
    "PITLEDGER_KAFKA_SESSION_SECONDS": "1",
}

_ALL_SIGNED: Final = """
    SELECT bool_and(next_seq - 1 <= (SELECT coalesce(max(size), 0) FROM round_settlement.checkpoints c
        WHERE c.shard = s.shard))
    FROM round_settlement.shards s
"""

Events = list[dict[str, Any] | tuple[bytes | None, bytes]]


@contextlib.contextmanager
def running_stack(environment: Mapping[str, str], services: Sequence[str] = NAMES) -> Iterator[RunningStack]:
    """Give services on the servers of the environment, after five rounds, one of them corrected."""
    with RunningStack(
        environment=environment, settings=_QUICK, services=services, partitions=PARTITIONS, together=True
    ) as running:
        registry = signer_of(running, "paytable-registry")
        produce(running.bootstrap_servers, "properties", [property_event(plausibility=OF_ANY_AGE)], signer=registry)
        produce(running.bootstrap_servers, "submissions", [submission()], signer=registry)
        eventually(
            lambda: rows(running, "SELECT 1 FROM round_settlement.properties, round_settlement.submissions"),
            because="property and submission arrived",
            seconds=60,
        )
        events: Events = [completed(TABLE, 1), completed(TABLE, 2, play=record(LOSING))]
        events += [completed(TABLE, number) for number in (3, 4, 5)]
        events += [corrected(TABLE, 6, CORRECTED, record(BLACKJACK))]
        produce(running.bootstrap_servers, "table.events", events)
        eventually(
            lambda: rows(running, "SELECT 1 FROM round_settlement.entries WHERE sequence = 6"),
            because="played",
            seconds=60,
        )
        yield running


def signer_of(stack: RunningStack, service: str) -> Signer:
    """The key with which a service of the stack signs what it publishes."""
    return Signer.from_pem(stack.home.key_file(service), signer_name(service))


def connect(stack: RunningStack) -> psycopg.Connection[Any]:
    """Return a connection as the database's owner."""
    url = make_url(stack.database_url).set(drivername="postgresql")
    return psycopg.connect(url.render_as_string(hide_password=False), autocommit=True)


def rows(stack: RunningStack, query: str) -> list[Any]:
    """Return the rows of a query."""
    with connect(stack) as connection:
        return connection.execute(query).fetchall()


@contextlib.contextmanager
def altered(stack: RunningStack, table: str, change: str, back: str) -> Iterator[None]:
    """Change what an owner of the database can who switches the triggers off; undone afterwards.

    The service has verified and signed what is there before: it finds the change, and signs nothing more of that shard.
    """
    eventually(lambda: rows(stack, _ALL_SIGNED) == [(True,)], because="the service has signed its journal")
    with connect(stack) as connection:
        connection.execute(f"ALTER TABLE round_settlement.{table} DISABLE TRIGGER USER")
        try:
            connection.execute(change)
            yield
            connection.execute(back)
        finally:
            connection.execute(f"ALTER TABLE round_settlement.{table} ENABLE TRIGGER USER")
