"""A pit for tests: events of tables, settled rounds, people at their desks, and a ledger on a real database."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx

from services.table_inventory import SERVICE
from services.table_inventory.processing import PitEvents, Settlements
from services.table_inventory.tables import journal
from shared.journal.entry import Entry
from shared.journal.ledger import Ledger
from shared.journal.reading import Balance, balances, read_entries
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.consume.consumer import Consumer
from shared.runtime.consume.handler import Record
from shared.runtime.database import create_engine
from shared.runtime.metrics import Metrics
from shared.runtime.service.run import Parts, application
from shared.runtime.settings import Settings
from shared.runtime.web.access import Caller, token_hash
from tests.support.asgi import AppClient
from tests.support.rounds import encoded

PROPERTY, DAY = "riverbend", "2026-11-20"
MORNING = datetime(2026, 11, 20, 10, tzinfo=UTC)

PEOPLE = {
    "pit.ray": ["pit"],
    "pit.ivy": ["pit"],
    "cage.ann": ["cage", "pit"],
    "cage.bob": ["cage"],
    "count.sue": ["count", "audit"],
    "count.tom": ["count"],
    "count.zoe": ["count"],
    "audit.kim": ["audit", "report"],
    "audit.lou": ["audit"],
    "control.eve": ["control", "audit"],
    "reader": ["report"],
}
"""Who may do what."""

CALLERS = [
    Caller(person=person, token_sha256=token_hash(f"token of {person}"), roles=frozenset(roles))
    for person, roles in PEOPLE.items()
]


def chips(**counts: int) -> list[dict[str, Any]]:
    """Contents: `chips(c500=10, c2500=4)` is ten chips of $5 and four of $25."""
    return [{"kind": "chip", "cents": int(name[1:]), "count": number} for name, number in counts.items()]


def at(hours: float) -> datetime:
    """A moment so many hours after the morning."""
    return MORNING + timedelta(hours=hours)


class Table:
    """A table that reports to its pit stream and to settlement, in the order of the calls."""

    def __init__(self, name: str, *, property_name: str = PROPERTY) -> None:
        self.name = name
        self.property = property_name
        self.source = f"/properties/{property_name}/tables/{name}/pit"
        self.sequence = 0
        self.day, self.shift = DAY, "day"

    def event(self, kind: str, moment: datetime, **data: Any) -> dict[str, Any]:
        """The next event of the pit stream."""
        self.sequence += 1
        place = {"property": self.property, "table": self.name, "gaming_day": self.day, "shift": self.shift}
        return {
            "specversion": "1.0",
            "id": f"{self.name}-{self.sequence}",
            "source": self.source,
            "type": kind,
            "time": moment.isoformat(),
            "sequence": self.sequence,
            "data": place | data,
        }

    def opened(self, moment: datetime, contents: Any, **data: Any) -> dict[str, Any]:
        """The table opens."""
        people = {"dealer": "dealer.dan", "floorperson": "floor.fay", "game": "blackjack"}
        return self.event("table.opened", moment, contents=contents, **people | data)

    def closed(self, moment: datetime, contents: Any, **data: Any) -> dict[str, Any]:
        """The table closes."""
        people = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
        return self.event("table.closed", moment, contents=contents, **people | data)

    def sold(self, moment: datetime, cents: int, instrument: str = "currency", **data: Any) -> dict[str, Any]:
        """A player buys chips."""
        return self.event("chips.sold", moment, instrument=instrument, cents=cents, dealer="dealer.dan", **data)

    def box_off(self, moment: datetime, box: str = "A1") -> list[dict[str, Any]]:
        """The drop box comes off and reaches the count room."""
        people = {"removed_by": "sec.gus", "witnessed_by": "floor.fay"}
        carried = {"carried_by": "sec.gus", "received_by": "count.sue"}
        return [
            self.event("box.exchanged", moment, removed_box=box, placed_box=f"{box}x", **people),
            self.event("box.transported", moment + timedelta(minutes=5), box=box, **carried),
        ]


class Rounds:
    """A shard of the settlement journal."""

    def __init__(self, shard: int = 1) -> None:
        self.source = f"/round-settlement/shards/{shard}"
        self._seqs = count(1)

    def _event(self, kind: str, moment: datetime, data: Mapping[str, Any]) -> dict[str, Any]:
        seq = next(self._seqs)
        return {
            "specversion": "1.0",
            "id": f"{self.source[-1]}-{seq}",
            "source": self.source,
            "type": kind,
            "time": moment.isoformat(),
            "sequence": seq,
            "recordedat": moment.isoformat(),
            "entryhash": "0" * 64,
            "data": dict(data),
        }

    def posted(
        self, table: Table, moment: datetime, round_id: str, *, revision: int = 1, **total: int
    ) -> dict[str, Any]:
        """A round was settled."""
        return self._event(
            "settlement.posted",
            moment + timedelta(seconds=2),
            _round(table, round_id)
            | {
                "regulation": "pa-633a-2024",
                "opened_at": moment.isoformat(),
                "closed_at": moment.isoformat(),
                "submission": {"version": 1, "hash": "0" * 64},
                "revision": revision,
                "totals": [{"wager": "blackjack", "count": 1, **total}],
                "lines": [],
                "meters": {},
                "record": {},
            },
        )

    def reversed(
        self, table: Table, moment: datetime, round_id: str, *, revision: int = 1, **total: int
    ) -> dict[str, Any]:
        """A round was taken back; `total` is what had been posted."""
        taken = {name: -cents for name, cents in total.items()}
        return self._event(
            "settlement.reversed",
            moment,
            _round(table, round_id)
            | {
                "revision": revision,
                "reverses": 1,
                "correction": {"reason": "misread card", "entered_by": "floor.lee", "approved_by": "audit.kim"},
                "totals": [{"wager": "blackjack", "count": -1, **taken}],
            },
        )

    def voided(self, table: Table, moment: datetime, round_id: str) -> dict[str, Any]:
        """A round was voided before it was posted."""
        correction = {"reason": "misdeal", "entered_by": "floor.lee", "approved_by": "audit.kim"}
        return self._event("settlement.voided", moment, _round(table, round_id) | {"correction": correction})


def _round(table: Table, round_id: str) -> dict[str, Any]:
    place = {"property": table.property, "table": table.name, "game": "blackjack", "gaming_day": table.day}
    return place | {"round_id": round_id}


class Clock:
    """Shows the moment that it was set to. `disturb`, if set, happens once, the next time somebody looks at it."""

    def __init__(self) -> None:
        self.now = MORNING + timedelta(hours=20)
        self.disturb: Callable[[], object] | None = None

    def __call__(self) -> datetime:
        disturb, self.disturb = self.disturb, None
        if disturb is not None:
            disturb()
        return self.now


class Ledgerdesk:
    """The ledger as one process has it: events go in as Kafka records, people call it over HTTP."""

    def __init__(self, client: AppClient, parts: Parts, clock: Clock) -> None:
        self.client = client
        self.parts = parts
        self.clock = clock
        self._keys = count(1)
        self._offsets: dict[str, count[int]] = {"pit.events": count(0), "settlements": count(0)}
        self._consumers: dict[str, Consumer] = {}

    def pit(self, *events: Mapping[str, Any] | list[dict[str, Any]]) -> None:
        """Processes pit events, in one batch."""
        flat = [one for event in events for one in (event if isinstance(event, list) else [event])]
        self._handle("pit.events", PitEvents(), flat)

    def settle(self, *events: Mapping[str, Any]) -> None:
        """Processes settlement events, in one batch."""
        self._handle("settlements", Settlements(), list(events))

    def _handle(self, topic: str, processor: Any, events: list[Any]) -> None:
        records = [
            Record(topic, 0, next(self._offsets[topic]), event["source"].encode(), encoded(event), self.clock.now)
            for event in events
        ]

        async def handle() -> None:
            consumer = self._consumers.get(topic)
            if consumer is None:
                consumer = self._consumers[topic] = Consumer(
                    processor=processor,
                    ledger=self.parts.ledger,
                    engine=self.parts.engine,
                    metrics=self.parts.metrics,
                    clock=lambda: self.clock.now,
                    cluster_id="test",
                    retry_seconds_max=10,
                )
                await consumer.assigned([0])
            await consumer.handle(records)

        self.client.run(handle())

    def send(self, path: str, body: Any = None, *, person: str, key: str | None = None) -> httpx.Response:
        """Sends a command, under a key of its own unless one is given."""
        headers = {
            "Authorization": f"Bearer token of {person}",
            "Idempotency-Key": key or f"key-{next(self._keys)}",
        }
        return self.client.post(path, json=body, headers=headers)

    def done(self, path: str, body: Any = None, *, person: str, key: str | None = None) -> dict[str, Any]:
        """Sends a command that must succeed; gives its answer."""
        answer = self.send(path, body, person=person, key=key)
        assert answer.status_code in (200, 201), answer.text
        document: dict[str, Any] = answer.json()
        return document

    def get(self, path: str, *, person: str = "reader", **headers: str) -> httpx.Response:
        """Reads something."""
        return self.client.get(path, headers={"Authorization": f"Bearer token of {person}", **headers})

    def read(self, path: str) -> dict[str, Any]:
        """Reads what must be there."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def win(self, day: str = DAY) -> dict[str, Any]:
        """The win report."""
        return self.read(f"/reports/win?property={PROPERTY}&gaming_day={day}")

    def variances(self, day: str = DAY) -> list[dict[str, Any]]:
        """The variances of a gaming day."""
        items: list[dict[str, Any]] = self.read(f"/variances?property={PROPERTY}&gaming_day={day}")["items"]
        return items

    def exceptions(self, day: str = DAY, **wanted: str) -> list[dict[str, Any]]:
        """The exceptions of a gaming day."""
        more = "".join(f"&{name}={value}" for name, value in wanted.items())
        path = f"/reports/inventory-exceptions?property={PROPERTY}&gaming_day={day}{more}"
        items: list[dict[str, Any]] = self.read(path)["items"]
        return items

    def slip(self, kind: str, table: str, contents: Any, *, pit: str = "pit.ray", cage: str = "cage.bob") -> int:
        """A slip requested and prepared; gives its number."""
        place = {"property": PROPERTY, "table": table, "gaming_day": DAY, "shift": "day"}
        wanted = self.done("/requests", {"slip": kind, "contents": contents, **place}, person=pit)
        prepared = self.done("/slips", {"property": PROPERTY, "request": wanted["request"]}, person=cage)
        number: int = prepared["number"]
        return number

    def count_boxes(self, *boxes: tuple[str, int, Any]) -> dict[str, Any]:
        """A count of boxes, (table, exchange, figures), by two people; concluded."""
        number = self.done("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="count.sue")["count"]
        for table, exchange, figures in boxes:
            body = {"table": table, "exchange": exchange, "figures": figures}
            for person in ("count.sue", "count.tom"):
                self.done(f"/drop-counts/{PROPERTY}/{number}/boxes", body, person=person)
        return self.done(f"/drop-counts/{PROPERTY}/{number}/conclude", person="count.sue")

    def entries(self) -> list[Entry]:
        """Everything that was recorded, the commands first."""

        async def read() -> list[Entry]:
            async with self.parts.engine.connect() as connection:
                shards = sorted(await read_shards(connection, journal), key=lambda shard: shard.name != "commands")
                return [entry for shard in shards async for entry in read_entries(connection, journal, shard.shard)]

        return self.client.run(read())

    def balances(self) -> dict[tuple[str, str, str], int]:
        """The balance of every account that has one: (table, wager, leg) -> cents."""

        async def read() -> list[Balance]:
            async with self.parts.engine.connect() as connection:
                return list(await balances(connection, journal))

        return {balance.account[1:]: balance.cents for balance in self.client.run(read()) if balance.cents}

    def problems(self) -> list[Any]:
        """What is wrong with the journal."""

        async def verify() -> list[Any]:
            async with self.parts.engine.connect() as connection:
                return [
                    problem
                    for shard in await read_shards(connection, journal)
                    async for problem in verify_shard(connection, journal, shard, Verified(shard.name), [])
                ]

        return self.client.run(verify())


@contextmanager
def ledgerdesk(url: str) -> Iterator[Ledgerdesk]:
    """A ledger on a database with its schema."""
    clock, metrics = Clock(), Metrics()
    engine = create_engine(url, role="table_inventory")
    parts = Parts(Settings(), engine, Ledger(journal), metrics, clock, lambda: None)
    app = application(SERVICE, parts, callers=CALLERS)
    with AppClient(app) as client:
        yield Ledgerdesk(client, parts, clock)
        client.run(engine.dispose())
