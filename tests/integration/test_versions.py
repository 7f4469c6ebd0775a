"""docs/extend.md, "Change an event type or a fact": the page's service records one version, then the next."""

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import services
import shared.contracts
from shared.contracts import facts, upcasting
from shared.contracts import topic_reader as reading
from shared.contracts.topic_reader import Reader
from shared.journal.entry import Entry
from shared.rules.errors import Refused
from shared.runtime.database import create_engine
from shared.runtime.differences import TableComparison
from shared.runtime.http import roles
from shared.runtime.outbox.relay import Outgoing, entry_message
from shared.runtime.process.migrations import upgrade
from shared.runtime.projections.rebuild import rebuild
from shared.runtime.service.manifest import Manifest
from shared.runtime.settings import Settings
from tests.integration.test_extend import FILES, NOON, PAGE, PEOPLE, found, waiting
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.services import query

CONTRACT = "shared/contracts/lost_chips.py"
HANDLERS = "services/lost_chips/handlers.py"
FIRST = re.compile(r'@fact\("lost_chips.found".*?found_by: Person\n', re.DOTALL)
[SECOND] = re.findall(r"^```python\n(@fact\(\"lost_chips.found\".*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
MIGRATIONS = "services/lost_chips/migrations"


def second_release() -> dict[str, str]:
    """The page's files, with the second version in place of the first."""
    contract, changed = FIRST.subn(lambda _: SECOND, FILES[CONTRACT])
    assert 1 == changed
    contract = contract.replace(
        "from shared.contracts.topics",
        "from shared.contracts.upcasting import Data, upcasts\nfrom shared.contracts.topics",
    )
    handlers = FILES[HANDLERS].replace("found_by=found.found_by", 'finder=found.found_by, place="bar"')
    assert FILES[HANDLERS] != handlers
    return FILES | {CONTRACT: contract, HANDLERS: handlers}


@pytest.fixture
def url(databases: Databases, tmp_path: Path) -> Iterator[str]:
    """A database with the schema of the service, which both releases have."""
    url, folder = databases.create(), tmp_path / "schema"
    write(folder, FILES)
    upgrade("lost-chips", folder / MIGRATIONS, url)
    yield url
    databases.drop(url)


def write(folder: Path, files: dict[str, str]) -> None:
    """Write the files of a release."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@contextmanager
def release(folder: Path, files: dict[str, str]) -> Iterator[Manifest]:
    """Give the service of a release; nothing of it stays behind."""
    write(folder, files)
    registries: list[dict[Any, Any]] = [
        facts.KINDS._by_name,
        reading._VIEWS,
        upcasting._UPCASTERS,
        roles._declared,
    ]
    kept, before = [dict(registry) for registry in registries], set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services, "__path__", [*services.__path__, str(folder / "services")])
        patch.setattr(shared.contracts, "__path__", [*shared.contracts.__path__, str(folder / "shared/contracts")])
        yield importlib.import_module("services.lost_chips.manifest").MANIFEST
    for registry, entries in zip(registries, kept, strict=True):
        registry.clear()
        registry.update(entries)
    for name in [name for name in sys.modules if name not in before and "lost_chips" in name]:
        del sys.modules[name]
    for package in (services, shared.contracts):
        if hasattr(package, "lost_chips"):
            del package.lost_chips


def published(entry: Entry) -> bytes:
    """An entry as the relay of the running release publishes it."""
    return entry_message("/lost-chips/shards/1", 1, Outgoing.of(entry))


def reader_of(manifest: Manifest) -> Reader:
    """A consumer of the service's topic that needs to know of chips."""
    assert manifest.publishes is not None
    contract = sys.modules["shared.contracts.lost_chips"]
    return Reader(manifest.publishes, contract.ChipTakenIn, contract.ChipReturned)


def rebuilt(desk: Desk, url: str, *, check: bool) -> TableComparison:
    """What a rebuild finds."""

    async def run() -> TableComparison:
        engine = create_engine(url, role=desk.manifest.schema)
        try:
            return await rebuild(engine, desk.manifest, Settings(DATABASE_URL=SecretStr(url)), check=check)
        finally:
            await engine.dispose()

    return desk.client.run(run())


def test_a_journal_of_two_versions_is_one_journal(tmp_path: Path, url: str) -> None:
    """Recorded by two releases: chained, verified, rebuilt and published as one; nothing of the first one changes."""
    with (
        release(tmp_path / "first", FILES) as manifest,
        desk_of(manifest, url, people=PEOPLE, clock=lambda: NOON) as desk,
    ):
        desk.feed("pit.events", found(1, "E-1", 500))
        [old] = desk.entries()
        first = published(old)
    with (
        release(tmp_path / "second", second_release()) as manifest,
        desk_of(manifest, url, people=PEOPLE, clock=lambda: NOON) as desk,
    ):
        desk.read_from(1)
        desk.feed("pit.events", found(2, "E-2", 2500))
        kept, new = desk.entries()  # verified
        assert (old, "lost_chips.found") == (kept, kept.draft.kind)
        assert ("lost_chips.found.v2", old.hash) == (new.draft.kind, new.previous)

        said: list[Any] = [*desk.facts()]
        assert [("floor.lee", "pit"), ("floor.lee", "bar")] == [(fact.finder, fact.place) for fact in said]
        assert [("E-1", 500), ("E-2", 2500)] == waiting(desk)
        assert {("BJ-01", "", "in_custody"): 3000, ("BJ-01", "", "owed_to_owner"): -3000} == desk.balances()

        before = query(url, "SELECT e::text FROM lost_chips.envelopes e ORDER BY 1")
        assert 0 == rebuilt(desk, url, check=True).different
        rebuilt(desk, url, check=False)
        assert before == query(url, "SELECT e::text FROM lost_chips.envelopes e ORDER BY 1")

        assert first == published(kept)  # what the older release did not come to publish goes out as it would have
        events = [reader_of(manifest).decode(published(one)) for one in (kept, new)]
        assert ["pit", "bar"] == [event.data.place for event in events]
        second = published(new)
    with release(tmp_path / "older", FILES) as manifest:
        older = reader_of(manifest)
        assert 500 == older.decode(first).data.value_cents
        with pytest.raises(Refused, match=r"kind 'lost_chips\.found\.v2' is not known here and may move money"):
            older.decode(second)


def test_the_older_release_quarantines_what_the_newer_one_writes(tmp_path: Path, url: str) -> None:
    """An event of a later version waits in quarantine, with the reason, and leads to nothing else."""
    newer = found(1, "E-1", 500) | {"type": "chips.found.v2"}
    with (
        release(tmp_path / "first", FILES) as manifest,
        desk_of(manifest, url, people=PEOPLE, clock=lambda: NOON) as desk,
    ):
        desk.feed("pit.events", newer)
        [reason] = desk.quarantined()
        assert "kind 'chips.found.v2' is not known here and may move money" in reason
        assert ["record.quarantined"] == [entry.draft.kind for entry in desk.entries()]
        assert [] == waiting(desk)
