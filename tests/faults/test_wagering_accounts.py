"""The wagering accounts are killed at every durable step and in the middle of commands: same books, no cent lost."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from shared.contracts.account_events import decode
from shared.local.ports import free_port
from shared.runtime.access import token_hash
from tests.support import AnyBroker, Databases, eventually
from tests.support.accounts import IDENTITIES, PROPERTY, ROLES, TABLE, House, a_house, credit
from tests.support.services import Worker, consume_all, create_topics, produce, query, running, settled_database
from tests.support.worker import Orders

ACCOUNTS = [f"GA-{number}" for number in range(1, 7)]
ROUNDS = 12

ENTRIES = """
    SELECT s.name, e.seq, e.kind, e.source, e.sequence, e.event_id, e.data::text, encode(e.hash, 'hex')
    FROM wagering_accounts.entries e JOIN wagering_accounts.shards s USING (shard)
    WHERE s.name LIKE 'settlements/%' ORDER BY s.name, e.seq"""
BOOKS = {
    "entries": ENTRIES,
    "balances": "SELECT account, available, held, staked FROM wagering_accounts.balances ORDER BY account",
    "rounds": "SELECT round_id, state, posted, reversed, voided FROM wagering_accounts.rounds ORDER BY round_id",
    "parts": "SELECT * FROM wagering_accounts.round_accounts ORDER BY round_id, account",
    "holds": "SELECT account, round_id, cents, state FROM wagering_accounts.holds ORDER BY account, round_id",
    "liability": """SELECT gaming_day, sum(bought_in), sum(staked), sum(credited), sum(short)
                    FROM wagering_accounts.liability_days GROUP BY 1 ORDER BY 1""",
    "statements": """SELECT account, kind, round_id, available_change, held_change, staked_change
                     FROM wagering_accounts.lines ORDER BY account, version""",
}
DONE = """
    SELECT coalesce(sum(next_offset), 0),
           (SELECT count(*) FROM wagering_accounts.relay r JOIN wagering_accounts.shards s USING (shard)
            WHERE r.published_seq < s.next_seq - 1)
    FROM wagering_accounts.shards WHERE name LIKE 'settlements/%'"""


def _sessions(house: House) -> None:
    """Every account with money, and a wager in each round; half of the rounds reach "no more bets"."""
    for account in ACCOUNTS:
        house.funded(account, 20_000)
    for number in range(ROUNDS):
        for seat, account in enumerate(ACCOUNTS, 1):
            assert 201 == house.authorize(500, account, round_id=f"r-{number}", seat=seat).status_code
        if number % 2:
            house.capture(f"r-{number}")


def _results(house: House) -> list[Mapping[str, Any] | tuple[bytes | None, bytes]]:
    """A result of every round but the last, some void, some corrected, one of an account that is not known."""
    events: list[Mapping[str, Any] | tuple[bytes | None, bytes]] = []
    for number in range(ROUNDS - 1):
        won = [credit(500, 1_000 * (seat % 2), account, seat=seat) for seat, account in enumerate(ACCOUNTS, 1)]
        lost = [credit(500, 0, account, seat=seat) for seat, account in enumerate(ACCOUNTS, 1)]
        round_id = f"r-{number}"
        if number % 5 == 4:
            events.append(house.result("settlement.voided", round_id))
            continue
        events.append(house.result("settlement.posted", round_id, *won))
        if number % 3 == 0:
            events.append(house.result("settlement.reversed", round_id, *won))
            events.append(house.result("settlement.posted", round_id, *lost, revision=2))
    events.insert(9, (b"/round-settlement/shards/1", b"not an event"))
    events.append(house.result("settlement.posted", "r-99", credit(1, 0, "GA-99")))
    return events


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, databases: Databases) -> Any:
    """A broker with the results, and what an undisturbed run makes of them."""
    broker: AnyBroker = request.getfixturevalue("module_broker")
    servers = broker.bootstrap_servers
    create_topics(servers, {"settlements": 1, "accounts": 2})
    url = settled_database(databases, "wagering-accounts")
    with a_house(url) as house:
        _sessions(house)
        events = _results(house)
    produce(servers, "settlements", events)
    with running("wagering-accounts", database_url=url, bootstrap_servers=servers) as worker:
        _wait(url, len(events), worker)
    return servers, len(events), _books(url)


def _wait(url: str, events: int, worker: Worker) -> None:
    def done() -> bool:
        assert worker.exit_code is None, worker.log()[-4000:]
        return query(url, DONE) == [(events, 0)]

    eventually(done, seconds=60, because="every settlement is taken and every entry is published")


def _books(url: str) -> dict[str, Any]:
    return {name: query(url, statement) for name, statement in BOOKS.items()}


def _in_order(url: str) -> None:
    for name, statement in IDENTITIES.items():
        assert [] == query(url, statement), name


def test_the_undisturbed_run_is_what_it_should_be(played: Any) -> None:
    """The reference itself: every kind of result, two refused records, one round that stays open."""
    _, _, books = played
    kinds: dict[str, int] = {}
    for row in books["entries"]:
        kinds[row[2]] = kinds.get(row[2], 0) + 1
    assert {
        "wagers.settled": 9 + 3,
        "wagers.reversed": 3,
        "wagers.voided": 2,
        "record.quarantined": 2,
    } == kinds
    assert [("captured", ROUNDS - 1)] == [
        (state, int(round_id.removeprefix("r-"))) for round_id, state, *_ in books["rounds"] if state == "captured"
    ]


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    "step", ["consumed", "derived", "before commit", "after commit", "handled", "relay sent", "relay marked"]
)
def test_killed_and_started_again(played: Any, databases: Databases, step: str, times: int) -> None:
    """kill -9 at a durable step, then a restart: same books and hashes; downstream each entry once."""
    servers, events, books = played
    topic = f"accounts-{step.replace(' ', '-')}-{times}"
    create_topics(servers, {topic: 2})
    url = settled_database(databases, "wagering-accounts")
    with a_house(url) as house:
        _sessions(house)
    options: dict[str, Any] = {"database_url": url, "bootstrap_servers": servers}
    killed = Worker(
        "wagering-accounts",
        orders=Orders(topic=topic, kill_at=step, times=times),
        settings={"PITLEDGER_KAFKA_GROUP_PREFIX": topic, "PITLEDGER_BATCH_RECORDS_MAX": "8"},
        **options,
    )
    try:
        assert -9 == killed.wait(), killed.log()[-4000:]
    finally:
        killed.kill()
    again = {"PITLEDGER_KAFKA_GROUP_PREFIX": f"{topic}-again"}  # the dead member's place in its group is not waited for
    with running("wagering-accounts", orders=Orders(topic=topic), settings=again, **options) as worker:
        _wait(url, events, worker)
    assert books == _books(url)
    _in_order(url)
    published: dict[tuple[str, int], str] = {}
    for _, value in consume_all(servers, topic):
        document = json.loads(value)
        decode(value)
        assert (
            published.setdefault((document["source"], document["sequence"]), document["entryhash"])
            == (document["entryhash"])
        )
    assert {
        (f"/wagering-accounts/shards/{shard}", seq): digest
        for shard, seq, digest in query(url, "SELECT shard, seq, encode(hash, 'hex') FROM wagering_accounts.entries")
    } == published


def test_killed_while_commands_are_under_way(fresh_broker: AnyBroker, databases: Databases, tmp_path: Path) -> None:
    """Whoever got no answer asks again under the same key: each wager is on hold once, and no answer was a lie."""
    servers = fresh_broker.bootstrap_servers
    create_topics(servers, {"settlements": 1, "accounts": 2})
    url = settled_database(databases, "wagering-accounts")
    with a_house(url) as house:
        house.funded(cents=1_000_000)
    tokens, port = tmp_path / "tokens.yaml", free_port()
    tokens.write_text(
        "".join(
            f"- {{person: {person}, token_sha256: {token_hash(f'token of {person}')}, roles: {roles}}}\n"
            for person, roles in ROLES.items()
        )
    )
    options: dict[str, Any] = {
        "database_url": url,
        "bootstrap_servers": servers,
        "settings": {"PITLEDGER_HTTP_PORT": str(port), "PITLEDGER_API_TOKENS_FILE": str(tokens)},
    }
    base = f"http://127.0.0.1:{port}"
    keys = [f"k-{number}" for number in range(600)]
    answers: dict[str, httpx.Response] = {}

    def authorize(key: str) -> None:
        body = {"table": TABLE, "round_id": "r-1", "seat": 1, "wager": "blackjack", "cents": 100}
        headers = {"Authorization": "Bearer token of table.bj01", "Idempotency-Key": key}
        try:
            answer = httpx.post(f"{base}/accounts/{PROPERTY}/GA-1/holds", json=body, headers=headers, timeout=20)
        except httpx.TransportError:
            return
        if key in answers:
            assert answers[key].json() == answer.json()
        answers[key] = answer

    def ready(worker: Worker) -> None:
        eventually(
            lambda: httpx.get(f"{base}/readyz").status_code == 200,
            seconds=60,
            because="the service is ready",
            retry_on=httpx.TransportError,
        )
        assert worker.exit_code is None, worker.log()[-4000:]

    killed = Worker("wagering-accounts", **options)
    try:
        ready(killed)
        with ThreadPoolExecutor(16) as pool:
            sending = [pool.submit(authorize, key) for key in keys]
            eventually(lambda: len(answers) > 100, seconds=60, because="some commands are answered")
            killed.kill()
            for future in sending:
                future.result()
    finally:
        killed.kill()
    answered = len(answers)
    assert 100 < answered < len(keys)
    with running("wagering-accounts", **options) as worker:
        ready(worker)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(authorize, keys))
    assert {201} == {answer.status_code for answer in answers.values()}
    assert len(keys) == len({answer.json()["hold"] for answer in answers.values()})
    assert [(len(keys), 100 * len(keys))] == query(
        url, "SELECT count(*), sum(cents)::bigint FROM wagering_accounts.holds"
    )
    assert [(1_000_000 - 100 * len(keys), 100 * len(keys))] == query(
        url, "SELECT available, held FROM wagering_accounts.balances"
    )
    _in_order(url)
