"""What a confidential service holds is known to people with its roles alone: everybody else is answered alike.

Two houses with the same stories, in one of which there are suspicious activity reports: every operation of every
service, every page of the console, every report, the metrics, the logs, and what each journal counts. They are asked
in the same order by people who have all roles but those of the room, administrators included. Only what no two houses
have in common is left out: random identifiers, hashes that follow from them, and measured times.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import structlog
import yaml
from fastapi.routing import APIRoute
from prometheus_client import generate_latest

from infra.acls import wanted
from services.cli.services import load_all
from services.console import floor
from shared.contracts.suspicions import SarPrepared
from shared.contracts.topics import NOTES, SUSPICIONS, TOPICS, VIGORISH
from shared.runtime.http.app import CONFIDENTIAL_METRICS
from shared.runtime.metrics import Metrics
from tests.faults.subjects.suspicious_activity import SUBJECT
from tests.support import Databases
from tests.support.accounts import PROPERTY
from tests.support.house import HERE, House, a_house, what_the_stories_lack
from tests.support.nightly import sampled
from tests.support.sars import NARRATIVE
from tests.support.services import query
from tests.support.told import AS_EVERYBODY, crews, outsiders

ROOM: Final = "suspicious-activity"
ADMINISTRATOR: Final = "outsider 1"
_FORMATS: Final = ("", "&format=csv")
_HIDDEN: Final = (
    (re.compile(r"console\.[0-9a-f-]{36}"), "KEY"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"\b[0-9a-f]{40,128}\b"), "HASH"),
    (re.compile(r"[A-Za-z0-9_+/-]{40,}={0,2}"), "TOKEN"),
    (re.compile(r"0x[0-9a-f]{6,}"), "ADDRESS"),
)
_MEASURED: Final = re.compile(r"^(process_|pitledger_\w*_seconds)|_created\b")


def reader() -> str:
    """Return somebody who reads reports, patrons' ones too, and files with FinCEN."""
    return next(name for name, roles in outsiders().items() if {"reports.read", "patrons.report"} <= set(roles))


def hidden(text: str) -> str:
    """Return a text without what no two houses have in common."""
    for pattern, name in _HIDDEN:
        text = pattern.sub(name, text)
    return text


def told_by(metrics: bytes) -> list[str]:
    """Return the lines of metrics that measure no time and no process."""
    return [line for line in metrics.decode().splitlines() if not _MEASURED.search(line.removeprefix("# HELP "))]


def asked(house: House) -> dict[str, Any]:
    """Return everything that somebody without a role of the room can be told."""
    found: dict[str, Any] = {}
    with structlog.testing.capture_logs() as lines:
        for service, desk in house.desks.items():
            document = desk.client.get("/openapi.json").json()
            for path, person in asking(house, document):
                answer = desk.get(path, person=person)
                found[f"{service} GET {path} as {person}"] = (answer.status_code, hidden(answer.text))
            if service == ROOM:
                found |= behind_its_door(house, document)
        found |= {f"report {path}": hidden(text) for path, text in reports(house)}
        found |= {f"page {path}": text for path, text in pages(house)}
    logged = [hidden(str(sorted(line.items()))) for line in lines if line.get("service") != ROOM]
    counted = {f"count of {name}": count for name, count in counts(house)}
    return found | counted | {"logs": logged} | {f"metrics of {name}": text for name, text in metrics(house)}


def asking(house: House, document: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield each address of a service that is read, with somebody who may read it, and somebody who may not."""
    for path, methods in document["paths"].items():
        if "get" not in methods or path == "/metrics":
            continue
        parameters = methods["get"].get("parameters", ())
        address = path
        query_: list[str] = []
        for one in parameters:
            schema = one["schema"]
            value = house.known.one(one["name"], schema.get("format", schema.get("type", "")))
            if one["name"] == "property":
                value = HERE
            if one["in"] == "path":
                address = address.replace(f"{{{one['name']}}}", value)
            elif one["in"] == "query" and one.get("required"):
                query_.append(f"{one['name']}={value}")
        wanted_ = {role for one in methods["get"].get("security", ()) for role in one["bearer"]}
        may = [f"{name}{AS_EVERYBODY}" for name, roles in outsiders().items() if wanted_ & set(roles)][:1]
        full = f"{address}?{'&'.join(query_)}" if query_ else address
        yield from ((full, person) for person in (*may, f"{ADMINISTRATOR}{AS_EVERYBODY}"))


def behind_its_door(house: House, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the room answers to commands, and to addresses that do not exist, of whoever has no role of it."""
    desk, found = house.desks[ROOM], dict[str, Any]()
    addresses = [path for path, methods in document["paths"].items() if "post" in methods]
    for path in (*addresses, "/nothing", f"/sars/{PROPERTY}/99/release"):
        address = path.replace("{property}", PROPERTY).replace("{sar}", "1")
        for name in outsiders():
            answer = desk.post(address, {"reason": "x"}, person=name + AS_EVERYBODY, key=f"k {address}")
            found[f"{ROOM} POST {path} as {name}"] = (answer.status_code, answer.text, sorted(answer.headers))
            assert answer.status_code == 403
    return found


def reports(house: House) -> Iterator[tuple[str, str]]:
    """Yield every report of a day, as JSON and as a file."""
    reporting = house.desks["reporting"]
    names = [
        path.split("/")[2] for path in reporting.client.get("/openapi.json").json()["paths"] if path.count("/") == 2
    ]
    for name in sorted({one for one in names if not one.startswith("{")}):
        for form in _FORMATS:
            path = f"/reports/{name}?property={HERE}&gaming_day=2026-11-20{form}"
            answer = reporting.get(path, person=f"{reader()}{AS_EVERYBODY}")
            yield path, f"{answer.status_code} {answer.text}"


def pages(house: House) -> Iterator[tuple[str, str]]:
    """Yield every page of the console, and what searching finds of what the reports are about."""
    searched = ("p-1", "sar", "1", "sar.prepared", "260000000001", "31000000000009", ROOM)
    addresses = [f"/p/{HERE}/search?q={word}" for word in searched]
    for route in house.browsers.pages:
        if isinstance(route, APIRoute) and "GET" in (route.methods or ()) and not route.path.endswith("/stream"):
            addresses.append(re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: value_of(house, found[1]), route.path))
    for address in addresses:
        answer = house.browsers.visit("GET", address, reader() + AS_EVERYBODY)
        yield address, f"{answer.status_code} {hidden(re.sub(_CSRF, 'CSRF', answer.text))}"


_CSRF: Final = re.compile(r'name="csrf" value="[^"]*"|"x-csrf-token": ?"[^"]*"')


def value_of(house: House, name: str) -> str:
    """Return what a part of an address is."""
    return {"property": HERE, "day": "2026-11-20", "service": ROOM, "name": "release-sar", "sar": "1"}.get(
        name, house.known.one(name, "")
    )


def counts(house: House) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield how many rows each table of each other journal has, and how far each of its shards is."""
    for service, desk in house.desks.items():
        if service == ROOM:
            continue
        url, schema = desk.context.settings.database_url.get_secret_value(), desk.manifest.schema
        yield f"{schema} shards", query(url, f"SELECT name, next_seq FROM {schema}.shards ORDER BY 1")
        tables = f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}' ORDER BY 1"
        for (table,) in query(url, tables):
            yield f"{schema}.{table}", query(url, f'SELECT count(*) FROM {schema}."{table}"')


def metrics(house: House) -> Iterator[tuple[str, list[str]]]:
    """Yield what monitoring is told of each service."""
    for service, desk in house.desks.items():
        yield service, told_by(desk.client.get("/metrics").content)


def reported(house: House) -> None:
    """Have three reports: one was accepted, one is withdrawn, one is prepared."""
    for ask in SUBJECT.commands:
        [role] = SUBJECT.people[ask.person]
        answer = house.desks[ROOM].post(ask.path, ask.body, person=role + AS_EVERYBODY)
        assert ask.status == answer.status_code, answer.text


@pytest.mark.timeout(1800)
@sampled(1, of="two houses")
def test_nobody_without_its_role_learns_that_a_report_exists(
    databases: Databases, patron_keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte by byte the same in a house with reports and in one without, however long a page takes."""
    del patron_keys
    monkeypatch.setattr(floor, "FRESH_SECONDS", math.inf)
    monkeypatch.setattr(floor, "BANDS_SECONDS", math.inf)
    monkeypatch.setattr(floor, "_BANDS_WAIT_SECONDS", None)
    with ExitStack() as stack:
        without, within = (stack.enter_context(a_house(databases, in_rooms=False)) for _ in range(2))
        for house in (without, within):
            what_the_stories_lack(house)
        with structlog.testing.capture_logs() as lines:
            reported(within)
        assert [] == [
            one for one in lines if one["log_level"] in ("error", "critical")
        ]  # of the room no other is written
        prepared = [len(house.desks[ROOM].facts(SarPrepared.KIND.name)) for house in (without, within)]
        assert [0, 3] == prepared
        assert NARRATIVE in within.desks[ROOM].get(f"/sars/{PROPERTY}/1/file", person=f"sar.prepare{AS_EVERYBODY}").text
        before, after = asked(without), asked(within)
    assert len(before) > 300
    assert before.keys() == after.keys()
    assert {} == {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def test_the_comparison_sees_a_report_where_one_is_shown(databases: Databases, patron_keys: None) -> None:
    """Whoever has the role is told of it by the same addresses: what is compared could have told it."""
    del patron_keys
    with a_house(databases) as house:
        desk = house.desks[ROOM]
        shown = desk.get(f"/sars?property={PROPERTY}", person=f"sar.prepare{AS_EVERYBODY}").text
        page = house.browsers.visit("GET", f"/p/{PROPERTY}/sars", insider() + AS_EVERYBODY).text
        registry = generate_latest(desk.context.metrics.registry).decode()
    assert '"sar":1' in shown
    assert "Accepted, latest first" in page
    assert "/p/riverside/sars/1" in page
    assert 'pitledger_http_requests_total{method="GET",route="/sars"' in registry


def insider() -> str:
    """Return somebody who has a role of the room."""
    return next(name for name, roles in crews().items() if "sar.prepare" in roles)


def test_a_confidential_service_has_no_topic_and_no_reader() -> None:
    """No cluster has its journal, its checkpoints are published nowhere, and Kafka would refuse it all the same."""
    assert SUSPICIONS not in (*TOPICS, *NOTES)
    manifests = load_all()
    assert [] == [one.name for one in manifests if SUSPICIONS in (*one.reads, *one.published)]
    grants = wanted(manifests, group_prefix="pitledger")
    assert {("topic", "properties"), ("group", f"pitledger-{ROOM}-")} == {
        (one.resource, one.name) for one in grants if one.principal == "User:suspicious_activity"
    }
    writes = {
        one.operation for one in grants if one.principal == "User:suspicious_activity" and one.resource == "topic"
    }
    assert {"describe", "read"} == writes


def test_no_alarm_depends_on_what_it_holds() -> None:
    """Whatever monitoring is told of the room is true of it when it is empty, too."""
    known = {one.name for one in Metrics().registry.collect()}
    assert set(CONFIDENTIAL_METRICS) <= known
    told = " ".join(CONFIDENTIAL_METRICS)
    for word in ("entries", "commands", "requests", "relay", "checkpoint", "witness", "late", "commit", "refused"):
        assert word not in told
    rules = yaml.safe_load(Path("infra/prometheus/rules.yml").read_text(encoding="utf-8"))
    assert [] == [rule for group in rules["groups"] for rule in group["rules"] if ROOM in str(rule)]


def test_a_manifest_that_tells_of_a_room_is_refused() -> None:
    """A confidential service that publishes, or whose door nobody may open, cannot be declared."""
    [room] = [one for one in load_all() if one.confidential]
    with pytest.raises(TypeError, match="publishes nothing"):
        replace(room, publishes=VIGORISH)
    with pytest.raises(TypeError, match="roles of its own"):
        replace(room, roles=())
