"""The ledger of tables in the services themselves: their consumers, their commands over HTTP, PostgreSQL, reports."""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from http import HTTPStatus
from typing import Any, Final

import httpx

from services.progressive_meters.manifest import MANIFEST as METERS
from services.reporting.manifest import MANIFEST as REPORTING
from services.table_inventory.desk import changes_sender
from services.table_inventory.manifest import MANIFEST as INVENTORY
from services.table_inventory.stating import Stating
from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import shard_source
from shared.contracts.facts import KINDS
from shared.contracts.inventory import PitRecorded
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.topics import INVENTORY_ROUNDS
from shared.contracts.win import WinFigures, WinStated
from shared.journal.entry import Entry
from shared.journal.reading import read_entries
from shared.journal.verification import read_shards
from shared.runtime.commands.record_replay import Replay
from shared.runtime.outbox.relay import Outgoing, entry_message
from tests.days.acts import TABLES, Act
from tests.days.books import Standing
from tests.days.meter import POOL, Metered
from tests.days.telling import BASE_CENTS, RESET_CENTS, RULES, chips_of, figures_of, is_event, settlement_of, written
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.pit import PEOPLE, Clock, Rounds, Table
from tests.support.properties import property_event
from tests.unit.progressive_meters.office import PEOPLE as _OF_METERS
from tests.unit.progressive_meters.settlements import BAD_BEAT

_READERS: Final = {"audit.kim": ["reports.read", "patrons.report"]}
_STEPS: Final = (("preliminary", "audit.kim"), ("audited", "audit.lou"), ("final", "control.eve"))
_SIGNED: Final = {
    "requested_by": "pit.ray", "prepared_by": "cage.ann", "surrendered_by": "dealer.dan", "carried_by": "sec.gus",
    "received_by": "dealer.eli", "observed_by": "floor.fay",
}  # fmt: skip
_COUNTERS: Final = ("count.sue", "count.tom")

Json = dict[str, Any]


@dataclass
class Through:
    """The tables in three services on a database of their own.

    Acts have numbers; those of which the pit tells have places in the stream of their table, in the order in which they
    happened.
    """

    place: PropertySnapshot
    url: str
    first: date
    standing: dict[str, dict[tuple[date, str], Standing]] = field(default_factory=lambda: {one: {} for one in TABLES})
    revisions: int = 0
    sealed: dict[date, Json] = field(default_factory=dict)
    resolves: bool = False
    _last: Counter[str] = field(default_factory=Counter)
    _places: dict[int, int] = field(default_factory=dict)
    _acts: dict[tuple[str, int], int] = field(default_factory=dict)
    _told: set[int] = field(default_factory=set)
    _steps: dict[date, int] = field(default_factory=dict)
    _read: dict[int, int] = field(default_factory=dict)
    _settled: list[Json] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)
    _approved: dict[int, list[Replay]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        document = self.place.document
        self._property = document.property
        self._tables = {table: Table(table, property_name=self._property) for table in TABLES}
        self._rounds, self._clock = Rounds(), Clock()
        self._clock.now = self.place.begins_at(self.first)
        self._exit, self._outbox = ExitStack(), Outbox()
        inventory = desk_of(INVENTORY, self.url, people=PEOPLE, clock=self._clock, outbox=self._outbox)
        self._desk = self._exit.enter_context(inventory)
        self._reporting = self._exit.enter_context(desk_of(REPORTING, self.url, people=_READERS, clock=self._clock))
        self._meters = self._exit.enter_context(desk_of(METERS, self.url, people=_OF_METERS, clock=self._clock))
        self._stating = Stating(self._desk.context, doubtful_seconds=0.0)
        said = document.model_dump(mode="json", include={"gaming_day_begins", "plausibility", "other_gaming_day"})
        tables = {one.table: one.model_dump(include={"play", "sales"}) for one in document.tables}
        for desk in (self._desk, self._reporting, self._meters):
            desk.feed("properties", property_event(self._property, tables, **said))

        self._meters.feed("submissions", RULES)
        feeds = [{"table": table, "game": "blackjack", "meter": BAD_BEAT} for table in TABLES]
        of: Json = {"property": self._property, "pool": POOL, "gaming_day": f"{self.first}", "reason": "the pit opens"}
        terms: Json = {"feeds": feeds, "effective_from": f"{self._clock.now.isoformat()}"}
        amounts = {"base_cents": BASE_CENTS, "reset_cents": RESET_CENTS}
        self._by_two_at_meters("/pools", of | terms | amounts)

    def close(self) -> None:
        """End the services."""
        self._exit.close()

    # --- what is told ---

    def expect(self, act: Act) -> None:
        """Give the act its place in the stream of the pit; a box that comes off is carried, too.

        What a desk changes is approved now.
        """
        if is_event(act):
            self._last[act.table] += 1
            place = self._last[act.table]
            self._places[act.number], self._acts[act.table, place] = place, act.number
            self._last[act.table] += act.what == "exchanged"
        elif act.behind:
            self._clock.now = max(self._clock.now, act.at)
            self._approved[act.number] = self._approve(act)

    def take(self, act: Act) -> bool:
        """Tell the services of an act, and return whether they accepted it."""
        self._clock.now = max(self._clock.now, act.at)
        if act.what in ("round", "taken_back"):
            if act.number not in self._told:  # settlement says once what it is told twice
                self._settle(act)
        elif is_event(act):
            if act.number not in self._places:
                self.expect(act)
            self._desk.feed("pit.events", *self._events(act))
        elif act.behind:
            for one in self._approved[act.number]:
                self._desk.deliver(one)
        elif act.number not in self._told and not self._done_at_a_desk(act):  # nobody enters it twice
            return False
        self._told.add(act.number)
        return True

    def refusal(self, act: Act) -> str | None:
        """Return why an act is refused, and have two people dismiss its record; None where it is taken."""
        self.take(act)
        why = self._desk.quarantined()
        for one in self._get(self._desk, "/quarantine", "mender")["items"]:
            at = f"/quarantine/{one['quarantine']}"
            self._post(f"{at}/dismissal", "mender", {"reason": "typed wrong"})
            [request] = self._get(self._desk, at, "mender")["requests"]
            self._post(f"{at}/requests/{request['request']}/approve", "manager")
        return why[0] if why else None

    def _settle(self, act: Act) -> None:
        event = settlement_of(act, self._tables[act.table], self._rounds)
        self._settled.append(event)
        self._desk.feed("settlements", event)
        self._meters.feed("settlements", event)

    def _events(self, act: Act) -> Iterator[Json]:
        yield written(act, self._tables[act.table], self._places.__getitem__)
        if act.what == "exchanged":
            carried = {"box": act.box, "carried_by": "sec.gus", "received_by": "count.sue"}
            yield self._tables[act.table].event("box.transported", act.at, **carried)

    def _approve(self, act: Act) -> list[Replay]:
        """Have one person propose a change of an event and another approve it; return what is sent of that."""
        at = f"/pit-events/{self._property}/{act.table}/{self._places[act.of]}"
        body: Json = {"replaces": self._get(self._desk, at, "floor.mia")["revision"], "reason": "typed wrong"}
        if (instead := act.happened()) is not None:
            event = written(instead, self._tables[act.table], self._places.__getitem__)
            body |= {"at": event["time"], "instead": event["data"]}
        change = self._post(f"{at}/changes", "floor.mia", body)["change"]
        self._post(f"/pit-changes/{self._property}/{change}/approve", "audit.ned")
        before = len(self._outbox.sent)
        self._desk.client.run(changes_sender(self._desk.context).send())
        return self._outbox.sent[before:]

    def _done_at_a_desk(self, act: Act) -> bool:
        at = f"/slips/{self._property}/{act.kind}/{act.slip}"
        of: Json = {"property": self._property, "table": act.table, "gaming_day": f"{act.day}", "shift": act.shift}
        match act.what:
            case "prepared":
                asked = self._post("/requests", "pit.ray", {**of, "slip": act.kind, "contents": chips_of(act.cents)})
                wanted = {"property": self._property, "request": asked["request"]}
                assert self._post("/slips", "cage.bob", wanted)["number"] == act.slip
            case "voided":
                self._post(f"{at}/void", "cage.bob", {"reason": "wrong"})
            case "received":
                self._post(f"{at}/receive", "cage.ann", {"contents": chips_of(act.cents)})
            case "paper":
                said = {"slip": act.kind, "number": act.slip, "contents": chips_of(act.cents)}
                late = {"occurred_at": act.at.isoformat(), "reason": "outage"}
                self._post("/manual-slips", "cage.bob", {**of, **said, **late, **_SIGNED})
            case "found":
                self._count(act)
            case "written_off":
                box = {"table": act.table, "exchange": self._places[act.of], "which": act.kind, "reason": "burnt"}
                box["gaming_day"] = self._day_of_box(act)
                return self._by_two(f"/write-offs/{self._property}", box, "write_off")
            case "adjusted":
                said = {name: of[name] for name in ("table", "shift")} | {"figure": act.kind, "cents": act.cents}
                return self._by_two(f"{self._day(act.day)}/adjustments", said | {"reason": "found"}, "adjustment")
            case "accepted":
                self._accept(act)
            case _:
                raise AssertionError(act)
        return True

    def _accept(self, act: Act) -> None:
        """Have two people let the house bear an award of a gaming day so far."""
        days = [act.day - timedelta(days=back) for back in range((act.day - self.first).days + 1)]
        said = (act.table, act.cents)
        awards = [one for day in days for one in self._awards(day)]
        number = next(one["number"] for one in awards if (one["table"], one["short_cents"]) == said)
        wanted: Json = {"kind": "award", "movement": number, "gaming_day": f"{act.day}", "reason": "it was paid"}
        self._by_two_at_meters(f"/pools/{self._property}/{POOL}/changes", wanted)

    def _by_two_at_meters(self, path: str, body: Json) -> None:
        asked = self._meters.post(path, body, person="carl")
        _done(asked)
        _done(self._meters.post(f"{asked.headers['location']}/approve", person="bob"))

    def _by_two(self, path: str, body: Json, name: str) -> bool:
        """Have one person ask and another approve; return whether it could be asked."""
        asked = self._desk.post(path, body, person="audit.kim")
        if asked.status_code in (HTTPStatus.CONFLICT, HTTPStatus.NOT_FOUND):  # not closed, or never counted
            return False
        self._post(f"{path}/{_done(asked)[name]}/approve", "control.eve")
        return True

    def _day_of_box(self, act: Act) -> str:
        recorded = [one for one in self._desk.facts("pit.recorded") if isinstance(one, PitRecorded)]
        of = (act.table, self._places[act.of])
        fact = [one for one in recorded if (one.table, one.sequence) == of][-1]
        return fact.gaming_day.isoformat()

    def _count(self, act: Act) -> None:
        """Two people count a box; the count of a gaming day ends with the last of its boxes."""
        day = self._day_of_box(act)
        if day not in self._counts:
            opened = self._post("/drop-counts", "count.sue", {"property": self._property, "gaming_day": day})
            self._counts[day] = opened["count"]
        at = f"/drop-counts/{self._property}/{self._counts[day]}"
        of: Json = {"table": act.table, "exchange": self._places[act.of]}
        figures = figures_of(act).model_dump(mode="json", exclude_defaults=True)
        for person in _COUNTERS:
            self._post(f"{at}/boxes", person, of | {"figures": figures})
        if all(box["agreed"] for box in self._get(self._desk, at, "count.sue")["boxes"]):
            self._post(f"{at}/conclude", "count.sue")
            del self._counts[day]

    # --- what is stated ---

    def state(self, now: datetime) -> None:
        """State what is due, have reporting read what is published, and add up what is stated."""
        self._clock.now = now
        self._desk.client.run(self._stating.state())
        new = self._desk.client.run(self._new())
        if self._settled:
            self._reporting.feed("settlements", *self._settled)
            self._settled.clear()
        published = [
            entry_message(shard_source(INVENTORY.name, one.shard), one.shard, Outgoing.of(one))
            for one in new
            if KINDS[one.draft.kind].topic is not INVENTORY_ROUNDS  # those of rounds go to another topic
        ]
        if published:
            self._reporting.feed("inventory", *published)
        for fact in (decode_fact(one.draft.kind, one.draft.data) for one in new):
            if isinstance(fact, WinStated):
                key, of_table = (fact.gaming_day, fact.shift), self.standing[fact.table]
                of_table.setdefault(key, Standing.of(fact.table, fact.shift)).take(self._numbered(fact))
                self.revisions += 1
        refused = [why for desk in (self._desk, self._reporting, self._meters) for why in desk.quarantined()]
        assert [] == refused, refused

    async def _new(self) -> list[Entry]:
        """Return what was recorded since the last look."""
        async with self._desk.context.pools.background.connect() as connection:
            found = [
                entry
                for shard in await read_shards(connection, INVENTORY.journal)
                async for entry in read_entries(
                    connection, INVENTORY.journal, shard.shard, first=self._read.get(shard.shard, 0) + 1
                )
            ]
        self._read |= {one.shard: one.seq for one in found}
        return found

    def _numbered(self, fact: WinStated) -> WinStated:
        """Return a statement that names counts and boxes by the numbers of the acts."""
        counts, boxes = (tuple(self._acts[fact.table, one] for one in of) for of in (fact.counts, fact.boxes))
        return fact.model_copy(update={"counts": counts, "boxes": boxes})

    def unlike_stated(self, table: str, day: date, now: datetime) -> Iterator[str]:
        """Return in words where the win that is read of a table is not the one that is stated."""
        read = {row["shift"]: row for row in self._wins(table, day, now)}
        stated = {shift: one for (of, shift), one in self.standing[table].items() if of == day}
        for shift in sorted({*read, *stated}):
            row = read.get(shift, {})
            said = row | {"adjusted_cents": row.get("adjustments_cents", 0), "boxes": len(row.get("boxes", ()))}
            for name, value in stated[shift].sums if shift in stated else WinFigures():
                if (said.get(name) or 0) != value:
                    yield f"{day} {shift}: {name} is read as {said.get(name)}, and stated as {value}"
            missing = {one.what for one in stated[shift].missing} if shift in stated else set()
            if set(row.get("missing", ())) != missing:
                yield f"{day} {shift}: {row.get('missing')} is missing, and stated is {missing}"

    def variances(self, table: str, day: date, now: datetime) -> dict[str, int]:
        """Return the variance of the inventory that is read of each shift of a table on a gaming day."""
        return {row["shift"]: row.get("inventory_variance_cents", 0) for row in self._wins(table, day, now)}

    def _wins(self, table: str, day: date, now: datetime) -> list[Json]:
        self._clock.now = now
        rows: list[Json] = self._get(self._desk, f"{self._day(day)}/win", "reader")["shifts"]
        return [row for row in rows if row["table"] == table]

    def metered(self, day: date) -> Metered:
        """Return what is said of the meter on a gaming day."""
        said = self._get(self._meters, f"/reconciliations/{self._property}/{day}", "kim")
        [row] = said["pools"]
        short = {int(one["round_id"].removeprefix("r-")): one["short_cents"] for one in self._awards(day)}
        return Metered(said["balanced"], int(Fraction(row["closing_cents"]) * 1000), row["shown_cents"], short)

    def _awards(self, day: date) -> list[Json]:
        path = f"/reconciliations/{self._property}/{day}/exceptions?kind=award&limit=500"
        items: list[Json] = self._get(self._meters, path, "kim")["items"]
        return items

    # --- what is closed and reported ---

    def left(self, day: date, now: datetime, excused: Collection[str] = ()) -> list[str] | None:
        """Close a gaming day a step further, after its variances are resolved; return what keeps it from that."""
        done = self._steps.get(day, 0)
        if done == len(_STEPS):
            return None
        self.state(now)
        step, person = _STEPS[done]
        if step != "preliminary":
            self._resolve(day)
            self.state(now)
        without = {"excused": [{"table": table, "reason": "nobody was there"} for table in excused]}
        answer = self._desk.post(f"{self._day(day)}/{step}", without if step == "preliminary" else None, person=person)
        if answer.status_code == HTTPStatus.CONFLICT:
            return [answer.json()["detail"]]
        closed = _done(answer)
        self._steps[day] = done + 1
        if step == "final":
            self.sealed[day] = closed["report"]
        self.state(now)
        return []

    def _resolve(self, day: date) -> None:
        for one in self._get(self._desk, f"{self._day(day)}/review", "audit.kim")["variances"]:
            if one["level"] != "noted" and one["status"] != "resolved":
                at = f"/variances/{self._property}/{day}/{one['variance']}/{one['table']}/{one['number']}"
                self._post(f"{at}/own", "audit.kim", {"owner": "audit.kim"})
                self._post(f"{at}/resolve", "audit.kim", {"conclusion": "explained"})
                self.resolves = True

    def report(self, name: str, day: date) -> Json | None:
        """Return a report of a gaming day; None where nothing is known of it."""
        path = f"/reports/{name}?property={self._property}&gaming_day={day}"
        answer = self._reporting.get(path, person="audit.kim")
        return None if answer.status_code == HTTPStatus.NOT_FOUND else _done(answer)

    def _get(self, desk: Desk, path: str, person: str) -> Json:
        return _done(desk.get(path, person=person))

    def _post(self, path: str, person: str, body: Any = None) -> Json:
        return _done(self._desk.post(path, body, person=person))

    def _day(self, day: date) -> str:
        return f"/gaming-days/{self._property}/{day}"


def _done(answer: httpx.Response) -> Json:
    """Return what a service answers. Raises: AssertionError where it refuses."""
    assert answer.is_success, f"{answer.request.url}: {answer.text}"
    document: Json = answer.json()
    return document
