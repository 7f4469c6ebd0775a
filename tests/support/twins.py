"""Worlds to be compared: one in which something was voided or corrected, and a twin in which it never happened.

A world is table inventory, vigorish and reporting on a database of its own: they read the same pit events, and
reporting reads what the other two publish.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from services.reporting.reports import REPORTS
from services.vigorish.manifest import MANIFEST as VIGORISH
from shared.contracts.envelope import shard_source
from shared.contracts.facts import KINDS
from shared.contracts.topics import INVENTORY, RATINGS, Topic
from shared.contracts.topics import VIGORISH as VIGORISH_TOPIC
from shared.runtime.commands.record_replay import Replay
from shared.runtime.http.roles import READ_REPORTS
from shared.runtime.outbox.relay import Outgoing, entry_message
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, inventory_desk
from tests.support.pit_changes import decide, propose, send_approved
from tests.support.properties import property_event
from tests.support.reporting import Books, books_of
from tests.support.services import query, settled_database

LATER = "2026-12-20T10:00:00Z"

Change = tuple[Mapping[str, Any], Mapping[str, Any] | None]
"""An event of the pit, and what it should have been; None: it is void."""

Picture = dict[str, Any]
"""What a world shows, by what was asked of it."""

_OF_THE_RECORD = re.compile(r"shard|seq|recorded_at|revision|stated_at|salt|commitment|turns")
"""Columns that say where and when something was recorded, which a void and what it voids are, too; and what is random.
"""

_ABOUT_RECORDS = ("touched", "pit_events", "wins_stated", "days", "pit_changes", "pit_change_outcomes")
"""Tables about what was recorded, looked at and sealed."""

_READS = (
    f"/gaming-days/{PROPERTY}/{DAY}/win",
    f"/gaming-days/{PROPERTY}/{DAY}/follow-ups",
    f"/variances?property={PROPERTY}&gaming_day={DAY}",
    f"/inventories?property={PROPERTY}&at={at(23.9).isoformat().replace('+', '%2B')}",
    f"/equipment?property={PROPERTY}",
    f"/slips?property={PROPERTY}&gaming_day={DAY}",
)


@dataclass(frozen=True)
class World:
    """Three services that read of one pit."""

    url: str
    inventory: InventoryDesk
    vigorish: Desk
    books: Books
    outbox: Outbox
    _fed: set[tuple[str, int, int]] = field(default_factory=set)

    def pit(self, *events: Mapping[str, Any]) -> None:
        """Let those that read pit events read these, as one batch."""
        self.inventory.pit(*events)
        self.vigorish.feed("pit.events", *events)

    def change(self, door: str, table: Table, *changes: Change) -> None:
        """Void events, or have others in their places: as the pit says so in its stream, or as two people at a desk."""
        if door == "topic":
            made = [voided(table, one) if other is None else corrected(table, one, other) for one, other in changes]
            self.pit(*made)
            return
        for event, instead in changes:
            proposed = propose(self.inventory, event, instead)
            assert 201 == proposed.status_code, proposed.text
            approved = decide(self.inventory, "approve", proposed.json()["change"])
            assert 200 == approved.status_code, approved.text
            self.take_effect()

    def take_effect(self) -> list[Replay]:
        """Have those that read pit events read what is approved; vigorish reads the approval before them."""
        self.tell_vigorish()
        sent = send_approved(self.inventory, self.outbox)
        for one in sent:
            self.inventory.desk.deliver(one)
            self.vigorish.deliver(one)
        return sent

    def tell_vigorish(self) -> None:
        """Let vigorish read what table inventory has published since."""
        new = [
            (place, one)
            for place, one in _published(self.inventory.desk, INVENTORY)
            if ("told", *place) not in self._fed
        ]
        self._fed.update(("told", *place) for place, _ in new)
        if new:
            self.vigorish.feed("inventory", *(message for _, message in new))

    def picture(self) -> Picture:
        """Everything that is shown: tables, balances, reads, what is stated, and every report."""
        self.inventory.state()
        shown: Picture = {path: _plain(self.inventory.read(path)) for path in _READS}
        shown["checks"] = self.inventory.get(f"/counter-checks/{PROPERTY}", person="cage.ann").json()
        shown["vigorish"] = self.vigorish.get(f"/follow-ups?property={PROPERTY}&gaming_day={DAY}", person="kim").json()
        for name, desk in (("inventory", self.inventory.desk), ("vigorish", self.vigorish)):
            shown[f"balances of {name}"] = desk.balances()
            for table in desk.manifest.projector.tables:
                if table.name not in _ABOUT_RECORDS:
                    shown[f"rows of {table.fullname}"] = _rows(self.url, table.fullname)
        shown["stated"] = _stated(self.url)
        return shown | self._reports()

    def section(self, report: str, name: str) -> list[dict[str, Any]]:
        """The rows of a section of a report, as it is now."""
        [found] = [one for one in self._report(report) if one["name"] == name]
        rows: list[dict[str, Any]] = found["rows"]
        return rows

    def publish(self) -> None:
        """Let reporting read what the other two have published since."""
        desk = self.books.desk
        inventory = self.inventory.desk
        for topic, of in ((INVENTORY, inventory), (RATINGS, inventory), (VIGORISH_TOPIC, self.vigorish)):
            published = _published(of, topic)
            if new := [message for place, message in published if (topic.name, *place) not in self._fed]:
                desk.feed(topic.name, *new)
            self._fed.update((topic.name, *place) for place, _ in published)

    def _reports(self) -> Picture:
        self.publish()
        found: Picture = {}
        for name in REPORTS:
            if name == "access":
                continue  # who voids something did something
            for section in self._report(name):
                if section["name"] in ("restatements", "amended"):
                    continue  # what has changed in between, if only for a while
                found[f"{name}/{section['name']}"] = _section(section)
        return found

    def _report(self, name: str) -> list[dict[str, Any]]:
        person = "audit.kim" if REPORTS[name].role == READ_REPORTS else "cage.lou"
        path = f"/reports/{name}?property={PROPERTY}&gaming_day={DAY}&known_at={LATER}"
        answer = self.books.get(f"{path}&period={REPORTS[name].periods[0]}", person=person)
        assert answer.status_code == 200, (name, answer.text)
        sections: list[dict[str, Any]] = answer.json()["content"]["sections"]
        return sections


def _published(desk: Desk, topic: Topic) -> list[tuple[tuple[int, int], bytes]]:
    """The entries of a service, by their places, as its relay publishes them to a topic.

    Those of kinds that are common to all journals are published to that of the service's main journal.
    """
    kinds = (RATINGS,) if topic is RATINGS else (topic, None)
    service = desk.manifest.name
    return [
        ((entry.shard, entry.seq), entry_message(shard_source(service, entry.shard), entry.shard, Outgoing.of(entry)))
        for entry in sorted(desk.entries(), key=lambda one: (one.recorded_at, one.shard, one.seq))
        if KINDS[entry.draft.kind].topic in kinds
    ]


_OF_THE_MOMENT = ("through", "subject_sha256", "sha256", "hash")


def _plain(document: Any) -> Any:
    """Leave out how far journals were read, and when something was asked."""
    if isinstance(document, dict):
        return {name: _plain(value) for name, value in document.items() if name not in _OF_THE_MOMENT}
    return [_plain(one) for one in document] if isinstance(document, list) else document


def _rows(url: str, table: str) -> list[Any]:
    """The rows of a table without places in the journal; what adds up to nothing is as if it were not there."""
    names = [name for (name,) in query(url, _COLUMNS.format(table=table)) if not _OF_THE_RECORD.fullmatch(name)]
    columns = ", ".join(f'"{name}"' for name in names)
    if table.endswith((".moved", ".brought_forward", ".owed")):
        keys = [name for name in names if not name.endswith("cents") and name not in ("rounds", "unknown")]
        sums = [name for name in names if name not in keys]
        key = ", ".join(f'"{name}"' for name in keys)
        added = ", ".join(f"sum({name})" for name in sums)
        some = " OR ".join(f"sum({name}) <> 0" for name in sums)
        return query(url, f"SELECT {key}, {added} FROM {table} GROUP BY {key} HAVING {some} ORDER BY {key}")
    return sorted(query(url, f"SELECT ROW({columns})::text FROM {table}"))


_COLUMNS = "SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped"


def _stated(url: str) -> list[Any]:
    """What was stated last of each shift; a shift of which nothing is left was never there."""
    return [
        row
        for row in query(
            url,
            'SELECT "table", gaming_day::text, shift, figures, missing, counts, boxes '
            "FROM table_inventory.wins_stated ORDER BY 1, 2, 3",
        )
        if any(row[3].values()) or row[4]
    ]


def _section(section: Mapping[str, Any]) -> list[Any]:
    rows = [
        {name: value for name, value in row.items() if name not in ("entry", "id", "version", "known_at")}
        for row in section["rows"]
        if row.get("kind") not in ("pit_voided", "restated")
    ]
    return sorted(rows, key=repr)


@contextmanager
def world_of(databases: Databases) -> Iterator[World]:
    """Give a world in which nothing has happened yet; its property has the table BJ-01 alone."""
    url = settled_database(databases, "table-inventory", "vigorish", "reporting")
    try:
        people = {"kim": ["reports.read"]}
        with (
            inventory_desk(url, outbox := Outbox()) as inventory,
            desk_of(VIGORISH, url, people=people, clock=inventory.clock) as vigorish,
            books_of(url) as books,
        ):
            inventory.has_only("BJ-01")
            vigorish.feed("properties", property_event(PROPERTY, ("BJ-01",)))
            books.desk.feed("properties", property_event(PROPERTY, ("BJ-01",), sequence=3))
            yield World(url, inventory, vigorish, replace(books, property_name=PROPERTY), outbox)
    finally:
        databases.drop(url)


def _changing(table: Table, event: Mapping[str, Any], kind: str, **more: Any) -> dict[str, Any]:
    about = {"event": event["type"], "sequence": event["sequence"], "correction": CORRECTION}
    made = table.event(f"pit_event.{kind}", at(24.5), **about, **more)
    made["data"] = {name: value for name, value in made["data"].items() if name not in ("gaming_day", "shift")}
    return made


def voided(table: Table, event: Mapping[str, Any]) -> dict[str, Any]:
    """The event that voids another one."""
    return _changing(table, event, "voided")


def corrected(table: Table, event: Mapping[str, Any], instead: Mapping[str, Any]) -> dict[str, Any]:
    """The event that says that another one should have been this."""
    return _changing(table, event, "corrected", at=instead["time"], instead=instead["data"])


CORRECTION = {"reason": "typed wrong", "entered_by": "floor.fay", "approved_by": "audit.kim"}


def differences(one: Picture, other: Picture) -> dict[str, Any]:
    """What two pictures show otherwise: of documents the members, of lists the rows that only one has."""
    found: dict[str, Any] = {}
    for name in sorted({*one, *other}):
        here, there = one.get(name), other.get(name)
        if here == there:
            continue
        if isinstance(here, dict) and isinstance(there, dict):
            found[name] = differences(here, there)
        elif isinstance(here, list) and isinstance(there, list):
            found[name] = [row for row in here if row not in there], [row for row in there if row not in here]
        else:
            found[name] = here, there
    return found
