"""A process of the meters on a database, without a broker: settlements by hand, people over HTTP."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import httpx

from services.progressive_meters import SERVICE
from services.progressive_meters.processing import Settlements
from services.progressive_meters.tables import journal, submissions
from shared.journal.entry import Entry
from shared.journal.ledger import Ledger
from shared.journal.reading import Balance, balances, read_entries
from shared.journal.verification import Problem, Verified, read_shards, verify_shard
from shared.runtime.consume.consumer import Consumer
from shared.runtime.consume.handler import Processor, Record
from shared.runtime.consume.submissions import RulesSubmissions
from shared.runtime.database import create_engine
from shared.runtime.metrics import Metrics
from shared.runtime.service.run import Parts, application
from shared.runtime.settings import Settings
from shared.runtime.web.access import Caller, token_hash
from tests.support.asgi import AppClient
from tests.support.rounds import encoded
from tests.unit.progressive_meters.settlements import BAD_BEAT, DAY, NOON, PROPERTY

PEOPLE = {
    "ann": ["meter_request", "meter_approve"],
    "carl": ["meter_request"],
    "bob": ["meter_approve"],
    "kim": ["meter_reconcile", "report"],
}
CALLERS = [
    Caller(person=person, token_sha256=token_hash(f"token of {person}"), roles=frozenset(roles))
    for person, roles in PEOPLE.items()
]
BEFORE = NOON - timedelta(hours=1)


def feed(table: str = "BJ-01", game: str = "blackjack", meter: str = BAD_BEAT) -> dict[str, str]:
    """A feed."""
    return {"table": table, "game": game, "meter": meter}


def terms(pool: str = "major", *feeds: Mapping[str, str], **changes: Any) -> dict[str, Any]:
    """The body of `POST /pools`."""
    return {
        "property": PROPERTY,
        "pool": pool,
        "feeds": list(feeds) or [feed()],
        "effective_from": BEFORE.isoformat(),
        "gaming_day": DAY,
        "base_cents": 500000,
        "reset_cents": 500000,
        "reason": "opening of the pit",
    } | changes


class Office:
    """The service, and people who use it: ann and carl request, ann and bob approve, kim reads and reconciles."""

    def __init__(self, client: AppClient, parts: Parts, clock: list[datetime]) -> None:
        self.client = client
        self.clock = clock
        self.parts = parts
        self._keys = count(1)
        self._offsets = count()
        self._consumers: dict[str, Consumer] = {}

    def send(self, path: str, body: Any = None, *, person: str = "ann", key: str | None = None) -> httpx.Response:
        """Sends a command, under a key of its own unless one is given."""
        headers = {
            "Authorization": f"Bearer token of {person}",
            "Idempotency-Key": key or f"{person}-{next(self._keys)}",
        }
        return self.client.post(path, json=body, headers=headers)

    def get(self, path: str, *, person: str | None = "kim", **headers: str) -> httpx.Response:
        """Reads something."""
        token = {} if person is None else {"Authorization": f"Bearer token of {person}"}
        return self.client.get(path, headers=token | headers)

    def read(self, path: str) -> Any:
        """Reads something that is there."""
        answer = self.get(path)
        assert 200 == answer.status_code, answer.text
        return answer.json()

    def learn(self, *approved: Mapping[str, Any]) -> None:
        """Reads rules submissions."""
        self._feed(RulesSubmissions(submissions, lambda: self.clock[0]), "submissions", approved)

    def settle(self, *events: Mapping[str, Any] | bytes, partition: int = 0) -> None:
        """Reads settlements, as one batch."""
        self._feed(Settlements(), f"settlements-{partition}", events)

    def open_pool(self, pool: str = "major", *feeds: Mapping[str, str], **changes: Any) -> None:
        """A pool, filed by carl and approved by bob."""
        filed = self.send("/pools", terms(pool, *feeds, **changes), person="carl")
        assert 201 == filed.status_code, filed.text
        approved = self.send(f"{filed.headers['location']}/approve", person="bob")
        assert 200 == approved.status_code, approved.text

    def change(self, pool: str, **wanted: Any) -> httpx.Response:
        """A change, requested by carl and approved by bob; gives the answer to the approval."""
        body = {"gaming_day": DAY, "reason": "as agreed"} | wanted
        requested = self.send(f"/pools/{PROPERTY}/{pool}/changes", body, person="carl")
        assert 201 == requested.status_code, requested.text
        return self.send(f"{requested.headers['location']}/approve", person="bob")

    def shows(self, pool: str = "major") -> str:
        """The exact cents on a pool's display."""
        display: str = self.read(f"/pools/{PROPERTY}/{pool}")["display"]
        return display

    def reconciliation(self) -> dict[str, Any]:
        """The day's report; every identity in it holds."""
        report: dict[str, Any] = self.read(f"/reports/reconciliation?property={PROPERTY}&gaming_day={DAY}")
        assert ([], True) == (report["wrong"], report["balanced"])
        return report

    def exceptions(self) -> list[dict[str, Any]]:
        """What does not agree on the day."""
        items: list[dict[str, Any]] = self.read(f"/reports/exceptions?property={PROPERTY}&gaming_day={DAY}")["items"]
        return items

    def quarantined(self) -> list[str]:
        """Why records wait in quarantine."""

        async def read() -> list[str]:
            q = journal.quarantine
            async with self.parts.engine.connect() as connection:
                rows = await connection.execute(q.select().where(q.c.resolved_at.is_(None)).order_by(q.c.id))
                return [row.reason for row in rows]

        return self.client.run(read())

    def entries(self) -> list[Entry]:
        """All that the journal holds, verified."""

        async def read() -> tuple[list[Entry], list[Problem]]:
            async with self.parts.engine.connect() as connection:
                shards = await read_shards(connection, journal)
                found = [one for shard in shards async for one in read_entries(connection, journal, shard.shard)]
                wrong = [
                    problem
                    for shard in shards
                    async for problem in verify_shard(connection, journal, shard, Verified(shard.name))
                ]
                return found, wrong

        found, wrong = self.client.run(read())
        assert [] == wrong
        return found

    def balances(self) -> Sequence[Balance]:
        """The balances of all accounts that hold something."""

        async def read() -> Sequence[Balance]:
            async with self.parts.engine.connect() as connection:
                return [balance for balance in await balances(connection, journal) if balance.cents]

        return self.client.run(read())

    def kinds(self) -> list[str]:
        """The kinds of the journal's entries, in the order of their recording."""
        return [entry.draft.kind for entry in self.entries()]

    def _feed(self, processor: Processor[Any], name: str, events: Sequence[Mapping[str, Any] | bytes]) -> None:
        async def handle() -> None:
            consumer = self._consumers.get(name)
            if consumer is None:
                consumer = Consumer(
                    processor=processor,
                    ledger=self.parts.ledger,
                    engine=self.parts.engine,
                    metrics=self.parts.metrics,
                    clock=lambda: self.clock[0],
                    cluster_id=name,
                    retry_seconds_max=10,
                )
                await consumer.assigned([0])
                self._consumers[name] = consumer
            made = []
            for event in events:
                value = event if isinstance(event, bytes) else encoded(event)
                made.append(Record(processor.topic, 0, next(self._offsets), None, value, self.clock[0]))
            await consumer.handle(made)

        self.client.run(handle())


@contextmanager
def an_office(url: str) -> Iterator[Office]:
    """A process of the service on a database, without relay and broker."""
    clock, metrics = [NOON], Metrics()
    engine = create_engine(url, role="progressive_meters")
    parts = Parts(Settings(), engine, Ledger(journal), metrics, lambda: clock[0], lambda: None)
    app = application(SERVICE, parts, callers=CALLERS)
    with AppClient(app) as client:
        yield Office(client, parts, clock)
        client.run(engine.dispose())
