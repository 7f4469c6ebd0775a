"""The paytable registry on a database, without a broker: a submission to file, and people who file and approve."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import httpx

from services.paytable_registry.manifest import MANIFEST
from tests.support.desk import Desk, desk_of

FILE, APPROVE, READ = "submissions.file", "submissions.file.approve", "submissions.read"


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


PEOPLE = {"ann": [FILE, APPROVE], "carl": [FILE], "bob": [APPROVE], "kim": [READ], "lee": ["reports.read"]}


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
        return self.send("/submissions", {**blackjack(self._moment[0]), **changes}, person=person, key=key)

    def approve(self, version: int = 1, *, person: str = "bob", key: str | None = None) -> httpx.Response:
        """Approves a version of it."""
        return self.send(f"/submissions/riverbend/blackjack/{version}/approve", person=person, key=key)

    def reject(self, version: int = 1, *, person: str = "bob", reason: str = "not as agreed") -> httpx.Response:
        """Rejects a version of it."""
        return self.send(f"/submissions/riverbend/blackjack/{version}/reject", {"reason": reason}, person=person)

    def get(self, path: str, *, person: str | None = "kim", **headers: str) -> httpx.Response:
        """Reads something."""
        return self.desk.get(path, person=person, **headers)

    def read(self, path: str, **headers: str) -> httpx.Response:
        """Reads something about the submission."""
        return self.get(f"/submissions/riverbend/blackjack{path}", **headers)

    def kinds(self) -> list[str]:
        """The kinds of the journal's entries: of the commands, and what was refused at the door, in any order."""
        return sorted(entry.draft.kind for entry in self.desk.entries())


@contextmanager
def a_registry(url: str, moment: datetime) -> Iterator[Registry]:
    """A process of the registry on a database, without the relay."""
    moments = [moment]
    with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: moments[0]) as desk:
        yield Registry(desk, moments)
