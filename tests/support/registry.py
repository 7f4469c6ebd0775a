"""The paytable registry on a database, without a broker: what there is to file, and people who file and approve."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import httpx

from services.paytable_registry.manifest import MANIFEST
from shared.journal.entry import Entry
from tests.support.desk import Desk, desk_of
from tests.support.properties import Tables, document
from tests.support.services import query

FILE, APPROVE, READ = (
    ["submissions.file", "properties.file", "ledger.file"],
    ["submissions.file.approve", "properties.file.approve", "ledger.file.approve"],
    ["submissions.read", "properties.read"],
)
"""The roles of those who file, approve and read."""

TABLES = {
    "BJ-01": "blackjack",
    "BJ-02": "blackjack",
    "BJ-09": "blackjack",
    "SW-01": "blackjack-switch",
    "SW-02": "switch",
}
"""The tables of every property, each with the game that it offers."""


def blackjack(effective_from: datetime) -> dict[str, Any]:
    """The body of `POST /submissions`: Blackjack from six decks with one side bet, on two tables."""
    return {
        "property": "riverbend",
        "game": "blackjack",
        "regulation": "pa-633a-2024",
        "tables": ["BJ-01", "BJ-02"],
        "effective_from": effective_from.isoformat().replace("+00:00", "Z"),
        "submission": {"decks": 6, "options": {"even_money": True}, "wagers": {"match_the_dealer": {}}},
    }


def riverbend(name: str = "riverbend", tables: Tables = TABLES, **changes: Any) -> dict[str, Any]:
    """The body of `POST /properties`: a property with these tables, from 2020 on."""
    return document(name, tables, **changes)


PEOPLE = {"ann": [*FILE, *APPROVE], "carl": FILE, "bob": APPROVE, "kim": READ, "lee": ["reports.read"]}


class Registry:
    """One process of the registry, and people who use it: ann and carl file, ann and bob approve, kim reads."""

    _keys = count(1)

    def __init__(self, desk: Desk, moment: list[datetime]) -> None:
        self.desk = desk
        self._moment = moment

    def wait(self, hours: int) -> None:
        """Lets time pass."""
        self._moment[0] += timedelta(hours=hours)

    def send(self, path: str, body: Any = None, *, person: str = "ann", key: str | None = None) -> httpx.Response:
        """Sends a command, under a key that no other has unless one is given."""
        return self.desk.post(path, body, person=person, key=key or f"{person}-{next(self._keys)}")

    def file(self, *, person: str = "ann", key: str | None = None, **changes: Any) -> httpx.Response:
        """Files a submission for blackjack at riverbend."""
        body = {**blackjack(self._moment[0]), **changes}
        if "tables" not in changes and body["game"] != "blackjack":
            body["tables"] = [table for table, game in TABLES.items() if game == body["game"]]
        return self.send("/submissions", body, person=person, key=key)

    def open(self, name: str = "riverbend", **changes: Any) -> None:
        """Files a property as ann, and approves it as bob."""
        filed = self.send("/properties", riverbend(name, **changes))
        assert 201 == filed.status_code, filed.text
        assert 200 == self.send(f"{filed.headers['location']}/approve", person="bob").status_code

    def approve(
        self, version: int = 1, *, person: str = "bob", key: str | None = None, override: str | None = None
    ) -> httpx.Response:
        """Approves a version of it, with the reason why its paybacks are passed over."""
        body = None if override is None else {"override": override}
        return self.send(f"/submissions/riverbend/blackjack/{version}/approve", body, person=person, key=key)

    def give_back(self, version: int = 1, *, person: str = "bob", reason: str = "not as agreed") -> httpx.Response:
        """Returns a version of it to who filed it."""
        return self.send(f"/submissions/riverbend/blackjack/{version}/return", {"reason": reason}, person=person)

    def withdraw(self, version: int = 1, how: str = "withdraw", *, person: str = "ann") -> httpx.Response:
        """Withdraws a version of it; `withdrawal/approve` and `withdrawal/return` decide what was asked for."""
        body = None if how.endswith("approve") else {"reason": "the hotel opens later"}
        return self.send(f"/submissions/riverbend/blackjack/{version}/{how}", body, person=person)

    def in_effect(self, at: str | None = None, table: str = "BJ-01", *, person: str = "kim") -> dict[str, Any] | None:
        """The version in effect at a table at a moment, or now; None where there is none."""
        moment = "" if at is None else f"&at={at}"
        found = self.get(f"/submissions/in-effect?property=riverbend&table={table}{moment}", person=person)
        assert 200 == found.status_code, found.text
        [one] = found.json()["tables"]
        submission: dict[str, Any] | None = one.get("submission")
        return submission

    def get(self, path: str, *, person: str | None = "kim", **headers: str) -> httpx.Response:
        """Reads something."""
        return self.desk.get(path, person=person, **headers)

    def read(self, path: str, **headers: str) -> httpx.Response:
        """Reads something about the submission."""
        return self.get(f"/submissions/riverbend/blackjack{path}", **headers)

    def entries(self) -> list[Entry]:
        """The journal's entries about submissions, and of what was refused, shard by shard."""
        return [entry for entry in self.desk.entries() if not entry.draft.kind.startswith("property.")]

    def kinds(self) -> list[str]:
        """The kinds of these entries: of the commands, and what was refused at the door, in any order."""
        return sorted(entry.draft.kind for entry in self.entries())


@contextmanager
def a_registry(url: str, moment: datetime) -> Iterator[Registry]:
    """A process of the registry on a database, without the relay; the property is there."""
    moments = [moment]
    with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: moments[0]) as desk:
        registry = Registry(desk, moments)
        if not query(url, "SELECT FROM paytable_registry.properties"):
            registry.open()
        yield registry
