"""A journal is derived again from the topics that led to it: what was forged in either is found."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.round_settlement.handlers import Submissions
from services.round_settlement.manifest import MANIFEST
from shared.journal.entry import Posting
from shared.journal.ledger import Ledger
from shared.journal.verification import VerificationProblem
from shared.local.ports import free_port
from shared.runtime.audit.rederivation_job import RederivationJob
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools, create_engine, reading
from shared.runtime.ingest.handler import Handler, InputRecord
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.rederivation.journal_rederivation import rederive
from shared.runtime.rederivation.replay_spec import ReplaySpec, Sources
from shared.runtime.rederivation.replay_state import Busy, ReplayState
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support.desk import desk_of
from tests.support.properties import property_event
from tests.support.rederiving import Books, Topics, ticking
from tests.support.rounds import (
    BLACKJACK,
    DAY,
    LOSING,
    TABLES,
    completed,
    corrected,
    record,
    submission,
    voided,
    withdrawn,
)
from tests.support.services import migrate, query

T1, T2 = TABLES[:2]
HOUR = timedelta(hours=1)
SHARD = "table.events/0@test"


PEOPLE = {"kim": ["quarantine.mend"]}
WITH_A_DAY = "round-settlement after a day to be derived again"


@pytest.fixture(scope="session")
def day(databases: Databases) -> Sequence[InputRecord]:
    """What was read on a day on which all happened that can happen to a record; the database is a template."""
    records: list[InputRecord] = []

    def fill(url: str) -> None:
        migrate(url, "round-settlement")
        with desk_of(MANIFEST, url, people=PEOPLE, clock=ticking()) as desk:
            early = completed(T2, 1, "too-early", record(LOSING))
            desk.feed("properties", property_event(late_events="flag"))
            desk.feed("table.events", early)  # there is no submission yet
            other = submission(2, version=2, submission={"decks": 8}, effective_from=(DAY - HOUR).isoformat())
            desk.feed("submissions", submission(), other)
            desk.feed("submissions", withdrawn(3, other))
            desk.feed("table.events", completed(T1, 1, "a", record(LOSING)), completed(T1, 2, "b", record(BLACKJACK)))
            desk.feed("table.events", corrected(T1, 3, "a", record(BLACKJACK)), b"no event", completed(T1, 5, "d"))
            desk.feed("table.events", voided(T1, 4, "b"), completed(T1, 5, "d"), early)
            jump = completed(T2, 2, "jump") | {"sequence": 2**31 - 1}
            desk.feed("table.events", jump, voided(T2, 2, "late", gaming_day="2026-10-01"))
            desk.feed("table.events", corrected(T1, 6, "a", record(LOSING)), completed(T1, 6, "other"))
            records.extend(desk.records)

    databases.prepare(WITH_A_DAY, fill)
    return records


@pytest.fixture
def books(databases: Databases, day: Sequence[InputRecord]) -> Iterator[Books]:
    """A journal of that day of the test's own."""
    url = databases.create(WITH_A_DAY)
    yield Books(url, day)
    databases.drop(url)


def problems(books: Books, topics: Topics | None = None, memory: ReplayState | None = None) -> list[str]:
    """What is not as it follows."""

    async def work(engine: AsyncEngine, connection: AsyncConnection) -> list[str]:
        assert MANIFEST.rederived is not None
        with memory or ReplayState() as kept:
            held = topics or Topics(books.records)
            found = rederive(connection, MANIFEST.journal, MANIFEST.name, MANIFEST.rederived(), held, kept)
            return [problem.what async for problem in found]

    return books.run(work)


def attacked(url: str, statement: str) -> None:
    """Do what a superuser can."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(statement.encode())


def forged(books: Books, shard_name: str = SHARD, **changes: Any) -> None:
    """Append an entry as the service does: dense, balanced, hashed, linked, the head moved along."""
    entry = [one for one in books.entries() if one.draft.kind == "settlement.posted"][-1].draft
    more = tuple(Posting(account, cents * 100) for account, cents in entry.postings)
    made: dict[str, Any] = {"sequence": 7, "event_id": "forged", "postings": more} | changes
    draft = replace(entry, **made)

    async def work(engine: AsyncEngine, connection: AsyncConnection) -> None:
        ledger = Ledger(MANIFEST.journal)
        await ledger.ensure_accounts(engine, [posting.account for posting in draft.postings])
        shard = await ledger.open_shard(connection, shard_name)
        at = DAY + timedelta(days=1)
        await ledger.append(connection, shard, [draft], next_offset=shard.next_offset, recorded_at=at)

    books.run(work)
    assert books.entries(), "all of it verifies"


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_an_honest_journal_follows_again(books: Books, at_once: int) -> None:
    """Corrections, voids, gaps, late events, duplicates, quarantine and its mending, however many are read at once."""
    kinds = {entry.draft.kind for entry in books.entries()}
    assert kinds >= {
        "settlement.posted",
        "settlement.reversed",
        "gap.opened",
        "gap.filled",
        "record.quarantined",
        "event.flagged",
    }
    assert "record.mended" in kinds
    assert [] == problems(books, Topics(books.records, at_once))


class _Meanwhile(ReplaySpec[None]):
    """Something is done after it was asked how far the topics were read."""

    def __init__(self, handler: Handler[None], do: Callable[[], None]) -> None:
        super().__init__(handler)
        self._do = do

    async def prepare(self, sources: Sources) -> Sequence[VerificationProblem]:
        del sources
        await asyncio.to_thread(self._do)
        return ()


def test_a_document_that_comes_while_it_is_derived_is_no_problem(databases: Databases) -> None:
    """The copy of the service has it, and the topic beyond where it had been read when the derivation began."""
    url = databases.create()
    migrate(url, "round-settlement")
    with desk_of(MANIFEST, url, people=PEOPLE, clock=ticking()) as desk:
        desk.feed("properties", property_event())
        desk.feed("submissions", submission())
        topics = Topics([])

        def come() -> None:
            desk.feed("properties", property_event(sequence=2, version=2, effective_from=(DAY + HOUR).isoformat()))
            desk.feed("submissions", withdrawn(2, submission()))
            topics.records += desk.records

        async def work() -> list[str]:
            assert MANIFEST.rederived is not None
            agains = [_Meanwhile(Submissions(), come), *MANIFEST.rederived()]
            engine = create_engine(url, role=MANIFEST.schema)
            try:
                async with reading(engine) as connection:
                    with ReplayState() as kept:
                        found = rederive(connection, MANIFEST.journal, MANIFEST.name, agains, topics, kept)
                        return [problem.what async for problem in found]
            finally:
                await engine.dispose()

        assert [] == asyncio.run(work())
        assert [(2, True)] == query(
            url,
            "SELECT (SELECT count(*) FROM round_settlement.properties), withdrawal_received_at IS NOT NULL "
            "FROM round_settlement.submissions",
        )
    databases.drop(url)


def test_what_was_recorded_by_a_clock_that_was_behind_follows(databases: Databases) -> None:
    """By its clock the service did not know the rules yet; the broker says that it has the record since it did."""
    now, url = [DAY + HOUR], databases.create()
    migrate(url, "round-settlement")
    with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: now[0]) as desk:
        desk.feed("properties", property_event())
        desk.feed("submissions", submission())
        now[0] = DAY
        desk.feed("table.events", completed(T1, 1, "a", record(LOSING)))
        books = Books(url, desk.records)
    assert ["settlement.posted"] == [entry.draft.kind for entry in books.entries()]
    assert ["record.quarantined"] == [what.split()[0] for what in problems(books)]
    books.records[-1] = replace(books.records[-1], taken_at=DAY + 2 * HOUR, by_broker=True)
    assert [] == problems(books)
    databases.drop(url)


def test_a_forged_entry_that_verifies_is_found(books: Books) -> None:
    """It names an event that never came, whatever record it points at."""
    last = books.records[-1]
    forged(books, offset=last.offset + 1, record_hash=last.digest())
    assert ["settlement.posted follows from no record that was read of the topic"] == problems(books)


def test_a_forged_entry_behind_a_true_one_is_found(books: Books) -> None:
    """The record that it points at led to another entry, and to nothing more."""
    last = books.records[-1]
    forged(books, offset=last.offset, record_hash=last.digest())
    [problem] = problems(books)
    assert f"settlement.posted does not follow from the record at offset {last.offset}" in problem


def test_a_forged_entry_in_place_of_a_true_one_is_found(books: Books) -> None:
    """An event that came, settled otherwise: another amount follows."""
    coming = completed(T1, 7, "e", record(LOSING))
    sent = books.sent(coming)
    forged(books, offset=sent.offset, record_hash=sent.digest(), event_id=coming["id"])
    with_offset = "UPDATE round_settlement.shards SET next_offset = {} WHERE name = '{}'"
    attacked(books.url, with_offset.format(sent.offset + 1, SHARD))
    [problem] = problems(books)
    assert "settlement.posted follows from the record" in problem
    assert "data and postings" in problem


def test_a_forged_entry_of_a_command_is_found(books: Books) -> None:
    """No command of this service settles anything."""
    forged(books, "commands/0", offset=None, record_hash=None)
    assert ["settlement.posted follows from no record: this shard is read from no topic"] == problems(books)


def test_a_forged_topic_is_found(books: Books) -> None:
    """An entry of a cluster that nobody knows cannot be derived, and is no less a problem."""
    forged(books, "table.events/0@other")
    problem, *_ = problems(books)
    assert problem.startswith("1 entries follow from a topic of another cluster")


def test_an_event_that_was_kept_out_of_the_journal_is_found(books: Books) -> None:
    """A record that was read and led to nothing."""
    coming = completed(T1, 7, "e", record(LOSING))
    sent = books.sent(coming)
    attacked(books.url, f"UPDATE round_settlement.shards SET next_offset = {sent.offset + 1} WHERE name = '{SHARD}'")
    [problem] = problems(books)
    assert "settlement.posted follows from the record" in problem
    assert "the journal does not have it" in problem


def test_a_topic_that_was_rewritten_is_found(books: Books) -> None:
    """The bytes have another hash than the entry keeps, although they would settle to the same."""
    topics = Topics(books.records)
    [place] = [at for at, one in enumerate(topics.records) if b'"' + T1.encode() + b'-2"' in one.value]
    topics.records[place] = replace(topics.records[place], value=topics.records[place].value + b" ")
    [problem] = problems(books, topics)
    assert "is not the one that led to it: what was sent has another hash" in problem


def test_a_record_that_is_gone_from_the_topic_is_found(books: Books) -> None:
    """An entry without its record; and a topic that ends before what was read."""
    topics = Topics(books.records)
    [gone] = [one for one in topics.records if b'"' + T1.encode() + b'-4"' in one.value]
    topics.records.remove(gone)
    assert any(
        f"follows from no record of the topic in its place (offset {gone.offset})" in what
        for what in problems(books, topics)
    )
    assert any("nothing is left" in what for what in problems(books, Topics(books.records[:-1])))


def test_a_submission_that_was_altered_in_the_copy_is_found(books: Books) -> None:
    """Rounds settle under what was published, whatever the database says that it was."""
    change = """document = document || '{"approved_by": "mallory"}'"""
    attacked(books.url, f"UPDATE round_settlement.submissions SET {change} WHERE version = 1")
    assert ["the copy of the document riverside/blackjack/1 is another one on its topic"] == problems(books)


def test_a_withdrawal_that_the_copy_forgot_is_found(books: Books) -> None:
    """Rounds would settle under a version that never took effect."""
    attacked(books.url, "UPDATE round_settlement.submissions SET withdrawal_received_at = NULL")
    found = "the document riverside/blackjack/2 is withdrawn on its topic, and not in the copy"
    assert found in problems(books)


def test_it_goes_on_where_it_was(books: Books, tmp_path: Path) -> None:
    """A second pass reads nothing but what is new; what was wrong is found again, and by nobody twice at once."""
    file = tmp_path / "memory"
    assert [] == problems(books, memory=ReplayState(file))
    later = [one for one in books.records if one.topic != "table.events"]
    assert [] == problems(books, Topics(later), ReplayState(file)), "nothing of it is read again"
    with desk_of(MANIFEST, books.url, people=PEOPLE, clock=lambda: DAY + timedelta(hours=9)) as desk:
        desk.read_from(books.records[-1].offset + 1)
        desk.feed("table.events", voided(T1, 7, "a"))
        later += desk.records
    assert [] == problems(books, Topics(later), ReplayState(file)), "the round is remembered"
    forged(books, sequence=8, offset=later[-1].offset, record_hash=later[-1].digest())
    for _ in range(2):
        assert 1 == len(problems(books, Topics(later), ReplayState(file)))
    with ReplayState(file), pytest.raises(Busy):
        ReplayState(file)


def test_an_entry_that_was_derived_and_is_another_one_now_is_found(books: Books, tmp_path: Path) -> None:
    """A pass that goes on begins with the entry at which the one before ended."""
    file = tmp_path / "memory"
    assert [] == problems(books, memory=ReplayState(file))
    attacked(books.url, "UPDATE round_settlement.entries SET hash = previous")
    assert "the entry that was derived last is not there any more, or is another one" in problems(
        books, memory=ReplayState(file)
    )


def test_the_service_derives_its_journal_every_so_often(books: Books) -> None:
    """What it finds is a figure, and a reason not to be ready; the next pass reads nothing but what is new."""
    read: list[Topics] = []

    def topics(settings: KafkaSettings) -> AbstractContextManager[Topics]:
        read.append(Topics(books.records))
        return nullcontext(read[-1])

    async def derived(engine: AsyncEngine, connection: AsyncConnection) -> tuple[float, float, str | None]:
        context = RuntimeContext(
            service=MANIFEST.name, settings=Settings(), pools=Pools.of_one(engine), ledger=Ledger(MANIFEST.journal)
        )
        assert MANIFEST.rederived is not None
        job = RederivationJob(context, MANIFEST.rederived, topics)
        with ReplayState() as memory:
            await job.derive(memory)
            await job.derive(memory)
        metrics = context.metrics
        return metrics.rederivation_problems._value.get(), metrics.rederived._value.get(), await job.check()

    entries = [entry for entry in books.entries() if entry.draft.offset is not None]
    assert (0, len(entries), None) == books.run(derived)
    forged(books, "commands/0", offset=None, record_hash=None)
    problems, _, reason = books.run(derived)
    assert 1 == problems
    assert reason == (
        "1 problems, first: commands/0 entry 1: settlement.posted follows from no record: "
        "this shard is read from no topic"
    )


def test_a_job_that_does_not_reach_the_topics_waits(books: Books) -> None:
    """Nothing is said of a journal that could not be derived; the age of the last derivation tells."""

    async def derived(engine: AsyncEngine, connection: AsyncConnection) -> None:
        settings = Settings(kafka_bootstrap_servers=f"127.0.0.1:{free_port()}", rederivation_seconds=0.05)
        context = RuntimeContext(
            service=MANIFEST.name, settings=settings, pools=Pools.of_one(engine), ledger=Ledger(MANIFEST.journal)
        )
        assert MANIFEST.rederived is not None
        job = RederivationJob(context, MANIFEST.rederived)
        with pytest.raises(ConnectionError):
            await job.derive(ReplayState())
        assert job.derived_at is None

    books.run(derived)
