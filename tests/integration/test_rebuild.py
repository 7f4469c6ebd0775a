"""`pitledger rebuild`: after a varied day every projection comes to the same bytes, and what differs is found."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.cli.database import with_engine
from services.cli.exits import ExitCode
from services.cli.services import ServiceName, projections
from services.vigorish.rebuild import PROJECTIONS as OF_VIGORISH
from services.vigorish.tables import owed
from shared.runtime.service.rebuild import Projections, rebuild
from shared.runtime.settings import Settings
from tests.support import AnyBroker, Databases, eventually
from tests.support import rounds as played
from tests.support.rebuilding import assert_made_anew, execute, rows_of
from tests.support.services import Worker, create_topics, produce, query, running, settled_database
from tests.unit.cli.calling import Caller
from tests.unit.progressive_meters.office import an_office, feed, terms
from tests.unit.progressive_meters.settlements import DAY as METER_DAY
from tests.unit.progressive_meters.settlements import PROPERTY as METER_PROPERTY
from tests.unit.progressive_meters.settlements import Shard
from tests.unit.progressive_meters.settlements import rules as meter_rules
from tests.unit.vigorish import rounds as vigorish

Prepare = Callable[[str], str]


@pytest.fixture
def prepare(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prepare]:
    """Gives a database with the schema of a service, on which `pitledger` then works."""
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


# --- progressive meters ---


def test_the_meters_are_made_anew(prepare: Prepare, pitledger: Caller, rng: random.Random) -> None:
    """Pools with their exact meters, movements, readings, hits, changes, versions: from the journal alone."""
    url, rules = prepare("progressive-meters"), meter_rules()
    shards = (Shard(rules, 1), Shard(rules, 2))
    with an_office(url) as office:
        office.learn(rules)
        office.open_pool("major", feed("BJ-01"), feed("BJ-02"), limit_cents=500_400)
        office.open_pool("minor", feed("BJ-03"))
        posted: list[tuple[int, dict[str, Any]]] = []
        seqs = [0, 0]
        for number in range(60):
            which = rng.randrange(2)
            seqs[which] += 1
            shard, seq, table = shards[which], seqs[which], rng.choice(("BJ-01", "BJ-03") if which else ("BJ-02",))
            choice = rng.random()
            if choice < 0.15 and (mine := [one for one in posted if one[0] == which]):
                was = rng.choice(mine)
                posted.remove(was)
                office.settle(shard.reversed(seq, was[1]), partition=which)
                if rng.random() < 0.5:
                    seqs[which] += 1
                    data = was[1]["data"]
                    again = shard.posted(
                        seqs[which], before=500_000, table=data["table"], round_id=data["round_id"], revision=2
                    )
                    office.settle(again, partition=which)
            else:
                stakes = [rng.randrange(100, 2000, 25) for _ in range(rng.randrange(1, 5))]
                award = rng.randrange(100, 9000) if rng.random() < 0.2 else 0
                event = shard.posted(
                    seq, before=rng.randrange(500_000, 501_000), stakes=stakes, table=table, award=award
                )
                posted.append((which, event))
                office.settle(event, partition=which)
            if number % 10 == 0:
                office.change("major", kind="transfer", cents=rng.randrange(1, 50), to="minor")
                office.change("minor", kind="adjustment", cents=rng.randrange(-50, -1))
        turned_down = {"gaming_day": METER_DAY, "reason": "no", "kind": "reset"}
        requested = office.send(f"/pools/{METER_PROPERTY}/major/changes", turned_down, person="carl")
        assert 201 == requested.status_code, requested.text
        office.send(f"{requested.headers['location']}/reject", {"reason": "not agreed"}, person="bob")
        office.send(f"/pools/{METER_PROPERTY}/minor/changes", turned_down, person="carl")
        for pool, table in (("third", "BJ-04"), ("fourth", "BJ-05")):
            filed = office.send("/pools", terms(pool, feed(table)), person="carl")
            assert 201 == filed.status_code, filed.text
        office.send(f"{filed.headers['location']}/reject", {"reason": "no such table"}, person="bob")
        for reason in ("close", "close again"):
            body = {"property": METER_PROPERTY, "gaming_day": METER_DAY, "reason": reason}
            assert 201 == office.send("/reconciliations", body, person="kim").status_code
        assert [] == office.quarantined()
    changes = {
        "pools": "display = display + 1",
        "movements": "contribution = contribution + 1",
        "readings": "standing = NOT standing",
        "hits": "cents = cents + 1",
        "changes": "document = '{}'",
        "reconciliations": "rows_sha256 = ''",
    }
    assert_made_anew(pitledger, "progressive-meters", url, changes)
    [(exact,)] = query(url, "SELECT display::text FROM progressive_meters.pools WHERE pool = 'major'")
    execute(url, "UPDATE progressive_meters.pools SET display = 0, hits = 7000 WHERE pool = 'major'")
    said = pitledger("rebuild", "progressive-meters", "--check").stdout
    assert f"pools property riverside, pool major: display was 0, not {exact}; hits was 7000, not " in said


# --- services that read what a broker has ---


def wait_for(url: str, service: str, worker: Worker, published: Mapping[str, int]) -> None:
    """Until a service has read so many records of these topics."""
    schema = service.replace("-", "_")
    statement = f"SELECT split_part(name, '/', 1), sum(next_offset)::bigint FROM {schema}.shards GROUP BY 1"

    def missing() -> dict[str, int]:
        assert worker.exit_code is None, worker.log()[-4000:]
        read = dict(query(url, statement))
        return {topic: count - read.get(topic, 0) for topic, count in published.items() if count != read.get(topic)}

    eventually(lambda: missing() == {}, seconds=60, because=f"{published} was read")


@pytest.mark.broker
def test_vigorish_is_made_anew(
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
    changes = {"owed": "collected = collected + 1", "lines": "standing = NOT standing", "shifts": "shift = 'night'"}
    assert_made_anew(pitledger, "vigorish", url, changes)


@pytest.mark.broker
def test_where_rounds_stand_is_made_anew(
    prepare: Prepare, pitledger: Caller, rng: random.Random, fresh_broker: AnyBroker
) -> None:
    """Completed, corrected and voided in any order: the same sequences, revisions and standing entries."""
    url, servers = prepare("round-settlement"), fresh_broker.bootstrap_servers
    streams: list[list[dict[str, Any]]] = []
    for table in ("BJ-01", "BJ-02"):
        events, seq = [], 0
        for number in range(40):
            seq += 1
            round_id = f"{table}-r{number}"
            events.append(played.completed(table, seq, round_id, played.record(rng.choice(PLAYS))))
            for _ in range(rng.choice((0, 0, 1, 2))):
                seq += 1
                if rng.random() < 0.4:
                    events.append(played.voided(table, seq, round_id))
                else:
                    events.append(played.corrected(table, seq, round_id, played.record(rng.choice(PLAYS))))
        streams.append(sorted(events, key=lambda event: event["sequence"] + rng.uniform(0, 4)))
    create_topics(servers)
    produce(servers, "submissions", [played.submission()])
    produce(servers, "table.events", [event for stream in streams for event in stream])
    with running("round-settlement", database_url=url, bootstrap_servers=servers) as worker:
        wait_for(url, "round-settlement", worker, {"table.events": sum(map(len, streams))})
    kinds = query(url, "SELECT DISTINCT kind FROM round_settlement.entries WHERE kind LIKE 'settlement.%'")
    assert 4 == len(kinds)
    assert_made_anew(pitledger, "round-settlement", url, {"rounds": "revision = revision + 1"})


PLAYS = (played.WINNING, played.LOSING, played.BLACKJACK)


# --- what holds for every service ---


def test_every_service_can_be_checked(prepare: Prepare, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each says which of its tables follow from its journal; in a new database there is nothing wrong with them."""
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1")
    for service in ServiceName:
        prepare(service)
        called = pitledger("rebuild", service, "--check", "--json")
        if service in (ServiceName.REPORTING, ServiceName.VIGORISH):  # they read a topic again
            assert (ExitCode.NOT_THERE, "") == (called.code, called.stdout)
            assert f"{service} stays as it is: " in called.stderr
        else:
            tables = [(table.name, 0) for table in projections(service).tables]
            assert (ExitCode.FINE, tables) == (called.code, [(one["table"], one["rows"]) for one in called.documents])


OWED = """
    INSERT INTO vigorish.owed
        (property, table_name, round_id, seat, bank, gaming_day, assessed, collected, waived, returned)
    VALUES ('riverside', 'PG-01', 'r-9', 3, false, '2026-11-20', 0, 100, 0, 0)"""


async def _fill_nothing(connection: AsyncConnection, given: Settings) -> None:
    del connection, given


def _rebuild(fill: Callable[[AsyncConnection, Settings], Any], *, check: bool) -> Any:
    """Rebuilds one table of vigorish by some other means."""
    only = Projections(journal=OF_VIGORISH.journal, tables=(owed,), fill=fill)

    async def work(engine: AsyncEngine) -> Any:
        return await rebuild(engine, only, Settings(), check=check)

    return with_engine("vigorish", work)


def test_a_row_that_nothing_recorded_leads_to_is_found(prepare: Prepare, pitledger: Caller) -> None:
    """It is named, stays where it is only checked, and goes with a rebuild."""
    url = prepare("progressive-meters")
    execute(
        url,
        """INSERT INTO progressive_meters.reconciliations VALUES ('riverside', '2026-11-20', 7, 'x', '{"a": 1}')""",
    )
    called = pitledger("rebuild", "progressive-meters", "--check")
    assert ExitCode.NOT_AS_IT_SHOULD_BE == called.code
    words = (
        "reconciliations property riverside, gaming_day 2026-11-20, seq 7: was there, and nothing recorded leads to it"
    )
    assert words in called.stdout
    assert "1 row of progressive-meters not as the journal says" in called.stderr
    assert 1 == len(rows_of("progressive-meters", url)["reconciliations"])
    assert ExitCode.FINE == pitledger("rebuild", "progressive-meters").code
    assert 0 == len(rows_of("progressive-meters", url)["reconciliations"])


def test_nobody_records_anything_meanwhile(prepare: Prepare) -> None:
    """A service that runs waits for the shards, new ones too; whoever reads meanwhile reads what was there."""
    url = prepare("vigorish")
    execute(url, OWED)
    refused: list[type[psycopg.Error]] = []

    async def fill(connection: AsyncConnection, given: Settings) -> None:
        del connection, given
        assert [(1,)] == query(url, "SELECT count(*) FROM vigorish.owed")
        for statement in (
            "INSERT INTO vigorish.shards (name, next_offset, next_seq, head) VALUES ('new', 0, 1, '')",
            "SELECT * FROM vigorish.shards FOR UPDATE",
            OWED.replace("r-9", "r-10"),
        ):
            with pytest.raises(psycopg.errors.LockNotAvailable) as failed:
                execute(url, "SET lock_timeout = '50ms'", statement)
            refused.append(failed.type)

    [compared] = _rebuild(fill, check=False)
    assert (3, 0, 1) == (len(refused), compared.rows, compared.different)
    assert [(0,)] == query(url, "SELECT count(*) FROM vigorish.owed")


def test_a_rebuild_that_fails_changes_nothing(prepare: Prepare) -> None:
    """Everything happens in one transaction."""
    url = prepare("vigorish")
    execute(url, OWED)

    async def fail(connection: AsyncConnection, given: Settings) -> None:
        await _fill_nothing(connection, given)
        raise ArithmeticError("half way")

    for check in (True, False):
        with pytest.raises(ArithmeticError):
            _rebuild(fail, check=check)
    assert [(1,)] == query(url, "SELECT count(*) FROM vigorish.owed")
    [compared] = _rebuild(_fill_nothing, check=True)
    assert 1 == compared.different
    assert [(1,)] == query(url, "SELECT count(*) FROM vigorish.owed")


def test_the_login_of_a_service_may_not_rebuild(
    prepare: Prepare, pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the owner of the tables may: one line says so, and nothing changes."""
    url = prepare("progressive-meters")
    execute(url, "DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk LOGIN IN ROLE progressive_meters")
    clerk = make_url(url).set(username="clerk", password=None).render_as_string(hide_password=False)
    monkeypatch.setenv("DATABASE_URL", clerk)
    called = pitledger("rebuild", "progressive-meters")
    assert (ExitCode.NOT_THERE, "") == (called.code, called.stdout)
    assert "may not do this" in called.stderr
    execute(url, "DROP ROLE clerk")
