"""A gaming day of every game through the real path, and what is done after it: the data of a release's archive."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from loadtest.floor.games import pit
from services.cli.demo.demo import PROPERTY, SETTINGS, play_day
from services.cli.demo.pit import ACCOUNTS, INVENTORY, METERS, People
from services.cli.demo.reports import delivery, wait_for_delivery
from services.cli.interrupts import InterruptGuard
from services.cli.services import load
from services.cli.stack.running_stack import RunningStack
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS, TOPICS
from shared.local import PostgresServer
from tests.releases.database import ABOUT, Files, dump, dump_topics
from tests.releases.database import load as load_database
from tests.support.asgi import AppClient
from tests.support.desk import desk_of
from tests.support.polling import eventually
from tests.support.services import produce, query, read_topic

_ROUNDS: Final = 144
_TABLES: Final = 12
_SEED: Final = 8
_SETTLEMENT: Final = "round-settlement"

REPORTS: Final = ("win-as-settled", "exceptions", "tax", "master-game", "statistics")
"""What is read of the archived books, to the byte."""


def play(folder: Path) -> Files:
    """Return the files of an archive: rows, records, keys and reports of a day that is played now."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS")
    }
    with (
        delivery(folder) as (_, delivering),
        RunningStack(environment=environment, settings=SETTINGS | delivering) as stack,
        People(stack) as people,
    ):
        day = play_day(stack, people, InterruptGuard(), pit(_TABLES), rounds=_ROUNDS, seed=_SEED)
        assert [] == day["differences"]
        _afterwards(people, day, stack)
        wait_for_delivery(people, folder)
        of_day = "SELECT FROM reporting.evidence_days"
        eventually(lambda: query(stack.database_url, of_day), seconds=180, because="the sealed day has its evidence")
        files = _at_rest(stack.database_url)
        files |= dump_topics(stack.bootstrap_servers, (topic.name for topic in TOPICS))
        [(cluster,)] = query(stack.database_url, "SELECT DISTINCT cluster FROM round_settlement.inputs")
        about = {
            "cluster_id": cluster,
            "property": PROPERTY,
            "gaming_day": day["gaming_day"],
            "known_at": datetime.now(UTC).isoformat(),
        }
        files["verifiers.txt"] = stack.home.verifiers_file.read_bytes()
        files[ABOUT] = json.dumps(about, indent=2, sort_keys=True).encode()
    with PostgresServer() as server:
        load_database(files, server.url)
        return files | read_reports(server.url, about)


def _at_rest(url: str) -> Files:
    """Return the rows when everything that was recorded is published, and read by those who read it."""
    dumps = [dump(url)]

    def rests() -> bool:
        dumps.append(dump(url))
        before, now = ({name: text for name, text in one.items() if _is_of_books(name)} for one in dumps[-2:])
        return before == now

    eventually(rests, seconds=60, every=2, because="the services have nothing left to do")
    return dumps[-1]


def _is_of_books(name: str) -> bool:
    return name.rpartition("/")[2] in ("entries.copy", "relay.copy", "sources.copy", "taken.copy")


def _afterwards(people: People, day: Mapping[str, Any], stack: RunningStack) -> None:
    """Do what a day has only now and then: changes, adjustments, corrections, requests about quarantine."""
    gaming_day, url = day["gaming_day"], stack.database_url
    of_property = f"WHERE property = '{PROPERTY}' ORDER BY 1"
    [(pool,), *_] = query(url, f"SELECT DISTINCT pool FROM progressive_meters.pools {of_property}")
    change = {"kind": "adjustment", "gaming_day": gaming_day, "reason": "sign misread", "cents": 100}
    for decision, body in (("approve", None), ("reject", {"reason": "read right"})):
        asked = people.does("demo.meter_clerk", METERS, f"/pools/{PROPERTY}/{pool}/changes", change)
        people.does("demo.meter_manager", METERS, f"/changes/{PROPERTY}/{asked['change']}/{decision}", body)
    opened = {"property": PROPERTY, "what": "table", "subject": "BJ01", "month": gaming_day[:7]}
    found = {"found": "the hold of the table", "owner": "audit.kim"}
    people.does("demo.revenue_auditor", INVENTORY, "/investigations", opened | found)
    [(account,), *_] = query(url, f"SELECT account FROM wagering_accounts.balances {of_property}")
    adjusted = {"cents": 100, "reason": "counted wrong"}
    path = f"/accounts/{PROPERTY}/{account}/adjustments"
    entered = people.does("demo.adjuster", ACCOUNTS, path, adjusted)
    people.does("demo.adjustment_approver", ACCOUNTS, f"{path}/{entered['adjustment']}/approve")
    result = {"contest": "friday-night", "fees_cents": 50_000, "prizes_cents": 45_000, "reason": "as the sheet has it"}
    path = f"/contests/{PROPERTY}/{gaming_day}"
    people.does("demo.accountant", INVENTORY, path, result)
    people.does("demo.controller", INVENTORY, f"{path}/friday-night/1/approve")
    for decision, body in (("reject", {"reason": "read right"}), ("approve", None)):
        proposed = people.does("demo.round_corrector", _SETTLEMENT, *_correction(stack, day))
        path = f"/corrections/{PROPERTY}/{proposed['correction']}/{decision}"
        people.does("demo.correction_approver", _SETTLEMENT, path, body)
    outcomes = "SELECT FROM round_settlement.correction_outcomes"
    eventually(lambda: query(url, outcomes), because="the correction that was approved has its outcome")
    for topic in (PIT_EVENTS, TABLE_EVENTS):
        produce(stack.bootstrap_servers, topic.name, [(b"unknown", b"no event")])
    because = "what is no event is in quarantine"
    waiting = "SELECT FROM round_settlement.quarantine WHERE resolved_at IS NULL"
    eventually(lambda: query(url, "SELECT FROM vigorish.quarantine, table_inventory.quarantine"), because=because)
    eventually(lambda: query(url, waiting), because=because)
    [(refused,)] = query(url, "SELECT max(id) FROM round_settlement.quarantine WHERE resolved_at IS NULL")
    people.does("demo.operator", _SETTLEMENT, f"/quarantine/{refused}/dismissal", {"reason": "a test of the vendor"})
    path = f"/quarantine/{refused}/requests/1/reject"
    people.does("demo.operations_manager", _SETTLEMENT, path, {"reason": "ask the vendor first"})
    together, path = {"until": refused, "reason": "a test of the vendor"}, "/quarantine/dismissals"
    asked = people.does("demo.operator", _SETTLEMENT, path, together)
    path = f"{path}/{asked['dismissal']}/reject"
    people.does("demo.operations_manager", _SETTLEMENT, path, {"reason": "ask the vendor first"})


def _correction(stack: RunningStack, day: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return where a round is corrected, and as what: the record that came first."""
    table, round_id = day["round"]["table"], day["round"]["round_id"]
    events = [_event(record.value) for record in read_topic(stack.bootstrap_servers, TABLE_EVENTS.name)]
    [first, *_] = [event["data"] for event in events if event.get("data", {}).get("round_id") == round_id]
    [(revision,)] = query(
        stack.database_url, f"SELECT revision FROM round_settlement.rounds WHERE round_id = '{round_id}'"
    )
    body = {"replaces": revision, "round": first["round"], "reason": "the camera shows what was dealt"}
    return f"/rounds/{PROPERTY}/{table}/{round_id}/corrections", body


def _event(value: bytes) -> dict[str, Any]:
    try:
        event: dict[str, Any] = json.loads(value)
    except ValueError:
        return {}
    return event


def read_reports(url: str, about: Mapping[str, Any]) -> Files:
    """Return the reports of the day as this code answers them from a database, as known when it was archived."""
    later = datetime.fromisoformat(about["known_at"]) + timedelta(hours=1)
    with desk_of(load("reporting"), url, people={"kim": ["reports.read"]}, clock=lambda: later) as desk:
        desk.context.pools.sign_by(None)  # the keys of the stack that signed its copies are not in the archive
        return {f"reports/{name}.json": _report(desk.client, name, about) for name in REPORTS}


def _report(client: AppClient, name: str, about: Mapping[str, Any]) -> bytes:
    asked = {name: about[name] for name in ("property", "gaming_day", "known_at")}
    answer = client.get(f"/reports/{name}", params=asked, headers={"Authorization": "Bearer token of kim"})
    assert answer.status_code == 200, answer.text
    return bytes(answer.content)
