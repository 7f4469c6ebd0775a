"""Whoever can write to the database, and has no key, adds no entry and moves no position without being found."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.tables import journal
from shared.journal.entry import EntryDraft, Posting
from shared.journal.ledger import Ledger
from shared.journal.reading import read_entry
from shared.journal.shard import Unsealed
from shared.journal.signed_note import Signer
from shared.journal.topic_identity import TopicIdentity, adopt
from shared.journal.verification import read_shards
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.database import create_engine
from shared.runtime.process.migrations import upgrade
from tests.support import Databases, tills
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.journals import append, draft_of, run
from tests.support.rebuilding import execute
from tests.support.rounds import TABLES, completed
from tests.support.sealing import sealing_key, seals_of
from tests.support.services import settled_database
from tests.support.table import Table, kinds, play_at
from tests.unit.cli.calling import Caller

NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)
PEOPLE = {"ann": ["tills.work"]}
PAYMENTS = "/tills/riverside/T-1/payments"
NOT_SIGNED = "did not sign"
SKIP = "UPDATE round_settlement.shards SET next_offset = next_offset {} 1 WHERE name LIKE 'table.events/0@%'"
REPLICA = "SET session_replication_role = replica"


@pytest.fixture(params=[False, True], ids=["one-after-the-other", "together"])
def tiny(request: pytest.FixtureRequest, databases: Databases) -> Iterator[tuple[Desk, str]]:
    """A tiny service with money in a till, and its database."""
    databases.prepare("tills", lambda url: upgrade("tills", tills.MIGRATIONS, url))
    url = databases.create("tills")
    with desk_of(tills.manifest(together=request.param), url, people=PEOPLE, clock=lambda: NOON) as desk:
        assert 201 == desk.post("/tills/riverside/T-1", person="ann").status_code
        assert 200 == desk.post(PAYMENTS, {"cents": 500}, person="ann").status_code
        yield desk, url
    databases.drop(url)


def forge(url: str, desk: Desk) -> None:
    """Add a payment of $1,000 as the service does it, with all that is public: numbers, hashes, chain, head."""

    async def work() -> None:
        engine = create_engine(url, role="postgres")
        ledger = Ledger(desk.manifest.journal)
        async with engine.begin() as connection:
            [shard] = [one for one in await read_shards(connection, ledger.tables) if one.next_seq > 1]
            last = await read_entry(connection, ledger.tables, shard.shard, shard.next_seq - 1)
            money = tuple(Posting(each.account, each.cents * 200) for each in last.draft.postings)
            draft: EntryDraft = replace(
                last.draft, sequence=last.draft.sequence + 1, event_id="forged", record_hash=None, postings=money
            )
            await ledger.ensure_accounts(engine, [each.account for each in money])
            await ledger.append(connection, shard, [draft], next_offset=shard.next_offset, recorded_at=NOON)
        await engine.dispose()

    desk.client.run(work())
    assert desk.entries(), "all of it verifies"


def found_by_guard(desk: Desk) -> list[str]:
    """What the guard of a service says at its next watch."""
    guard = JournalVerifier(desk.context)
    desk.client.run(guard.watch())
    return [problem.what for problem in guard.problems]


def test_nothing_follows_an_entry_that_was_forged(tiny: tuple[Desk, str]) -> None:
    """Every command is refused, counted and on record as such, elsewhere; the guard finds it without any."""
    desk, url = tiny
    assert [] == found_by_guard(desk)
    forge(url, desk)
    before = Counter(entry.draft.kind for entry in desk.entries())
    for _ in range(2):
        answer = desk.post(PAYMENTS, {"cents": 500}, person="ann")
        assert_problem(answer, 409, NOT_SIGNED)
        assert "urn:pitledger:problem:not-as-recorded" == answer.json()["type"]
    assert {"command.refused": 2} == Counter(entry.draft.kind for entry in desk.entries()) - before
    counted = {"reason": "not-as-recorded"}
    assert 2 == desk.context.metrics.registry.get_sample_value("pitledger_commands_refused_total", counted)
    [problem] = found_by_guard(desk)
    assert NOT_SIGNED in problem


def test_a_seal_that_is_taken_away_is_missed(tiny: tuple[Desk, str]) -> None:
    """No seal is not another way to have one."""
    desk, url = tiny
    execute(url, "UPDATE tills.shards SET seal = NULL")
    assert_problem(desk.post(PAYMENTS, {"cents": 500}, person="ann"), 409, NOT_SIGNED)
    assert all(NOT_SIGNED in problem for problem in found_by_guard(desk))


def test_processes_of_a_service_go_on_where_others_stopped(tiny: tuple[Desk, str]) -> None:
    """They share the key; one with a new key goes on too where the former one is known."""
    desk, url = tiny
    new = Signer.generate(sealing_key("tills").name)
    manifest = desk.manifest
    seals = seals_of("tills", sealing_key("tills"), signer=new)
    with desk_of(manifest, url, people=PEOPLE, clock=lambda: NOON, seals=seals) as other:
        assert 200 == other.post(PAYMENTS, {"cents": 1}, person="ann", key="other").status_code
        assert [] == found_by_guard(other)
        assert_problem(desk.post(PAYMENTS, {"cents": 1}, person="ann", key="no"), 409, NOT_SIGNED)


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.mark.parametrize("running", [True, False], ids=["running", "started"])
def test_a_position_moved_past_a_record_keeps_nothing_out(url: str, running: bool) -> None:
    """The partition is read no further, by a process that has it and by one that takes it over; set right, it is."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        first, second, third = table.records(*(completed(TABLES[0], number) for number in (1, 2, 3)))
        await owner.handle([first])
        execute(url, SKIP.format("+"))
        reader = owner if running else await table.owner()
        await reader.handle([second, third] if running else [third])
        assert NOT_SIGNED in reader.stopped.reasons[0]
        assert [("settlement.posted", 1)] == kinds(url)
        execute(url, REPLICA, SKIP.format("-"))
        again = await table.owner()
        await again.handle([second, third])
        assert [1, 2, 3] == [sequence for _, sequence in kinds(url)]

    play_at(url, play)


def test_who_has_no_key_adopts_no_topic(url: str) -> None:
    """A topic is adopted from where it was sealed, with the key of the service."""

    async def work(engine: AsyncEngine) -> None:
        there = TopicIdentity("table.events", "c1", "t1")
        ours, others = (Ledger(journal, seals_of("round-settlement", signer=key)) for key in (None, stranger))
        async with engine.begin() as connection:
            await adopt(connection, ours, there, {0: (5, 9)}, NOON)
        async with engine.begin() as connection:
            with pytest.raises(Unsealed):
                await adopt(connection, others, there, {0: (7, 9)}, NOON)

    stranger = Signer.generate(sealing_key("round-settlement").name)
    run(url, work)


def test_verify_says_it(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hashes, chain, head and sums hold, and no checkpoint covers the new entry yet; the seal does not."""
    key, kept = tmp_path / "key.pem", tmp_path / "checkpoints"
    kept.mkdir()
    sealing_key("round-settlement").to_pem(key)
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("PITLEDGER_CHECKPOINT_DIRECTORY", str(kept))
    monkeypatch.setenv("PITLEDGER_CHECKPOINT_KEY_FILE", str(key))
    monkeypatch.setenv("PITLEDGER_MESSAGE_AUTHENTICATION", "required")
    pitledger, verify = Caller(capsys, monkeypatch), ("verify", "--service", "round-settlement", "--json")

    def recorded(number: int, *, seals: bool) -> list[str]:
        async def work(engine: AsyncEngine) -> None:
            seals_now = seals_of("round-settlement") if seals else None
            await append(engine, draft_of(number), recorded_at=datetime.now(UTC), seals=seals_now)

        run(url, work)
        [document] = pitledger(*verify).documents
        return [problem["what"] for problem in document["problems"]]

    assert [] == recorded(1, seals=True)
    assert [True] == [NOT_SIGNED in what for what in recorded(2, seals=False)]
