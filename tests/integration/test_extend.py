"""docs/extend.md: the event type and the service that it adds, from the page's own files, on a real database."""

import importlib
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import create_engine, inspect

import services
import shared.contracts
from services.cli.codegen.contracts import openapi, readers
from services.cli.codegen.deployment import texts
from services.cli.codegen.generate import drift, write
from services.cli.services import load_all
from shared.contracts import facts
from shared.contracts import topic_reader as reading
from shared.contracts.envelope import pit_source
from shared.contracts.schemas import asyncapi, json_schemas
from shared.runtime.database import create_engine as create_async_engine
from shared.runtime.differences import ComparedTable
from shared.runtime.http import roles
from shared.runtime.process.migrations import upgrade
from shared.runtime.projections.rebuild import rebuild
from shared.runtime.service.manifest import Manifest
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.services import ROOT, query

PAGE = (ROOT / "docs" / "extend.md").read_text()
FILES = dict(re.findall(r"^`([\w./]+)`:\n\n```(?:python|sql)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)
PEOPLE = {"lee": ["chips.return"], "kim": ["reports.read"]}


class Added(NamedTuple):
    """A service that was added to a tree."""

    manifest: Manifest
    url: str


@pytest.fixture
def added(tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Added]:
    """The page's service: its files in a tree of their own, its schema in a database. Nothing of it stays behind."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(services, "__path__", [*services.__path__, str(tmp_path / "services")])
    monkeypatch.setattr(shared.contracts, "__path__", [*shared.contracts.__path__, str(tmp_path / "shared/contracts")])
    before, url = set(sys.modules), databases.create()
    registries: list[dict[Any, Any]] = [facts.KINDS._by_name, reading._VIEWS, roles._declared]
    kept = [dict(registry) for registry in registries]
    manifest = importlib.import_module("services.lost_chips.manifest").MANIFEST
    upgrade(manifest.name, tmp_path / "services/lost_chips/migrations", url)
    yield Added(manifest, url)
    databases.drop(url)
    for registry, entries in zip(registries, kept, strict=True):
        registry.clear()
        registry.update(entries)
    for name in set(sys.modules) - before:
        if "lost_chips" in name:
            del sys.modules[name]


@pytest.fixture
def desk(added: Added) -> Iterator[Desk]:
    """The service, after a table reported two chips and something that is none of its business."""
    with desk_of(added.manifest, added.url, people=PEOPLE, clock=lambda: NOON) as desk:
        desk.feed("pit.events", found(1, "E-1", 500), found(2, "E-2", 2500), opened(3))
        yield desk


def found(sequence: int, tag: str, cents: int) -> dict[str, Any]:
    """A chip that a table reports."""
    return happened("chips.found", sequence, tag=tag, value_cents=cents, found_by="floor.lee")


def opened(sequence: int) -> dict[str, Any]:
    """An event that another service reads."""
    return happened("table.opened", sequence, contents=[], dealer="dana", floorperson="floor.lee")


def happened(kind: str, sequence: int, **data: Any) -> dict[str, Any]:
    """An event of a table's pit."""
    return {
        "specversion": "1.0",
        "id": f"e-{sequence}",
        "source": pit_source("riverside", "BJ-01"),
        "sequence": sequence,
        "type": kind,
        "time": NOON.isoformat(),
        "data": {"property": "riverside", "table": "BJ-01", "gaming_day": "2026-11-20", "shift": "day", **data},
    }


def waiting(desk: Desk) -> list[tuple[str, int]]:
    """Tag and value of the chips that wait, as the auditor reads them."""
    answer = desk.get("/chips?property=riverside", person="kim")
    assert answer.status_code == 200, answer.text
    return [(item["tag"], item["value_cents"]) for item in answer.json()["items"]]


def test_the_page_has_every_room() -> None:
    """Manifest, domain, handlers, commands, projector, tables, queries, api, migration, and the contract."""
    rooms = ("__init__", "manifest", "domain", "handlers", "commands", "projector", "tables", "queries", "api")
    assert {f"services/lost_chips/{room}.py" for room in rooms} <= FILES.keys()
    assert {"py", "sql"} == {name.rpartition(".")[2] for name in FILES if "migrations" in name}
    assert "shared/contracts/lost_chips.py" in FILES


def test_events_become_facts_money_and_rows(desk: Desk) -> None:
    """Each reported chip is one entry, owed to its owner, and is listed; the other event is passed over."""
    assert ["lost_chips.found", "lost_chips.found"] == [entry.draft.kind for entry in desk.entries()]
    assert [] == desk.quarantined()
    assert {("BJ-01", "", "in_custody"): 3000, ("BJ-01", "", "owed_to_owner"): -3000} == desk.balances()
    assert [("E-1", 500), ("E-2", 2500)] == waiting(desk)


def test_a_command_is_carried_out_once_or_rejected(desk: Desk) -> None:
    """A chip is given back, the same key gets the same answer, and what cannot be is a problem with a reason."""
    body = {"gaming_day": "2026-11-20", "owner": "pat.doe"}
    path = "/chips/riverside/E-1/return"

    first = desk.post(path, body, person="lee", key="k")
    assert (200, 500, "lee") == (first.status_code, first.json()["value_cents"], first.json()["by"])
    assert first.content == desk.post(path, body, person="lee", key="k").content
    assert [("E-2", 2500)] == waiting(desk)
    assert {("BJ-01", "", "in_custody"): 2500, ("BJ-01", "", "owed_to_owner"): -2500} == desk.balances()
    assert_problem(desk.post(path, body, person="lee"), 409, "was given back before")
    assert_problem(desk.post("/chips/riverside/E-9/return", body, person="lee"), 404, "there is no envelope 'E-9'")
    assert_problem(desk.post(path, body, person="kim"), 403, "chips.return")


def test_the_read_model_is_rebuilt(desk: Desk, added: Added) -> None:
    """The journal alone gives the same rows again; a row that was edited is found and corrected."""
    desk.post("/chips/riverside/E-1/return", {"gaming_day": "2026-11-20", "owner": "pat.doe"}, person="lee")
    before = query(added.url, "SELECT e::text FROM lost_chips.envelopes e ORDER BY 1")

    def rebuilt(*, check: bool) -> ComparedTable:
        async def run() -> ComparedTable:
            engine = create_async_engine(added.url, role=added.manifest.schema)
            try:
                compared, *_ = (await rebuild(engine, added.manifest, Settings(), check=check)).tables
            finally:
                await engine.dispose()
            return compared

        return desk.client.run(run())

    assert (2, 0) == (rebuilt(check=True).rows, rebuilt(check=True).different)
    owner = create_engine(added.url)
    with owner.begin() as connection:
        connection.exec_driver_sql("UPDATE lost_chips.envelopes SET value_cents = 1 WHERE tag = 'E-1'")
    owner.dispose()
    assert 1 == rebuilt(check=True).different
    rebuilt(check=False)
    assert before == query(added.url, "SELECT e::text FROM lost_chips.envelopes e ORDER BY 1")


def test_the_migration_makes_the_declared_tables(added: Added) -> None:
    """The schema has the tables of the service and those of its journal, and no other."""
    engine = create_engine(added.url)
    there = set(inspect(engine).get_table_names(schema=added.manifest.schema))
    engine.dispose()
    declared = {table.name for table in added.manifest.journal.entries.metadata.tables.values()}
    assert declared | {"alembic_version"} == there


def test_documents_follow_from_the_models_and_the_manifest(added: Added, tmp_path: Path) -> None:
    """Schemas, channels, readers, routes and infrastructure name the new kinds and the new service by themselves."""
    manifests = [*load_all(), added.manifest]
    assert {"chips.found", "lost_chips.found", "lost_chips.returned"} <= json_schemas().keys()
    assert "lost-chips" in readers(manifests)["pit.events"]
    assert "chipsFound" in asyncapi(readers(manifests))["channels"]["pitEvents"]["messages"]
    assert {"/chips", "/chips/{property}/{tag}/return"} <= openapi(added.manifest)["paths"].keys()
    for path in texts(load_all(), ROOT):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((ROOT / path).read_text() if (ROOT / path).exists() else "")
    write(texts(manifests, tmp_path), tmp_path)
    assert [] == drift(texts(manifests, tmp_path), tmp_path)
    assert "lost-chips:8120" in (tmp_path / "infra/prometheus/prometheus.yml").read_text()
