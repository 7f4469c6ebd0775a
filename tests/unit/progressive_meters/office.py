"""The meters on a database, without a broker: settlements by hand, people over HTTP."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import httpx

from services.progressive_meters.manifest import MANIFEST
from tests.support.desk import Desk, desk_of
from tests.support.properties import property_event
from tests.support.services import query
from tests.unit.progressive_meters.settlements import BAD_BEAT, DAY, NOON, PROPERTY

PEOPLE = {
    "ann": ["meters.change", "meters.change.approve"],
    "carl": ["meters.change"],
    "bob": ["meters.change.approve"],
    "kim": ["meters.reconcile", "reports.read"],
    "sign": ["signs.read"],
}
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


class Clock:
    """Shows the moment that it was set to. `disturb`, if set, happens once, the next time somebody looks at it."""

    def __init__(self) -> None:
        self.now = NOON
        self.disturb: Callable[[], object] | None = None

    def __call__(self) -> datetime:
        disturb, self.disturb = self.disturb, None
        if disturb is not None:
            disturb()
        return self.now


class Office:
    """The service, and people who use it: ann and carl request, ann and bob approve, kim reads and reconciles."""

    def __init__(self, desk: Desk, clock: Clock) -> None:
        self.desk = desk
        self.clock = clock
        self.quarantined = desk.quarantined
        self.entries = desk.entries
        self.balances = desk.balances

    def send(self, path: str, body: Any = None, *, person: str = "ann", key: str | None = None) -> httpx.Response:
        """Sends a command, under a key of its own unless one is given."""
        return self.desk.post(path, body, person=person, key=key)

    def get(self, path: str, *, person: str | None = "kim", **headers: str) -> httpx.Response:
        """Reads something."""
        return self.desk.get(path, person=person, **headers)

    def read(self, path: str) -> Any:
        """Reads something that is there."""
        answer = self.get(path)
        assert 200 == answer.status_code, answer.text
        return answer.json()

    def learn(self, *approved: Mapping[str, Any]) -> None:
        """Reads rules submissions."""
        self.desk.feed("submissions", *approved)

    def settle(self, *events: Mapping[str, Any] | bytes, partition: int = 0) -> None:
        """Reads settlements, as one batch."""
        self.desk.feed("settlements", *events, partition=partition)

    def open_pool(self, pool: str = "major", *feeds: Mapping[str, str], **changes: Any) -> None:
        """A pool, filed by carl and approved by bob."""
        filed = self.send("/pools", terms(pool, *feeds, **changes), person="carl")
        assert 201 == filed.status_code, filed.text
        approved = self.send(f"{filed.headers['location']}/approve", person="bob")
        assert 200 == approved.status_code, approved.text

    def request(self, pool: str, **wanted: Any) -> str:
        """Where a change is found that carl requested."""
        body = {"gaming_day": DAY, "reason": "as agreed"} | wanted
        requested = self.send(f"/pools/{PROPERTY}/{pool}/changes", body, person="carl")
        assert 201 == requested.status_code, requested.text
        return str(requested.headers["location"])

    def change(self, pool: str, **wanted: Any) -> httpx.Response:
        """A change, requested by carl and approved by bob; gives the answer to the approval."""
        return self.send(f"{self.request(pool, **wanted)}/approve", person="bob")

    def shows(self, pool: str = "major") -> str:
        """The exact cents on a pool's display."""
        display: str = self.read(f"/pools/{PROPERTY}/{pool}")["display_cents"]
        return display

    def reconciliation(self) -> dict[str, Any]:
        """The day as it would be recorded; every identity in it holds, and it balances but for awards above a meter."""
        report: dict[str, Any] = self.read(f"/reconciliations/{PROPERTY}/{DAY}")
        assert ([], not self.exceptions("&kind=award")) == (report["wrong"], report["balanced"])
        return report

    def exceptions(self, more: str = "") -> list[dict[str, Any]]:
        """Differences on the day."""
        path = f"/reconciliations/{PROPERTY}/{DAY}/exceptions?limit=500{more}"
        items: list[dict[str, Any]] = self.read(path)["items"]
        return items

    def kinds(self) -> list[str]:
        """The kinds of the journal's entries, shard by shard."""
        return [entry.draft.kind for entry in self.entries()]


@contextmanager
def an_office(url: str) -> Iterator[Office]:
    """A process of the service on a database, without relay and broker."""
    clock = Clock()
    with desk_of(MANIFEST, url, people=PEOPLE, clock=clock) as desk:
        if not query(url, "SELECT FROM progressive_meters.properties"):
            desk.feed("properties", property_event())
        yield Office(desk, clock)
