"""A pit for tests: events of tables, settled rounds, people at their desks, and table inventory on a real database."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx

from services.table_inventory.manifest import MANIFEST
from services.table_inventory.rating_statements import RatingStatements
from services.table_inventory.stating import Stating
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.properties import property_event
from tests.support.published import published

PROPERTY, DAY = "riverbend", "2026-11-20"
MORNING = datetime(2026, 11, 20, 10, tzinfo=UTC)

_PIT, _CAGE, _COUNT = "slips.request", "slips.prepare", "boxes.count"
_RATE = "ratings.enter"
_TRANSACT, _ALARMS = "cage.transact", "alarms.resolve"
_CREDIT, _APPROVE, _ISSUE = "creditlines.request", "creditlines.approve", "checks.prepare"
_AUDIT, _CONTROL, _READ = "days.audit", "days.audit.approve", "reports.read"

PEOPLE = {
    "floor.mia": ["pit.correct"],
    "audit.ned": ["pit.correct.approve"],
    "floor.two": ["pit.correct", "pit.correct.approve"],
    "floor.fay": [_RATE],
    "floor.gil": [_RATE],
    "floor.sup": [_RATE, "ratings.amend"],
    "Floor.SUP ": [_RATE, "ratings.amend"],
    "floor.pat": [_RATE, "ratings.amend"],
    "floor.ros": [_RATE, "ratings.amend"],
    "host.una": ["patrons.report"],
    "pit.ray": [_PIT],
    "pit.ivy": [_PIT],
    "cage.ann": [_CAGE, _TRANSACT],
    "cage.ann as pit": [_PIT],
    "cage.bob": [_CAGE, _TRANSACT],
    "credit.una": [_CREDIT, _ISSUE],
    "boss.abe": [_CREDIT, _APPROVE],
    "boss.bea": [_CREDIT, _APPROVE, _ISSUE],
    "boss.cal": [_APPROVE],
    "boss.dot": [_APPROVE],
    "pit.kai": [_ISSUE],
    "pit.lea": [_ISSUE],
    "count.sue": [_COUNT],
    "count.sue as audit": [_AUDIT],
    "count.tom": [_COUNT],
    "count.zoe": [_COUNT],
    "audit.kim": [_AUDIT, _READ],
    "audit.lou": [_AUDIT],
    "watch.max": [_ALARMS],
    "watch.ida": [_ALARMS],
    "control.eve": [_CONTROL, _AUDIT],
    "reader": [_READ],
    "mender": ["quarantine.mend"],
    "manager": ["quarantine.approve"],
}
"""Who may do what."""


def chips(**counts: int) -> list[dict[str, Any]]:
    """Contents: `chips(c500=10, c2500=4)` is ten chips of $5 and four of $25."""
    return [{"kind": "chip", "cents": int(name[1:]), "count": number} for name, number in counts.items()]


def at(hours: float) -> datetime:
    """Return a moment so many hours after the morning."""
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

    def box_off(self, moment: datetime, box: str = "A1", placed: str | None = None) -> list[dict[str, Any]]:
        """The drop box comes off and reaches the count room; the next one, `placed`, has this name, or none."""
        boxes = {"removed_box": box} | ({} if placed is None else {"placed_box": placed})
        people = {"removed_by": "sec.gus", "witnessed_by": "floor.fay"}
        carried = {"carried_by": "sec.gus", "received_by": "count.sue"}
        return [
            self.event("box.exchanged", moment, **boxes, **people),
            self.event("box.transported", moment + timedelta(minutes=5), box=box, **carried),
        ]


class Rounds:
    """A shard of the settlement journal."""

    def __init__(self, shard: int = 1) -> None:
        self._shard = shard
        self._seqs = count(1)

    def _event(self, kind: str, moment: datetime, data: Mapping[str, Any]) -> dict[str, Any]:
        sequence = next(self._seqs)
        return published(kind, data, service="round-settlement", shard=self._shard, sequence=sequence, at=moment)

    def posted(
        self,
        table: Table,
        moment: datetime,
        round_id: str,
        *,
        revision: int = 1,
        lasted: int = 0,
        **total: int,
    ) -> dict[str, Any]:
        """A round was settled that was closed at a moment and lasted so many seconds; `total` is cents by figure."""
        data = _round(table, round_id) | {
            "regulation": "pa-633a-2024",
            "opened_at": (moment - timedelta(seconds=lasted)).isoformat(),
            "closed_at": moment.isoformat(),
            "submission": {"version": 1, "hash": "0" * 64},
            "revision": revision,
            "totals": [_total(1, total)],
            "lines": [],
            "meters": {},
            "record": {},
        }
        return self._event("settlement.posted", moment + timedelta(seconds=2), data)

    def reversed(
        self,
        table: Table,
        moment: datetime,
        round_id: str,
        closed_at: datetime | None = None,
        /,
        *,
        revision: int = 1,
        **total: int,
    ) -> dict[str, Any]:
        """A round was reversed at a moment; `total` is what was posted. Without `closed_at` it was closed then."""
        data = _round(table, round_id) | {
            "revision": revision,
            "closed_at": (closed_at or moment).isoformat(),
            "reverses": 1,
            "submission": {"version": 1, "hash": "0" * 64},
            "correction": {"reason": "misread card", "entered_by": "floor.lee", "approved_by": "audit.kim"},
            "totals": [_total(-1, total)],
        }
        return self._event("settlement.reversed", moment, data)

    def counted(self, table: Table, moment: datetime, **data: Any) -> dict[str, Any]:
        """A result of a counted table was recorded."""
        played = {"opened_at": moment.isoformat(), "closed_at": moment.isoformat(), "outcome": "banker"}
        return self._event("result.counted", moment, _result(table) | played | data)

    def uncounted(self, table: Table, moment: datetime, closed_at: datetime | None) -> dict[str, Any]:
        """A result was voided at a moment: one that ended at `closed_at`, or one that was not recorded."""
        said: dict[str, Any] = {"voids": 1, "counted": closed_at is not None}
        said["correction"] = {"reason": "wrong shoe", "entered_by": "floor.lee", "approved_by": "audit.kim"}
        if closed_at is not None:
            said["closed_at"] = closed_at.isoformat()
        return self._event("result.uncounted", moment, _result(table) | said)

    def said(self, kind: str, moment: datetime, data: Mapping[str, Any]) -> dict[str, Any]:
        """Round settlement says something else, of its input say."""
        return self._event(kind, moment, data)

    def voided(self, table: Table, moment: datetime, round_id: str) -> dict[str, Any]:
        """A round was voided before it was posted."""
        correction = {"reason": "misdeal", "entered_by": "floor.lee", "approved_by": "audit.kim"}
        return self._event("settlement.voided", moment, _round(table, round_id) | {"correction": correction})


def _round(table: Table, round_id: str) -> dict[str, Any]:
    return _played(table, "blackjack") | {"round_id": round_id}


def _result(table: Table) -> dict[str, Any]:
    return _played(table, "minibaccarat")


def _played(table: Table, game: str) -> dict[str, Any]:
    return {"property": table.property, "table": table.name, "game": game, "gaming_day": table.day}


def _total(sign: int, figures: Mapping[str, int]) -> dict[str, Any]:
    cents = {f"{name}_cents": sign * value for name, value in figures.items()}
    return {"wager": "blackjack", "count": sign, **cents}


class Clock:
    """Shows the moment that it was set to. `disturb`, if set, happens once, the next time somebody looks at it."""

    def __init__(self) -> None:
        self.now = MORNING + timedelta(hours=24)
        self.disturb: Callable[[], object] | None = None

    def __call__(self) -> datetime:
        disturb, self.disturb = self.disturb, None
        if disturb is not None:
            disturb()
        return self.now


class InventoryDesk:
    """Table inventory as one process has it: events go in as Kafka records, people call it over HTTP."""

    def __init__(self, desk: Desk, clock: Clock) -> None:
        self.desk = desk
        self.clock = clock
        self._stating = Stating(desk.context)
        self._ratings = RatingStatements(desk.context)
        self.settled: list[Mapping[str, Any]] = []
        self.client = desk.client
        self.context = desk.context
        self.balances = desk.balances
        self.entries = desk.entries
        self.quarantined = desk.quarantined

    def pit(self, *events: Mapping[str, Any] | list[dict[str, Any]]) -> None:
        """Read pit events, as one batch: none of them before it happened."""
        each = [one for event in events for one in (event if isinstance(event, list) else [event])]
        self.clock.now = max(self.clock.now, *(datetime.fromisoformat(one["time"]) for one in each))
        self.desk.feed("pit.events", *each)

    def settle(self, *events: Mapping[str, Any]) -> None:
        """Read settlements, as one batch; what was read is kept in `settled`."""
        self.settled.extend(events)
        self.desk.feed("settlements", *events)

    def rate(self, *events: Mapping[str, Any]) -> None:
        """Read rating events, as one batch: none of them before it happened."""
        self.clock.now = max(self.clock.now, *(datetime.fromisoformat(one["time"]) for one in events))
        self.desk.feed("rating.events", *events)

    def state_ratings(self) -> int:
        """State the ratings that are otherwise than was stated of them, as the service does each second."""
        return self.desk.client.run(self._ratings.state())

    def state(self) -> int:
        """State what is other than was stated of it, as the service does each second."""
        return self.desk.client.run(self._stating.state())

    def send(self, path: str, body: Any = None, *, person: str, key: str | None = None) -> httpx.Response:
        """Send a command, under a key of its own unless one is given; wins were stated before."""
        self.state()
        return self.desk.post(path, body, person=person, key=key)

    def done(self, path: str, body: Any = None, *, person: str, key: str | None = None) -> dict[str, Any]:
        """Send a command that must succeed; return its answer."""
        answer = self.send(path, body, person=person, key=key)
        assert answer.status_code in (200, 201), answer.text
        document: dict[str, Any] = answer.json()
        return document

    def get(self, path: str, *, person: str = "reader", **headers: str) -> httpx.Response:
        """Read something."""
        return self.desk.get(path, person=person, **headers)

    def read(self, path: str) -> dict[str, Any]:
        """Read what must be there."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def win(self, day: str = DAY) -> dict[str, Any]:
        """The win as it would be sealed now."""
        return self.read(f"/gaming-days/{PROPERTY}/{day}/win")

    def variances(self, day: str = DAY) -> list[dict[str, Any]]:
        """The variances of a gaming day."""
        items: list[dict[str, Any]] = self.read(f"/variances?property={PROPERTY}&gaming_day={day}")["items"]
        return items

    def follow_ups(self, kind: str, day: str = DAY) -> list[dict[str, Any]]:
        """What has to be looked after of a gaming day, of a kind."""
        items = self.read(f"/gaming-days/{PROPERTY}/{day}/follow-ups")["items"]
        return [item for item in items if item["kind"] == kind]

    def has_only(self, *tables: str, **changes: Any) -> None:
        """The property is amended: it has these tables and no others."""
        self.desk.feed("properties", property_event(PROPERTY, tables, sequence=2, version=2, **changes))

    def slip(self, kind: str, table: str, contents: Any, *, pit: str = "pit.ray", cage: str = "cage.bob") -> int:
        """A slip requested and prepared; gives its number."""
        place = {"property": PROPERTY, "table": table, "gaming_day": DAY, "shift": "day"}
        wanted = self.done("/requests", {"slip": kind, "contents": contents, **place}, person=pit)
        prepared = self.done("/slips", {"property": PROPERTY, "request": wanted["request"]}, person=cage)
        number: int = prepared["number"]
        return number

    def count_boxes(self, *boxes: tuple[str, int, Any], day: str = DAY) -> dict[str, Any]:
        """A count of boxes, (table, exchange, figures), by two people; concluded."""
        number = self.done("/drop-counts", {"property": PROPERTY, "gaming_day": day}, person="count.sue")["count"]
        for table, exchange, figures in boxes:
            body = {"table": table, "exchange": exchange, "figures": figures}
            for person in ("count.sue", "count.tom"):
                self.done(f"/drop-counts/{PROPERTY}/{number}/boxes", body, person=person)
        return self.done(f"/drop-counts/{PROPERTY}/{number}/conclude", person="count.sue")


@contextmanager
def inventory_desk(url: str, outbox: Outbox | None = None) -> Iterator[InventoryDesk]:
    """Give table inventory on a database with its schema."""
    clock = Clock()
    with desk_of(MANIFEST, url, people=PEOPLE, clock=clock, outbox=outbox) as desk:
        desk.feed("properties", property_event(PROPERTY))
        yield InventoryDesk(desk, clock)
