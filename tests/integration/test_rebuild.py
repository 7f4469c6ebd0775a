"""`pitledger rebuild`: after a varied day the read model comes to the same bytes, and what differs is found."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.exits import ExitCode
from services.cli.services import NAMES, load
from services.round_settlement.manifest import MANIFEST as SETTLEMENT
from services.vigorish.manifest import MANIFEST as VIGORISH
from services.vigorish.tables import owed
from shared.journal.fact_replay import read_recorded
from shared.journal.recording import Recorded
from shared.journal.tables import JournalTables
from shared.runtime.database import create_engine
from shared.runtime.projections.projection_replay import tables_of
from shared.runtime.projections.rebuild import rebuild
from shared.runtime.projections.unprojected_tables import kept_checks
from shared.runtime.projector import Projector
from shared.runtime.settings import Settings
from tests.support import AnyBroker, Databases, eventually
from tests.support import rounds as played
from tests.support.corrections import PEOPLE, decide, propose, take_effect
from tests.support.desk import Desk, desk_of
from tests.support.nightly import sampled
from tests.support.outbox import Outbox
from tests.support.properties import TABLES, property_event
from tests.support.rebuilding import assert_rebuilt, compared, execute, rebuilt_tables, rows_of
from tests.support.sealing import seals_of, write_key
from tests.support.services import Worker, create_topics, produce, query, running, settled_database
from tests.support.tampering import add_row, as_superuser
from tests.unit.cli.calling import Caller
from tests.unit.vigorish import rounds as vigorish

Prepare = Callable[[str], str]


@pytest.fixture
def prepare(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prepare]:
    """Return a database with the schema of a service, on which `pitledger` then works."""
    made: list[str] = []

    def prepare(service: str) -> str:
        made.append(settled_database(databases, service))
        monkeypatch.setenv("DATABASE_URL", made[-1])
        return made[-1]

    yield prepare
    for url in made:
        databases.drop(url)


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger`."""
    return Caller(capsys, monkeypatch)


PLAYS = (played.WINNING, played.LOSING, played.BLACKJACK)


def test_where_rounds_stand_is_rebuilt(prepare: Prepare, pitledger: Caller, rng: random.Random) -> None:
    """Completed, corrected and voided in any order and batches, and corrected at the desk: the same rows."""
    url = prepare("round-settlement")
    events: list[dict[str, Any]] = []
    for table in ("BJ-01", "BJ-02"):
        of_table, seq = list[dict[str, Any]](), 0
        for number in range(300):
            seq += 1
            round_id = f"{table}-r{number}"
            of_table.append(played.completed(table, seq, round_id, played.record(rng.choice(PLAYS))))
            for _ in range(rng.choice((0, 0, 1, 2))):
                seq += 1
                if rng.random() < 0.4:
                    of_table.append(played.voided(table, seq, round_id))
                else:
                    of_table.append(played.corrected(table, seq, round_id, played.record(rng.choice(PLAYS))))
        events += sorted(of_table, key=lambda event: event["sequence"] + rng.uniform(0, 4))
    outbox, clock = Outbox(), lambda: played.DAY + timedelta(days=1)
    with desk_of(SETTLEMENT, url, people=PEOPLE, clock=clock, outbox=outbox) as desk:
        tables: dict[str, dict[str, str]] = {"MB-01": {"game": "minibaccarat", "play": "counted"}}
        desk.feed("properties", property_event(tables={name: {} for name in TABLES} | tables))
        desk.feed("submissions", played.submission())
        results = (played.result("MB-01", 1), played.voided_result("MB-01", 2, 1))
        desk.feed("table.events", *results, played.voided_result("MB-01", 4, 3), played.result("MB-01", 3))
        while events:
            size = rng.randrange(1, 90)
            desk.feed("table.events", *events[:size])
            events = events[size:]
        _correct_at_the_desk(desk, outbox)
    kinds = query(url, "SELECT DISTINCT kind FROM round_settlement.entries WHERE kind LIKE 'settlement.%'")
    assert 4 == len(kinds)
    assert [] == query(
        url,
        "SELECT round_id FROM round_settlement.rounds WHERE cardinality(others) <> (SELECT count(DISTINCT s) "
        "FROM unnest(others) s)",
    )
    outcomes = query(url, "SELECT DISTINCT posted FROM round_settlement.correction_outcomes ORDER BY 1")
    assert [(False,), (True,)] == outcomes
    assert_rebuilt(
        pitledger,
        "round-settlement",
        url,
        {
            "rounds": "revision = revision + 1",
            "corrections": "reason = ''",
            "correction_outcomes": "posted = NOT posted",
            "result_voids": "sequence = sequence + 1",
        },
    )


def _correct_at_the_desk(desk: Desk, outbox: Outbox) -> None:
    """Rounds that are proposed; of every four one waits, one is rejected, one takes effect, one is overtaken."""
    path, last = "/rounds?property=riverside&gaming_day=2026-11-20&table=BJ-01&limit=500", 10_000
    posted = [one for one in desk.get(path, person="ann").json()["items"] if one["status"] == "posted"]
    for number, one in enumerate(posted[:16], 1):
        where = f"/rounds/riverside/BJ-01/{one['round_id']}"
        play = played.record(played.BLACKJACK, cents=300)
        assert 201 == propose(desk, path=where, replaces=one["revision"], play=play).status_code
        match number % 4:
            case 1:
                assert 200 == decide(desk, "reject", number, reason="read right").status_code
            case 2 | 3 as kind:
                assert 200 == decide(desk, "approve", number).status_code
                if kind == 3:
                    at = played.DAY.isoformat()
                    when = {"opened_at": at, "closed_at": at}
                    overtaking = played.corrected("BJ-01", last + number, one["round_id"], play, **when)
                    desk.feed("table.events", overtaking | {"time": at})
                take_effect(desk, outbox)


def wait_for(url: str, service: str, worker: Worker, published: Mapping[str, int]) -> None:
    """Wait until a service has read so many records of these topics."""
    schema = service.replace("-", "_")
    statement = f"SELECT split_part(name, '/', 1), sum(next_offset)::bigint FROM {schema}.shards GROUP BY 1"

    def missing() -> dict[str, int]:
        assert worker.exit_code is None, worker.log()[-4000:]
        read = dict(query(url, statement))
        return {topic: count - read.get(topic, 0) for topic, count in published.items() if count != read.get(topic)}

    eventually(lambda: missing() == {}, seconds=60, because=f"{published} was read")


@pytest.mark.broker
def test_vigorish_is_rebuilt(
    prepare: Prepare, pitledger: Caller, rng: random.Random, fresh_broker: AnyBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is owed and its lines from the journal, the shifts from the pit events; the two topics come at random."""
    url, rules, servers = prepare("vigorish"), vigorish.rules(), fresh_broker.bootstrap_servers
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", servers)
    settlements: list[Any] = []
    pit: list[Any] = [vigorish.opened(1, -60)]
    for number in range(1, 80):
        seq = len(settlements) + 1
        lines = [
            vigorish.line(seat, rng.randrange(100, 9000), rng.choice((25, 50))) for seat in rng.sample((1, 2, 3), 2)
        ]
        lines += [vigorish.bank_line(4, 2000, 100, house_share=rng.choice((None, 1000)))]
        later: dict[str, Any] = {"gaming_day": "2026-11-21"} if rng.random() < 0.1 else {}
        was = vigorish.posted(seq, rules, lines, round_id=f"r-{number}", **later)
        settlements.append(was)
        if rng.random() < 0.2:
            settlements.append(vigorish.reversed_round(seq + 1, was))
        if rng.random() < 0.1:
            again = len(settlements) + 1
            settlements.append(
                vigorish.posted(again, rules, lines[:1], round_id=f"r-{number}", revision=2, gaming_day="2026-11-22")
            )
        for seat in (1, 2, 3):
            kind = rng.choice((vigorish.collected, vigorish.waived, vigorish.returned))
            pit.append(kind(len(pit) + 1, number, seat, rng.choice((25, 50)), shift=rng.choice(("day", "swing"))))
        if number % 20 == 0:
            pit.append(vigorish.next_shift(len(pit) + 1, number, f"shift-{number}"))
    create_topics(servers)
    produce(servers, "properties", [property_event()])
    produce(servers, "submissions", [rules])
    refused: tuple[bytes, bytes] = (pit[0]["source"].encode(), b"not JSON")
    pieces: list[tuple[str, list[Any]]] = []
    for topic, events in (("settlements", settlements), ("pit.events", [*pit[:9], refused, pit[3], *pit[9:]])):
        cuts = sorted(rng.sample(range(1, len(events)), 6))
        bounds = zip([0, *cuts], [*cuts, len(events)], strict=True)
        pieces += [(topic, events[first:last]) for first, last in bounds]
    order = {topic: iter([part for of, part in pieces if of == topic]) for topic, _ in pieces}
    with running("vigorish", database_url=url, bootstrap_servers=servers) as worker:
        for topic in rng.sample([topic for topic, _ in pieces], len(pieces)):
            produce(servers, topic, next(order[topic]))
        wait_for(url, "vigorish", worker, {"settlements": len(settlements), "pit.events": len(pit) + 2})
    changes = {
        "owed": "collected_cents = collected_cents + 1",
        "lines": "document = '{}'",
    }
    assert_rebuilt(pitledger, "vigorish", url, changes)
    execute(url, "DELETE FROM vigorish.quarantine")  # what was refused is known from the journal all the same
    found = compared("vigorish", url, Settings())
    assert (1, "quarantine shard") == (found.different, found.first[: len("quarantine shard")])


# --- what holds for every service ---


def test_every_service_can_be_checked(prepare: Prepare, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each says which of its tables it rebuilds; in a new database nothing is wrong with them, and no topic is read."""
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1")
    for service in NAMES:
        prepare(service)
        called = pitledger("rebuild", service, "--check", "--json")
        manifest = load(service)
        tables = {table.name: 0 for table in (*rebuilt_tables(service), *manifest.whole_projector.tables)}
        tables |= {table.name: 0 for table in (*kept_checks(manifest), *manifest.checks)}
        assert (ExitCode.FINE, tables) == (called.code, {one["table"]: one["rows"] for one in called.documents})


@sampled(2)
@pytest.mark.parametrize("service", NAMES)
def test_whatever_becomes_of_a_table_the_others_are_compared(
    service: str,
    prepare: Prepare,
    pitledger: Caller,
    rng: random.Random,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An odd row in every table, then ever more tables gone or of another form: each is named, and no other."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINT_KEY_FILE", str(write_key(service, tmp_path / "key.pem")))
    monkeypatch.setenv("PITLEDGER_MESSAGE_AUTHENTICATION", "required")
    url, manifest = prepare(service), load(service)
    journal = manifest.journal
    among_others = {journal.entries, journal.idempotency, journal.sources, journal.taken, journal.copies, journal.relay}
    among_others.add(journal.inputs)
    tables = [*tables_of(manifest), *(kept_checks(manifest).keys() - among_others - manifest.checks.keys())]
    names = {table.name for table in tables}
    for table in tables:
        add_row(url, table)
    rng.shuffle(tables)
    gone: list[str] = []
    cuts = sorted({0, 1, 2, len(tables) - 1})
    for number in range(len(tables)):
        if number in cuts:
            called = pitledger("rebuild", service, "--check", "--json")
            assert ExitCode.NOT_AS_IT_SHOULD_BE == called.code
            assert {table.name: 1 for table in tables[number:]} == {
                one["table"]: one["different"] for one in called.documents if one.get("table") in names
            }
            assert set(gone) == {one["what"] for one in called.documents if one.get("what") in names}
            found = compared(service, url, seals=seals_of(service))
            named = {one.table for one in found.tables if one.different} | {one.what for one in found.uncompared}
            assert set() == names - named
        column = tables[number].primary_key.columns[0].name
        lost = f'ALTER TABLE {tables[number].fullname} RENAME COLUMN "{column}" TO lost'
        execute(url, rng.choice((lost, f"DROP TABLE {tables[number].fullname}")))
        gone.append(tables[number].name)


def test_an_entry_that_cannot_be_read_is_named_and_those_after_it_are_projected(
    prepare: Prepare, pitledger: Caller
) -> None:
    """Whatever a superuser writes into an entry, what the others come to is compared."""
    url = prepare("round-settlement")
    with desk_of(SETTLEMENT, url, people=PEOPLE, clock=lambda: played.DAY) as desk:
        desk.feed("properties", property_event())
        desk.feed("submissions", played.submission())
        events = [played.completed("BJ-01", seq, f"r-{seq}", played.record(played.WINNING)) for seq in range(1, 6)]
        desk.feed("table.events", *events)
    place = "FROM round_settlement.entries WHERE kind = 'settlement.posted'"
    [(shard, seq)] = query(url, f"SELECT shard, min(seq) {place} GROUP BY shard")
    at = f"WHERE shard = {shard} AND seq = {seq}"
    as_superuser(url, f"UPDATE round_settlement.entries SET data = '{{}}' {at}")
    execute(url, "UPDATE round_settlement.rounds SET revision = 7 WHERE round_id = 'r-5'")
    called = pitledger("rebuild", "round-settlement", "--check")
    assert ExitCode.NOT_AS_IT_SHOULD_BE == called.code
    assert f"entry {shard}/{seq} (settlement.posted) does not follow" in called.stdout
    assert "rounds round_id r-1, property riverside, table_name BJ-01: was there, and nothing" in called.stdout
    assert "rounds round_id r-5, property riverside, table_name BJ-01: revision was 7, not 1" in called.stdout
    assert 2 == called.stdout.count("rounds round_id")


ROUND = """
    INSERT INTO round_settlement.rounds
    VALUES ('r-9', 'riverside', 'BJ-01', 1, 1, 1, 1, '2026-11-20', 'blackjack', '{}')"""


def test_a_row_that_nothing_recorded_leads_to_is_found(prepare: Prepare, pitledger: Caller) -> None:
    """It is named, stays where it is only checked, and goes with a rebuild."""
    url = prepare("round-settlement")
    execute(url, ROUND)
    called = pitledger("rebuild", "round-settlement", "--check")
    assert ExitCode.NOT_AS_IT_SHOULD_BE == called.code
    words = "rounds round_id r-9, property riverside, table_name BJ-01: was there, and nothing recorded leads to it"
    assert words in called.stdout
    assert "1 row of round-settlement not as the journal says" in called.stderr
    assert 1 == len(rows_of("round-settlement", url)["rounds"])
    assert ExitCode.FINE == pitledger("rebuild", "round-settlement").code
    assert 0 == len(rows_of("round-settlement", url)["rounds"])


OWED = """
    INSERT INTO vigorish.owed (property, table_name, round_id, seat, bank, gaming_day, assessed_cents, collected_cents,
        waived_cents, returned_cents)
    VALUES ('riverside', 'PG-01', 'r-9', 3, false, '2026-11-20', 0, 100, 0, 0)"""


async def _nothing() -> None:
    """Do nothing."""


def _rebuild(url: str, meanwhile: Callable[[], Awaitable[None]], *, check: bool) -> Any:
    """Rebuild one table of vigorish from an empty journal, while something is done."""

    async def read(
        connection: AsyncConnection, journal: JournalTables, after: Mapping[int, int]
    ) -> AsyncIterator[Sequence[Recorded]]:
        await meanwhile()
        async for recorded in read_recorded(connection, journal, after):
            yield recorded

    only = replace(VIGORISH, references=(), handlers=(), projector=Projector(tables=(owed,), read=read))

    async def work() -> Any:
        engine = create_engine(url, role="postgres")
        try:
            compared = await rebuild(engine, only, Settings(), check=check)
            return [one for one in compared.tables if one.table == owed.name]
        finally:
            await engine.dispose()

    return asyncio.run(work())


def test_nobody_records_anything_meanwhile(prepare: Prepare) -> None:
    """A service that runs waits for the shards, new ones too; whoever reads meanwhile reads what was there."""
    url = prepare("vigorish")
    execute(url, OWED)
    refused: list[type[psycopg.Error]] = []

    async def try_to_write() -> None:
        assert [(1,)] == query(url, "SELECT count(*) FROM vigorish.owed")
        for statement in (
            "INSERT INTO vigorish.shards (name, next_offset, next_seq, head) VALUES ('new', 0, 1, '')",
            "SELECT * FROM vigorish.shards FOR UPDATE",
            OWED.replace("r-9", "r-10"),
        ):
            with pytest.raises(psycopg.errors.LockNotAvailable) as failed:
                execute(url, "SET lock_timeout = '50ms'", statement)
            refused.append(failed.type)

    [compared] = _rebuild(url, try_to_write, check=False)
    assert (3, 0, 1) == (len(refused), compared.rows, compared.different)
    assert [(0,)] == query(url, "SELECT count(*) FROM vigorish.owed")


def test_a_rebuild_that_fails_changes_nothing(prepare: Prepare) -> None:
    """Everything happens in one transaction."""
    url = prepare("vigorish")
    execute(url, OWED)

    async def fail() -> None:
        raise ArithmeticError("half way")

    with pytest.raises(ArithmeticError):
        _rebuild(url, fail, check=False)
    assert [] == _rebuild(url, fail, check=True)
    assert [(1,)] == query(url, "SELECT count(*) FROM vigorish.owed")
    [compared] = _rebuild(url, _nothing, check=True)
    assert 1 == compared.different
    assert [(1,)] == query(url, "SELECT count(*) FROM vigorish.owed")


def test_the_login_of_a_service_may_not_rebuild(
    prepare: Prepare, pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the owner of the tables may: one line says so, and nothing changes."""
    url = prepare("round-settlement")
    execute(url, "DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk LOGIN PASSWORD 'clerk' IN ROLE round_settlement")
    clerk = make_url(url).set(username="clerk", password="clerk").render_as_string(hide_password=False)
    monkeypatch.setenv("DATABASE_URL", clerk)
    called = pitledger("rebuild", "round-settlement")
    assert (ExitCode.NOT_THERE, "") == (called.code, called.stdout)
    assert "may not do this" in called.stderr
    execute(url, "DROP ROLE clerk")
