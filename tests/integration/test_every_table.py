"""Every table of every schema is known, and what the documentation says of it holds: whatever is done to one row."""

import ast
import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Table

from services.cli.books.tables import COMPARED, VERIFIED, Fate, every_table
from services.cli.services import NAMES, load, load_all
from services.round_settlement.manifest import MANIFEST
from services.round_settlement.tables import journal
from shared.journal.checkpoint_store import DirectoryStore
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.database import Pools, create_engine
from shared.runtime.process.run import context_of
from shared.runtime.projections.projection_replay import tables_of
from shared.runtime.projections.unprojected_tables import kept_checks
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support import rounds as played
from tests.support.corrections import PEOPLE, decide, propose, take_effect
from tests.support.desk import desk_of
from tests.support.nightly import sampled
from tests.support.outbox import Outbox
from tests.support.properties import property_event
from tests.support.rebuilding import compared
from tests.support.sealing import sealing_key, seals_of
from tests.support.services import query, settled_database
from tests.support.tampering import tampered, ways

SERVICE: Final = MANIFEST.name
ROOT: Final = Path(__file__).parents[2]
KNOWN: Final = every_table(load_all())
SAME_STREAMS: Final = {journal.sources.name, journal.taken.name}
"""Each says what the other should be: which of them was altered nobody can tell."""

COPIED: Final = {table.name for handler in MANIFEST.read_model_handlers for table in handler.copies}
NAMED_AS: Final = {"copies": COPIED | {"copies"}, "sources": SAME_STREAMS, "taken": SAME_STREAMS}

_EVERY: Final = """
    SELECT schemaname || '.' || tablename FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"""


def test_every_table_is_known(databases: Databases) -> None:
    """What the migrations of all services make, and nothing else: a new table is not forgotten."""
    url = settled_database(databases, *NAMES)
    assert sorted(KNOWN) == [name for (name,) in query(url, _EVERY)]
    databases.drop(url)


def _fates() -> list[tuple[str, Fate]]:
    return [(f"{name} {what}", fate) for name, kept in KNOWN.items() for what, fate in kept.fates.items()]


def test_every_test_that_is_named_is_there() -> None:
    """What is not attacked from the table of tables has a test of its own, or nothing that could be tested."""
    tests = {fate.test for _, fate in _fates() if fate.test}
    there = {
        f"{path}::{node.name}"
        for path in {name.partition("::")[0] for name in tests}
        for node in ast.walk(ast.parse((ROOT / path).read_text()))
        if isinstance(node, ast.FunctionDef)
    }
    assert set() == tests - there
    assert [] == [name for name, fate in _fates() if fate.how == "refused" and not fate.test]


def test_what_is_compared_is_compared() -> None:
    """Each table of which it is said is projected again, or has something that compares it."""
    for name in NAMES:
        manifest = load(name)
        said = {
            table.removeprefix(f"{manifest.schema}.")
            for table, kept in KNOWN.items()
            if table.startswith(f"{manifest.schema}.") and COMPARED in kept.fates.values()
        }
        assert set() == said - compared_tables(name)


def compared_tables(service: str) -> set[str]:
    """The tables that a comparison says something of."""
    manifest = load(service)
    return {table.name for table in (*tables_of(manifest), *kept_checks(manifest), *manifest.checks)}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where checkpoints are kept."""
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def url(databases: Databases, kept: Path) -> Iterator[str]:
    """A database of round settlement with at least a row in every table."""
    url = settled_database(databases, SERVICE)
    outbox = Outbox()
    people = PEOPLE | {"kim": [*PEOPLE["kim"], "quarantine.mend"]}
    with desk_of(MANIFEST, url, people=people, clock=lambda: played.DAY, outbox=outbox) as desk:
        counted = {"MB-01": {"game": "minibaccarat", "play": "counted"}}
        desk.feed("properties", property_event(tables={"BJ-01": {}} | counted))
        desk.feed("submissions", played.submission())
        rounds = [played.completed("BJ-01", seq, f"r-{seq}", played.record(played.WINNING)) for seq in (1, 2, 4, 7)]
        results = [played.result("MB-01", 1), played.voided_result("MB-01", 2, 1), played.voided_result("MB-01", 4, 3)]
        desk.feed("table.events", *rounds, *results, b"noise", b"more noise")
        for replaced in ("r-1", "r-2"):
            propose(desk, path=f"/rounds/riverside/BJ-01/{replaced}", play=played.record(played.BLACKJACK))
        assert 200 == decide(desk, "approve").status_code
        take_effect(desk, outbox)
        asked = {"reason": "noise of the vendor"}
        assert 201 == desk.post("/quarantine/1/dismissal", asked, person="kim").status_code
        assert 201 == desk.post("/quarantine/dismissals", asked | {"until": 9}, person="kim").status_code
    assert [] == problems(url, kept)
    yield url
    databases.drop(url)


def problems(url: str, kept: Path) -> list[str]:
    """What a service finds that begins its watch, in its first rotation."""

    async def work() -> list[str]:
        engine = create_engine(url, role=MANIFEST.schema)
        try:
            context = context_of(MANIFEST, Settings(), Pools.of_one(engine), seals=seals_of(SERVICE))
            guard = JournalVerifier(context, CheckpointSigner(SERVICE, sealing_key(SERVICE), DirectoryStore(kept)))
            await guard.watch()
        finally:
            await engine.dispose()
        return [str(problem) for problem in guard.problems]

    return asyncio.run(work())


def different(url: str) -> set[str]:
    """The tables that a comparison of the running service names."""
    found = compared(SERVICE, url, seals=seals_of(SERVICE))
    return {one.table for one in found.tables if one.different} | {one.what for one in found.uncompared}


def _tables(fate: Callable[[Fate], bool]) -> list[tuple[Table, str, str | None]]:
    found = []
    for table in journal.shards.metadata.sorted_tables:
        known = KNOWN.get(table.fullname)
        for what, column in ways(table, known.unseen) if known is not None else ():
            if fate(known.fates[what]):  # type: ignore[union-attr]
                found.append((table, what, column))
    return found


def _id(value: object) -> str:
    return value.name if isinstance(value, Table) else str(value or "row")


BY_COMPARISON: Final = _tables(lambda fate: fate == COMPARED or "copy" in fate.by)


@sampled(5)
@pytest.mark.parametrize(("table", "what", "column"), BY_COMPARISON, ids=_id)
def test_a_comparison_names_it(url: str, table: Table, what: str, column: str | None) -> None:
    """The table, by the running service; and nothing when it is as it was."""
    with tampered(url, table, what, column):
        assert different(url) & NAMED_AS.get(table.name, {table.name})


@sampled(5)
@pytest.mark.parametrize(("table", "what", "column"), _tables(lambda fate: fate == VERIFIED), ids=_id)
def test_verification_names_it(url: str, kept: Path, table: Table, what: str, column: str | None) -> None:
    """In the first rotation of a service that begins."""
    with tampered(url, table, what, column):
        assert [] != problems(url, kept)


@pytest.mark.parametrize(("table", "what", "column"), [(journal.accounts, "added", None)], ids=_id)
def test_what_is_survived_changes_nothing(url: str, kept: Path, table: Table, what: str, column: str | None) -> None:
    """The books are as they were, and nothing is said to be wrong."""
    with tampered(url, table, what, column):
        assert (set(), []) == (different(url), problems(url, kept))


def test_nothing_is_wrong_in_the_end(url: str, kept: Path) -> None:
    """What was put back is as it was, so that each attack was found for itself."""
    assert (set(), []) == (different(url), problems(url, kept))
