"""A demo that goes on: a gaming day that was played on a stack with the console, and tables that go on sending."""

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any, Final
from zoneinfo import ZoneInfo

from loadtest.floor.devices import Devices
from loadtest.floor.floor_day import BEGINS as BEGINS_HERE
from loadtest.floor.games import pit
from loadtest.floor.pit import Report
from loadtest.traffic.publish import Publisher
from services.cli.demo.demo import PROPERTY, SETTINGS, play_day
from services.cli.demo.neighbor import BEGINS
from services.cli.demo.neighbor import PROPERTY as NEIGHBOR
from services.cli.demo.pit import People
from services.cli.interrupts import InterruptGuard
from services.cli.stack.running_stack import RunningStack
from shared.contracts.properties import PropertyDocument
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS
from tests.support.pit import Table
from tests.support.rounds import encoded
from tests.support.services import read_topic

ROUNDS: Final = 144
TABLES: Final = 12
SEED: Final = 8
"""A day on which a player banks early."""
ZONE: Final = ZoneInfo("America/New_York")


@dataclass
class RunningDemo:
    """Where its console is, its people, and what it takes to send more from its tables.

    `day` is the document of the day that was played; `gaming_day` is that of `PROPERTY`, which was sealed, and
    `round_id` was corrected.
    """

    console: str
    bootstrap_servers: str
    environment: Mapping[str, str]
    people: People
    devices: Devices
    day: Mapping[str, Any]
    gaming_day: str
    round_id: str
    _tables: dict[str, Table] = field(default_factory=dict)

    def table(self, name: str, day: str, property_name: str = NEIGHBOR) -> Table:
        """Return a table, which goes on with its stream, and reports on a gaming day from now on."""
        if name not in self._tables:
            self._tables[name] = table = Table(name, property_name=property_name)
            records = read_topic(self.bootstrap_servers, PIT_EVENTS.name)
            told = [json.loads(one.value)["sequence"] for one in records if one.key == table.source.encode()]
            table.sequence = max(told, default=0)
        self._tables[name].day = day
        return self._tables[name]

    def send(self, topic: str, *events: Mapping[str, Any]) -> None:
        """Send signed events."""
        with Publisher(self.bootstrap_servers, topic, devices=self.devices) as publisher:
            for event in events:
                publisher.send(Report(event["source"], encoded(event)))

    def play_round(self, table: str, **wagers: int) -> str:
        """Play the last round of a table of the neighbor once more, now; return the name of the round.

        Its first seat makes these wagers, in cents, besides.
        """
        source = f"/properties/{NEIGHBOR}/tables/{table}"
        records = read_topic(self.bootstrap_servers, TABLE_EVENTS.name)
        told = [json.loads(one.value) for one in records if one.key == source.encode()]
        told = [one for one in told if one["source"] == source]  # corrections of the desk have a stream of their own
        event = copy.deepcopy(next(one for one in reversed(told) if "round" in one["data"]))
        now = datetime.now(UTC)
        event["sequence"] = told[-1]["sequence"] + 1
        event |= {"id": f"{table}-{event['sequence']}", "time": now.isoformat()}
        round_id = f"{table}-live-{event['sequence']}"
        moments = {"opened_at": now.isoformat(), "closed_at": now.isoformat()}
        event["data"]["round"]["seats"][0]["wagers"] |= wagers
        event["data"] |= {"round_id": round_id, "gaming_day": neighbor_day(now), **moments}
        self.send(TABLE_EVENTS.name, event)
        return round_id

    def pit(self, *events: Mapping[str, Any]) -> None:
        """Report what happens at a table between rounds."""
        self.send(PIT_EVENTS.name, *events)


def neighbor_day(now: datetime) -> str:
    """Return the gaming day that runs at the neighbor."""
    return _running_day(now, BEGINS)


def running_day(now: datetime) -> str:
    """Return the gaming day that runs at the property whose day was played."""
    return _running_day(now, BEGINS_HERE)


def _running_day(now: datetime, begins: time) -> str:
    local = now.astimezone(ZONE)
    day = local.date().toordinal() - (local.time() < begins)
    return local.date().fromordinal(day).isoformat()


def neighbor_begins(day: str) -> datetime:
    """Return when a gaming day begins at the neighbor."""
    return datetime.combine(date.fromisoformat(day), BEGINS, ZONE)


@contextmanager
def running_demo(environment: Mapping[str, str]) -> Iterator[RunningDemo]:
    """Give a demo whose gaming day is played and sealed."""
    made: list[Devices] = []

    def installed(documents: Iterable[PropertyDocument]) -> Devices:
        made.append(Devices(documents))
        return made[-1]

    with (
        RunningStack(environment=environment, settings=SETTINGS, console=True, together=True) as stack,
        People(stack) as people,
    ):
        day = play_day(stack, people, InterruptGuard(), pit(TABLES), rounds=ROUNDS, seed=SEED, installed=installed)
        assert [] == day["differences"]
        assert stack.console_url is not None
        yield RunningDemo(
            console=stack.console_url,
            bootstrap_servers=stack.bootstrap_servers,
            environment=stack.environment,
            people=people,
            devices=made[-1],
            day=day,
            gaming_day=day["gaming_day"],
            round_id=day["round"]["round_id"],
        )


__all__ = [
    "NEIGHBOR",
    "PROPERTY",
    "ROUNDS",
    "RunningDemo",
    "neighbor_begins",
    "neighbor_day",
    "running_day",
    "running_demo",
]
