"""A comparison goes on from a signed bookmark: what is new is projected once, and every row is come to in its time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.manifest import MANIFEST
from services.round_settlement.tables import rounds
from shared.journal.ledger import Fenced
from shared.journal.recording import Recorded
from shared.journal.shard import Seals
from shared.journal.signed_rows import signed_rows
from shared.runtime.database import Pools, create_engine
from shared.runtime.differences import TableComparison
from shared.runtime.projections import incremental_comparison as comparing
from shared.runtime.projections import standing_copy
from shared.runtime.projections.incremental_comparison import IncrementalComparison, Rest
from shared.runtime.projections.row_digest import digest_in_turns
from shared.runtime.projections.standing_copy import StandingCopy
from shared.runtime.projections.unlike_rows import next_rows
from shared.runtime.projections.unprojected_tables import kept_checks
from shared.runtime.projector import Projector, Transaction
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support import rounds as played
from tests.support.corrections import PEOPLE
from tests.support.desk import Desk, desk_of
from tests.support.guarding import REPLICA
from tests.support.nightly import AT_NIGHT, sampled
from tests.support.properties import property_event
from tests.support.rebuilding import execute, no_rest
from tests.support.sealing import seals_of
from tests.support.services import query, settled_database, states_of_others

SERVICE = MANIFEST.name
COPY = "round_settlement_copy"
ALTERED = "UPDATE {}.rounds SET revision = revision + 1 WHERE round_id = 'r-{}'"
MENDED = "UPDATE {}.rounds SET revision = revision - 1 WHERE round_id = 'r-{}'"
TABLES = MANIFEST.schema
DOES_NOTHING = "RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$"

Work = Callable[[IncrementalComparison], Awaitable[None]]


@dataclass
class Table:
    """A table at which rounds are played, and whoever counts what is projected of them."""

    desk: Desk
    url: str
    played: int = 0
    projected: list[int] = field(default_factory=list)
    """By call of the projector: how many entries were projected."""
    projecting: Callable[[Transaction, int], Awaitable[None]] | None = None
    """What is done before so many entries are projected."""

    def play(self, rounds_played: int) -> None:
        """Play rounds, and have them settled."""
        first, self.played = self.played + 1, self.played + rounds_played
        numbers = range(first, self.played + 1)
        record = played.record(played.WINNING)
        self.desk.feed("table.events", *(played.completed("BJ-01", seq, f"r-{seq}", record) for seq in numbers))

    async def project(self, transaction: Transaction, recorded: Sequence[Recorded]) -> None:
        """Count, and project."""
        self.projected.append(len(recorded))
        if self.projecting is not None:
            await self.projecting(transaction, len(recorded))
        await MANIFEST.projector.project(transaction, recorded)

    def counted(self) -> int:
        """Return how many entries were projected since this was asked last."""
        count, self.projected = sum(self.projected), []
        return count

    @asynccontextmanager
    async def following(self, engine: AsyncEngine, rest: Rest = no_rest) -> AsyncIterator[IncrementalComparison]:
        """Give a copy that goes on from its bookmark."""
        counting: Projector = replace(MANIFEST.projector, project=self.project)
        manifest = replace(MANIFEST, projector=counting)
        following = await IncrementalComparison.open(engine, manifest, Settings(), part=100, rest=rest)
        try:
            yield following
        finally:
            await following.close()

    def run(self, work: Work, seals: Seals | None = None, rest: Rest = no_rest) -> None:
        """Work with a copy, as a process of the service that has just started."""

        async def main() -> None:
            async with self.process(seals) as engine, self.following(engine, rest) as following:
                await work(following)

        asyncio.run(main())

    @asynccontextmanager
    async def process(self, seals: Seals | None = None) -> AsyncIterator[AsyncEngine]:
        """Give the connections of a process of the service."""
        engine = create_engine(self.url, role=MANIFEST.schema)
        Pools.of_one(engine).sign_by(seals or seals_of(SERVICE))
        try:
            yield engine
        finally:
            await engine.dispose()

    def compared(self, seals: Seals | None = None) -> TableComparison:
        """Return what a process that has just started finds in its first turn."""
        found: list[TableComparison] = []

        async def work(following: IncrementalComparison) -> None:
            found.append(await following.compare())

        self.run(work, seals)
        return found[0]


@pytest.fixture
def table(databases: Databases) -> Iterator[Table]:
    """A table of a property that plays."""
    url = settled_database(databases, SERVICE)
    clock = played.DAY + timedelta(hours=1)
    with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: clock) as desk:
        desk.feed("properties", property_event())
        desk.feed("submissions", played.submission())
        yield Table(desk, url)
    databases.drop(url)


def wrong(found: TableComparison) -> dict[str, set[str]]:
    """Return the rounds that a comparison names, and nothing else may be wrong."""
    assert [] == [*found.unfit, *found.uncompared]
    return {one.table: {row.key["round_id"] for row in one.first} for one in found.tables if one.different}


def told(found: TableComparison) -> bool:
    """Return whether a comparison says that somebody altered the copy."""
    return any(one.altered and "second copy" in one.what for one in found.uncompared)


def test_a_comparison_costs_the_same_of_a_journal_of_any_length(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many entries are projected as are new, and so many rows looked at as are next, also at a start."""
    monkeypatch.setattr(comparing, "ROWS_AT_ONCE", 5)
    monkeypatch.setattr(comparing, "rows_due", lambda _: 5)
    looked: list[int] = []

    async def counting(*given: object) -> Sequence[object]:
        found = await next_rows(*given)  # type: ignore[arg-type]
        looked.append(len(found))
        return found

    monkeypatch.setattr(comparing, "next_rows", counting)
    cost: list[tuple[int, int]] = []
    for length in (20, 200):
        table.play(length - table.played)

        async def catch_up(following: IncrementalComparison) -> None:
            await following.compare()

        table.run(catch_up)
        table.counted()
        table.play(3)

        async def turn(following: IncrementalComparison) -> None:
            looked.clear()
            assert {} == wrong(await following.compare())
            cost.append((table.counted(), sum(looked)))
            assert 0 == (await following.compare()).different + table.counted()  # nothing, where nothing is new

        table.run(turn)
    assert [3, 3] == [projected for projected, _ in cost]
    assert all(rows <= 5 + 5 for _, rows in cost)


def test_what_changed_is_compared_at_once_and_all_else_within_a_pass(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that was altered past the service is named until it is as it should be, also after a start."""
    monkeypatch.setattr(comparing, "ROWS_AT_ONCE", 10)
    monkeypatch.setattr(comparing, "rows_due", lambda _: 10)

    async def work(following: IncrementalComparison) -> None:
        await asyncio.to_thread(table.play, 60)
        assert {} == wrong(await following.compare())
        await asyncio.to_thread(table.play, 2)
        execute(table.url, ALTERED.format(TABLES, 62))
        for _ in range(3):
            assert {"rounds": {"r-62"}} == wrong(await following.compare())
        execute(table.url, MENDED.format(TABLES, 62))
        assert {} == wrong(await following.compare())
        execute(table.url, ALTERED.format(TABLES, 7))
        turns = 0
        while not wrong(await following.compare()):
            turns += 1
        assert turns <= 20

    table.run(work)
    assert {"rounds": {"r-7"}} == wrong(table.compared())
    execute(table.url, MENDED.format(TABLES, 7))
    assert {} == wrong(table.compared())


@sampled(1)
@pytest.mark.parametrize("done", ["altered", "deleted", "added"])
@pytest.mark.parametrize("where", ["while it runs", "while it is down", "in both copies, while it is down"])
def test_a_row_is_found_whatever_is_done_to_it_and_when(table: Table, done: str, where: str) -> None:
    """What was done to the copy, too, is told at the end of a pass; the row is named when all was projected again."""
    rest = ", ".join(f'"{column.name}"' for column in rounds.columns if column.name != "round_id")
    statement = {
        "altered": ALTERED,
        "deleted": "DELETE FROM {}.rounds WHERE round_id = 'r-{}'",
        "added": f"INSERT INTO {{0}}.rounds (round_id, {rest}) SELECT 'r-99', {rest} FROM {{0}}.rounds "
        "WHERE round_id = 'r-{1}'",
    }[done]
    named = {"rounds": {"r-99" if done == "added" else "r-7"}}

    async def work(following: IncrementalComparison) -> None:
        await asyncio.to_thread(table.play, 10)
        assert {} == wrong(await following.compare())
        if where == "while it runs":
            execute(table.url, REPLICA, statement.format(TABLES, 7))
            assert named == wrong(await following.compare())

    table.run(work)
    if where == "while it runs":
        return
    table.play(2)
    table.counted()
    execute(table.url, REPLICA, statement.format(TABLES, 7))
    if "both" in where:
        execute(table.url, REPLICA, statement.format(COPY, 7))
        found = table.compared()
        assert told(found)
        assert table.counted() == 2
        assert named == wrong(table.compared())
        assert table.counted() == 12  # again from the first entry on
    assert named == wrong(table.compared())
    assert table.counted() == (0 if "both" in where else 2)


def test_an_altered_copy_is_found_and_made_again(table: Table) -> None:
    """The row that differs from it is named until the pass has ended, which says who is right."""
    table.play(10)
    assert {} == wrong(table.compared())
    execute(table.url, REPLICA, ALTERED.format(COPY, 7))
    assert told(table.compared())
    assert {} == wrong(table.compared())


@sampled(1)
@pytest.mark.parametrize(
    "statement",
    [
        f"DROP TABLE {COPY}.rounds",
        f"ALTER TABLE {COPY}.rounds DISABLE TRIGGER ALL",
        f"DROP TRIGGER on_update ON {COPY}.rounds",
        f"ALTER TABLE {COPY}.rounds ADD COLUMN more text",
        f"CREATE OR REPLACE FUNCTION {COPY}.note_rounds() {DOES_NOTHING}",
        f"CREATE FUNCTION {COPY}.meddle() {DOES_NOTHING}",
    ],
)
def test_a_copy_of_another_shape_is_told_and_made_again(table: Table, statement: str) -> None:
    """Tables, triggers and functions are those that it was made with."""
    table.play(3)
    assert {} == wrong(table.compared())
    execute(table.url, statement)
    assert told(table.compared())
    assert {} == wrong(table.compared())


def test_a_bookmark_that_the_service_did_not_sign_is_not_relied_on(table: Table) -> None:
    """Altered, signed by another service, or none: all is projected again, and what was altered meanwhile is found."""
    table.play(5)
    mark = f"{COPY}.bookmark"
    for statement in (
        f"UPDATE {mark} SET said = replace(said, '\"caught_up\":true', '\"caught_up\":false')",
        f"UPDATE {mark} SET signature = NULL",
        f"DELETE FROM {mark}",
        f"DROP TABLE {mark}",
        None,
    ):
        assert {} == wrong(table.compared())
        assert table.counted() in (0, 5)
        forged = statement or f"UPDATE {mark} SET signature = '\\x{_of_another_service(table).hex()}'"
        execute(table.url, forged, ALTERED.format(TABLES, 3))
        assert {"rounds": {"r-3"}} == wrong(table.compared())
        assert table.counted() == 5, statement
        execute(table.url, MENDED.format(TABLES, 3))
    assert {} == wrong(table.compared())
    assert table.counted() == 0


def _of_another_service(table: Table) -> bytes:
    """Return the signature of another service of the bookmark that is there."""
    [(said,)] = query(table.url, f"SELECT said FROM {COPY}.bookmark")
    bookmark = StandingCopy(None, COPY, (), ()).bookmark  # type: ignore[arg-type]  # it needs no connection
    [row] = signed_rows(seals_of("vigorish"), bookmark, [{"only": True, "said": said}])
    signature: bytes = row["signature"]
    return signature


def test_an_older_bookmark_is_found(table: Table) -> None:
    """It was signed, but the copy has gone on since: what is projected again does not come to the same."""
    table.play(5)
    assert {} == wrong(table.compared())
    execute(table.url, f"CREATE TABLE public.kept AS TABLE {COPY}.bookmark")
    table.play(5)
    assert {} == wrong(table.compared())
    execute(
        table.url,
        f"UPDATE {COPY}.bookmark b SET said = k.said, signature = k.signature FROM public.kept k",
        ALTERED.format(TABLES, 3),
    )
    first = table.compared()
    assert first.different
    for _ in range(2):
        last = table.compared()
    assert {"rounds": {"r-3"}} == wrong(last)


def test_two_processes_do_not_move_the_copy_on_together(table: Table) -> None:
    """Whoever was overtaken ends, changes nothing, and goes on from where the other one is."""

    async def main() -> None:
        async with (
            table.process() as one,
            table.process() as other,
            table.following(one) as first,
            table.following(other) as second,
        ):
            await asyncio.to_thread(table.play, 5)
            assert {} == wrong(await first.compare())
            assert {} == wrong(await second.compare())
            await asyncio.to_thread(table.play, 5)
            with pytest.raises(Fenced):
                await first.compare()
            assert {} == wrong(await second.compare())

    asyncio.run(main())
    table.counted()
    assert {} == wrong(table.compared())
    assert table.counted() == 0


@AT_NIGHT
def test_wherever_it_is_killed_it_goes_on(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy, digest and position are written together: whatever ends a process, the next one finds them as one."""
    monkeypatch.setattr(comparing, "ENTRIES_AT_ONCE", 4)
    monkeypatch.setattr(comparing, "ROWS_AT_ONCE", 4)
    steps, kill_at, session = 0, 1, 0

    async def step(*of: object) -> None:
        nonlocal steps
        del of
        steps += 1
        if steps == kill_at:
            await asyncio.to_thread(execute, table.url, f"SELECT pg_terminate_backend({session})")

    table.projecting = step

    async def turn(following: IncrementalComparison) -> None:
        nonlocal session
        following.part = 2
        async with following.connection.begin():
            session = (await following.connection.execute(text("SELECT pg_backend_pid()"))).scalar_one()
        assert {} == wrong(await following.compare())

    kills = 0
    while steps >= kill_at or not kills:
        table.play(5)
        steps, kill_at = 0, kill_at + 2
        try:
            table.run(turn, rest=step)
        except DBAPIError:
            kills += 1
    assert kills > 5
    execute(table.url, ALTERED.format(TABLES, 3))
    assert {"rounds": {"r-3"}} == wrong(table.compared())


def test_what_came_and_went_in_a_transaction_is_not_digested(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that changes with each part of a turn, as sums do, costs as much as one that was written once."""
    hashed: list[str] = []

    async def counting(name: str, rows: Iterable[str]) -> int:
        lines = list(rows)
        hashed.extend(lines)
        return await digest_in_turns(name, lines)

    async def moved(transaction: Transaction, count: int) -> None:
        assert count <= 2
        for change in ("+ 1", "- 1"):
            update = text(f"UPDATE {TABLES}.rounds SET revision = revision {change}")
            await transaction.connection.execute(update)

    async def work(following: IncrementalComparison) -> None:
        following.part = 2
        await asyncio.to_thread(table.play, 6)
        assert {} == wrong(await following.compare())

    monkeypatch.setattr(standing_copy, "digest_in_turns", counting)
    table.projecting = moved
    table.run(work)
    assert 6 == len([line for line in hashed if "r-" in line])
    table.projecting = None
    assert {} == wrong(table.compared())


def test_it_is_projected_in_short_transactions(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal of any length keeps no row from being cleaned away: each transaction ends after a part of it."""
    monkeypatch.setattr(comparing, "ENTRIES_AT_ONCE", 5)
    seen: dict[str, int] = {}

    async def note(transaction: Transaction, count: int) -> None:
        began = await transaction.connection.execute(text("SELECT transaction_timestamp()::text"))
        moment = began.scalar_one()
        seen[moment] = seen.get(moment, 0) + count

    async def work(following: IncrementalComparison) -> None:
        following.part = 5
        await asyncio.to_thread(table.play, 43)
        assert {} == wrong(await following.compare())

    table.projecting = note
    table.run(work)
    assert len(seen) >= 9
    assert max(seen.values()) <= 10


def test_what_is_not_projected_is_compared_without_the_rounds_of_the_journal(table: Table) -> None:
    """It follows from gaps, commands and refused records, and from where shards begin and end: each has its index."""
    table.play(60)
    table.desk.feed("table.events", played.completed("BJ-01", 63, "r-63", played.record(played.WINNING)))
    read = """
        SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables
        WHERE schemaname = :schema AND relname = :table"""

    async def work(engine: AsyncEngine) -> int:
        async with engine.begin() as connection:
            await connection.execute(text("SET LOCAL enable_seqscan = off"))  # so small a table would be read whole
            for check in kept_checks(MANIFEST).values():
                assert 0 == (await check(connection)).different
            given = {"schema": TABLES, "table": MANIFEST.journal.entries.name}
            return int((await connection.execute(text(read), given)).scalar_one())

    async def main() -> int:
        async with table.process() as engine:
            return await work(engine)

    shards = query(table.url, f"SELECT count(*) FROM {TABLES}.shards")[0][0]
    assert [(1,)] == query(table.url, f"SELECT count(*) FROM {TABLES}.gaps")
    assert asyncio.run(main()) < 5 * (shards + 1) < 60


def test_it_rests_in_no_transaction(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause may be as long as it likes: no session is idle in a transaction meanwhile, and keeps no row."""
    monkeypatch.setattr(comparing, "ENTRIES_AT_ONCE", 5)
    open_then: list[str] = []

    async def rest(*done: object) -> None:
        del done
        states = await asyncio.to_thread(states_of_others, table.url)
        open_then.extend(state for state in states if state != "idle")

    async def work(following: IncrementalComparison) -> None:
        following.part = 2
        await asyncio.to_thread(table.play, 23)
        assert {} == wrong(await following.compare())
        execute(table.url, ALTERED.format(TABLES, 7))
        assert {"rounds": {"r-7"}} == wrong(await following.compare())
        assert following.passed_at is not None  # what is not projected was compared, too

    table.run(work, rest=rest)
    assert [] == open_then


def test_its_session_stays_between_two_turns_and_its_statements_are_compiled_once(table: Table) -> None:
    """The server closes no session that holds the log of changes; a second turn like the first compiles nothing."""
    table.play(1)

    async def work(following: IncrementalComparison) -> None:
        idle = await following.connection.scalar(text("SHOW idle_session_timeout"))
        await following.connection.rollback()
        assert "0" == idle
        compiled = following.connection.engine.sync_engine._compiled_cache
        assert compiled is not None
        for _ in range(2):
            await following.compare()
        known = set(compiled)
        await following.compare()
        assert known == set(compiled)

    table.run(work)


def test_a_comparison_writes_to_nothing_but_its_copy(table: Table) -> None:
    """Whatever a projector does: of what has no copy nothing is changed."""

    async def meddle(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
        del recorded
        await transaction.connection.exec_driver_sql("UPDATE round_settlement.relay SET published_seq = 0")

    async def work(following: IncrementalComparison) -> None:
        await asyncio.to_thread(table.play, 1)
        following.manifest = replace(MANIFEST, projector=replace(MANIFEST.projector, project=meddle))
        found = await following.compare()
        assert "there is no copy of what is written" in "".join(one.what for one in found.unfit)

    table.run(work)
