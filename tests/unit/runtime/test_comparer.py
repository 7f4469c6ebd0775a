"""Comparing the read model while the service works: at its own pace, and whatever happens to it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Column, Integer, MetaData, Table

from services.vigorish.manifest import MANIFEST
from shared.journal.ledger import Ledger
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools, create_engine
from shared.runtime.differences import ComparedTable, InapplicableEntry, RowDifference, TableComparison, UncomparedTable
from shared.runtime.projections import drift_monitor as comparers
from shared.runtime.projections.drift_monitor import DriftMonitor
from shared.runtime.projections.shadow_tables import redirected_to_copies
from shared.runtime.settings import Settings
from shared.runtime.throttle import REST_SECONDS_MAX, CpuThrottle

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
ALIKE = TableComparison([ComparedTable("owed", 3, 0, ())], [])
RAISED = TableComparison(
    [ComparedTable("owed", 3, 1, (RowDifference({"table": "BJ-01"}, {"cents": "500"}, {"cents": "100"}),))], []
)
UNFIT = TableComparison(
    [], [InapplicableEntry(2, 7, "account.cashed_out", "account GA-1 has less than is taken from it")]
)


@asynccontextmanager
async def _alone(engine: object, work: str) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Be the process that compares."""
    del engine
    assert "vigorish.comparison" == work

    async def is_ours() -> bool:
        return True

    yield is_ours


@asynccontextmanager
async def _not_alone(engine: object, work: str) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Be another process."""
    del engine, work

    async def is_ours() -> bool:
        return False

    yield is_ours


def _comparer() -> DriftMonitor:
    seconds = count()
    context = RuntimeContext(
        service="vigorish",
        settings=Settings(comparison_seconds=0.001),
        pools=Pools.of_one(create_engine("postgresql://nobody@127.0.0.1:1/none", role="vigorish")),
        ledger=Ledger(MANIFEST.journal),
        clock=lambda: NOON + timedelta(seconds=next(seconds)),
    )
    return DriftMonitor(context, MANIFEST, alone=_alone)


def _run(comparer: DriftMonitor, monkeypatch: pytest.MonkeyPatch, *outcomes: TableComparison | Exception) -> None:
    """Run until all of these outcomes of a comparison have come."""
    left, over = list(outcomes), asyncio.Event()

    async def compare(self: DriftMonitor) -> None:
        if not left:
            over.set()
            await asyncio.Event().wait()
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        self._tell(outcome)

    monkeypatch.setattr(comparers.DriftMonitor, "compare", compare)

    async def main() -> None:
        running = asyncio.create_task(comparer.run())
        await asyncio.wait({running, asyncio.create_task(over.wait())}, timeout=60, return_when="FIRST_COMPLETED")
        assert over.is_set(), running
        running.cancel()

    asyncio.run(main())


def _figure(comparer: DriftMonitor, name: str) -> float | None:
    comparer.observe()
    return comparer.context.metrics.registry.get_sample_value(f"pitledger_projection_{name}")


def test_a_row_that_differs_makes_the_service_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """The problem names the row and the columns, never what they say; it is over when they agree again."""
    comparer = _comparer()
    _run(comparer, monkeypatch, RAISED)
    assert "1 rows or entries are not as the journal says, first: owed table BJ-01: cents" == comparer.problem
    assert 1 == _figure(comparer, "differences")
    _run(comparer, monkeypatch, ALIKE)
    assert 0 == _figure(comparer, "differences")
    assert not comparer.problem


def test_a_table_that_is_gone_makes_the_service_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named as a row that differs is."""
    comparer = _comparer()
    _run(comparer, monkeypatch, TableComparison([], [], [UncomparedTable("owed", "there is none", True)]))
    assert "1 rows or entries are not as the journal says, first: owed cannot be compared" == comparer.problem


def test_an_entry_that_does_not_fit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its place and kind."""
    comparer = _comparer()
    _run(comparer, monkeypatch, UNFIT)
    assert "entry 2/7 (account.cashed_out) does not follow" in (comparer.problem or "")


AWAY = TableComparison(
    [ComparedTable("owed", 3, 0, ())], [], [UncomparedTable("what follows from topic pit.events", "away", False)]
)


@pytest.mark.parametrize("error", [AWAY, TimeoutError("no answer")], ids=("a topic", "the database"))
def test_what_cannot_be_compared_now_only_grows_old(
    monkeypatch: pytest.MonkeyPatch, error: TableComparison | Exception
) -> None:
    """The age goes on from the last comparison, and it is tried again."""
    comparer = _comparer()
    _run(comparer, monkeypatch, ALIKE, error, error)
    at = comparer.compared_at
    _run(comparer, monkeypatch, error)
    assert comparer.problem is None
    assert at is not None
    assert (_figure(comparer, "age_seconds") or 0) > 0


def test_a_row_that_breaks_the_comparison_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service works on, and is not ready: who alters the database can neither stop it nor blind it."""
    comparer = _comparer()
    _run(comparer, monkeypatch, ALIKE, ValueError("no such kind"))
    assert "the comparison with the journal failed: ValueError('no such kind')" == comparer.problem
    assert 1 == _figure(comparer, "differences")
    _run(comparer, monkeypatch, ALIKE)
    assert comparer.problem is None


def test_another_process_compares_and_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this one had found is over with its turn: nothing of it would ever be looked at again."""
    comparer = _comparer()
    _run(comparer, monkeypatch, RAISED)
    comparer.alone = _not_alone

    async def main() -> None:
        running = asyncio.create_task(comparer.run())
        while comparer.problem is not None:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0)
        running.cancel()

    asyncio.run(asyncio.wait_for(main(), 10))
    assert 0 == _figure(comparer, "differences")


def _rests(a_second: float, *works: tuple[float, int], share: float = 0.2) -> list[float]:
    """Return the rests after pieces of work, each of so many seconds and entries."""
    now, rested = 0.0, list[float]()

    async def sleep(seconds: float) -> None:
        nonlocal now
        rested.append(seconds)
        now += max(0.0, seconds)

    async def main() -> None:
        nonlocal now
        pace = CpuThrottle(share, a_second, sleep=sleep, clock=lambda: now)
        for seconds, entries in works:
            now += seconds
            await pace.rest(entries)

    asyncio.run(main())
    return rested


def test_it_takes_the_time_that_it_may_take() -> None:
    """As much as was projected, at the pace that is set."""
    assert [0.5, 1.5] == _rests(50, (0, 25), (0, 75))


def test_it_takes_its_share_of_a_processor_at_most() -> None:
    """Of a fifth it rests four times as long as it worked, whatever pace would be needed; never for a minute."""
    assert [4.0, 8.0] == _rests(1e6, (1.0, 100), (2.0, 100))
    assert [REST_SECONDS_MAX] == _rests(1e6, (100.0, 0))
    assert [19.0] == _rests(1e6, (1.0, 100), share=0.05)


_TABLES = [
    Table(name, MetaData(), Column("n", Integer, primary_key=True), schema="vigorish") for name in ("owed", "lines")
]


@pytest.mark.parametrize("verb", ["INSERT INTO", "UPDATE", "DELETE FROM", "COPY", "update", "TRUNCATE"])
def test_a_statement_that_writes_to_what_has_no_copy_is_refused(verb: str) -> None:
    """Whatever projects into the copies changes nothing else."""
    with pytest.raises(AssertionError, match="there is no copy"):
        redirected_to_copies(_TABLES)(f"WITH old AS (SELECT 1) {verb} vigorish.quarantine SET n = 1")


def test_a_statement_that_calls_a_function_of_the_service_is_refused() -> None:
    """It would read the tables themselves, whatever the statement is sent for."""
    with pytest.raises(AssertionError, match="a function reads the tables"):
        redirected_to_copies(_TABLES)("SELECT n FROM vigorish.owed o, vigorish.owed_between(o.n, 7) b")


@pytest.mark.parametrize(
    ("statement", "sent"),
    [
        ("SELECT vigorish.owed.n FROM vigorish.owed", "SELECT pg_temp.owed.n FROM pg_temp.owed"),
        ('UPDATE vigorish."lines" SET n = 1', 'UPDATE pg_temp."lines" SET n = 1'),
        (b"COPY vigorish.lines (n) FROM STDIN", b"COPY pg_temp.lines (n) FROM STDIN"),
        ("SELECT n FROM vigorish.lines_of, vigorish.entries", "SELECT n FROM vigorish.lines_of, vigorish.entries"),
        ("SELECT n FROM old_vigorish.lines", "SELECT n FROM old_vigorish.lines"),
    ],
)
def test_statements_are_sent_for_the_copies(statement: Any, sent: Any) -> None:
    """Those that name a table of which there is a copy, and no other."""
    redirect: Callable[[Any], Any] = redirected_to_copies(_TABLES)
    assert sent == redirect(statement)
