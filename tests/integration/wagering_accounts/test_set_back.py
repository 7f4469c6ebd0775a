"""A database that was set back pays nothing twice, and nothing new is published where Kafka has something already."""

import random
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event

import httpx
import psycopg
import pytest
from sqlalchemy import make_url
from structlog.testing import capture_logs

from services.wagering_accounts.manifest import MANIFEST
from shared.contracts.topics import ACCOUNTS
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import Signer
from shared.runtime.high_water import HighWaterMark, HighWaterSource
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from tests.support import AnyBroker, Databases, eventually
from tests.support.accounts import Clock, credit
from tests.support.brokers import empty
from tests.support.rebuilding import execute
from tests.support.services import create_topics
from tests.support.setting_back import CENTS, DOUBT, TILLS, Bank, Cashier, Rows
from tests.unit.cli.calling import Caller

PAID = 12
"""So many are paid; the database is set back to a random moment between the first and the last."""
REPLICA = "SET session_replication_role = replica"


@pytest.fixture
def pitledger(bank: Bank, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger` on the installation."""
    for name, value in bank.environment.items():
        monkeypatch.setenv(name, value)
    return Caller(capsys, monkeypatch)


@pytest.fixture
def bank(url: str, fresh_broker: AnyBroker, databases: Databases, tmp_path: Path) -> Bank:
    """An installation with accounts that have money in them."""
    create_topics(fresh_broker.bootstrap_servers, {ACCOUNTS.name: 3})
    signer, key = Signer.generate(signer_name(MANIFEST.name)), tmp_path / "key.pem"
    signer.to_pem(key)
    notary = CheckpointSigner(MANIFEST.name, signer, DirectoryStore(tmp_path / "checkpoints"))
    found = Bank(url, fresh_broker.bootstrap_servers, notary, databases, key)
    with found.opens() as cashier:
        for number in range(TILLS):
            cashier.house.funded(f"GA-{number}", PAID * CENTS)
        assert 2 * TILLS == cashier.publishes()
    return found


class Moment:
    """Keeps the database as it was at a random moment of paying, and sets it back to that."""

    def __init__(self, bank: Bank, rng: random.Random, *, by_rows: bool) -> None:
        self._bank = bank
        self._at = rng.randrange(PAID - 1)
        self._by_rows = by_rows
        self.lost = PAID - self._at - 1
        """How many were paid after it."""
        self.set_back: Callable[[], None] = self._never
        print(f"kept after cash-out {self._at} of {PAID}")  # noqa: T201 - shown where a test fails

    def _never(self) -> None:
        raise AssertionError("it was not kept")

    def pay(self, cashier: Cashier, *, published: bool = True) -> None:
        """Pay all, and keep the database on the way."""
        for number in range(PAID):
            assert 200 == cashier.pays(number).status_code
            if published:
                cashier.publishes()
            if number == self._at:
                self.set_back = self._kept()

    def _kept(self) -> Callable[[], None]:
        bank = self._bank
        if self._by_rows:
            return Rows(make_url(bank.url), "wagering_accounts", "kept").put_back
        copy = bank.databases.back_up(bank.url)
        return lambda: bank.databases.set_back(bank.url, copy)


def refused(bank: Bank, cashier: Cashier) -> None:
    """Nothing is paid again, recorded or published, and it is named: answer, readiness, metric, log."""
    stands, on_topic = bank.shards(), bank.published()
    with capture_logs() as logs:
        answers = [cashier.pays(number) for number in range(PAID)]
        published = cashier.publishes()
    assert {DOUBT} == {(answer.status_code, answer.json()["type"]) for answer in answers}
    assert (0, stands, on_topic) == (published, bank.shards(), bank.published())
    assert {1} == {len(hashes) for hashes in on_topic.values()}
    assert "database was set back" in answers[0].json()["detail"] or "is not the one" in answers[0].json()["detail"]
    events = [line["event"] for line in logs]
    assert PAID == events.count("command refused because of a journal problem")
    metrics = cashier.house.desk.context.metrics
    counted = {"reason": "journal-in-doubt"}
    assert PAID <= (metrics.registry.get_sample_value("pitledger_commands_refused_total", counted) or 0)
    cashier.guard.observe()
    assert 0 == metrics.registry.get_sample_value("pitledger_verification_ok")


@pytest.mark.parametrize("by_rows", [False, True], ids=["the whole database", "the rows of this service"])
def test_nothing_is_paid_twice_under_a_running_service(bank: Bank, rng: random.Random, by_rows: bool) -> None:
    """It knows what it wrote, without asking anybody: with a break of its connections, and without one."""
    moment = Moment(bank, rng, by_rows=by_rows)
    with bank.opens() as cashier:
        moment.pay(cashier)
        moment.set_back()
        refused(bank, cashier)


@pytest.mark.parametrize("by_rows", [False, True], ids=["the whole database", "the rows of this service"])
def test_nothing_is_paid_twice_after_a_start(bank: Bank, rng: random.Random, by_rows: bool) -> None:
    """It learns from its own topic, before the first command, what it once wrote."""
    moment = Moment(bank, rng, by_rows=by_rows)
    with bank.opens() as cashier:
        moment.pay(cashier)
    moment.set_back()
    with bank.opens() as cashier:
        refused(bank, cashier)


@pytest.mark.parametrize("by_rows", [False, True], ids=["the whole database", "the rows of this service"])
def test_nothing_is_paid_twice_while_many_are_paid(bank: Bank, rng: random.Random, by_rows: bool) -> None:
    """Whoever asks after it is refused, and nothing is recorded any more; what was on its way is recorded once."""
    moment = Moment(bank, rng, by_rows=by_rows)
    is_back, ended = Event(), Event()

    def pay(cashier: Cashier, first: int) -> list[httpx.Response]:
        """Pay until the end, and return the answers to what was asked when the database was set back."""
        later: list[httpx.Response] = []
        number = first
        while not ended.is_set():
            asked_later = is_back.is_set()
            answer = cashier.pays(number)
            later += [answer] if asked_later else []
            number += TILLS
        return later

    with bank.opens() as cashier, ThreadPoolExecutor(TILLS) as pool:
        moment.pay(cashier)
        kept = bank.shards()
        paying = [pool.submit(pay, cashier, PAID + till) for till in range(TILLS)]
        try:
            eventually(lambda: bank.shards() != kept, because="they are being paid")
            moment.set_back()
            is_back.set()
            answers = [cashier.pays(number) for number in range(2 * PAID)]
        finally:
            ended.set()
        answers += [answer for one in paying for answer in one.result()]
        stands = bank.shards()
        answers += [cashier.pays(number) for number in range(2 * PAID)]
        assert {DOUBT} == {(answer.status_code, answer.json()["type"]) for answer in answers}
        assert (0, stands) == (cashier.publishes(), bank.shards())


def test_what_is_gone_from_one_shard_is_not_paid_from_another(bank: Bank, rng: random.Random) -> None:
    """While others work with the shard that was set back a command goes to another one, or to a new one."""
    moment = Moment(bank, rng, by_rows=True)
    with bank.opens() as cashier:
        moment.pay(cashier)
        moment.set_back()
        with psycopg.connect(make_url(bank.url).set(drivername="postgresql").render_as_string(False)) as busy:
            busy.execute("SELECT FROM wagering_accounts.shards WHERE name = 'commands/0' FOR UPDATE")
            refused(bank, cashier)


class _Asked(HighWaterSource):
    """Whoever is asked what is known outside, and does not answer before he may."""

    def __init__(self) -> None:
        self.asked, self.may_answer = Event(), Event()

    def signed(self) -> Mapping[str, int]:
        return {}

    def published(self, sent: Mapping[int, int]) -> Mapping[int, HighWaterMark]:
        del sent
        self.asked.set()
        assert self.may_answer.wait(60)
        return {1: HighWaterMark(10**6, b"", "somebody")}


def test_nobody_goes_before_all_is_compared(bank: Bank) -> None:
    """Neither who asks first, nor who asks meanwhile."""
    witness = _Asked()
    with bank.opens(witness=witness) as cashier, ThreadPoolExecutor() as pool:
        answers = [pool.submit(cashier.pays, number) for number in range(2)]
        assert witness.asked.wait(60)
        published = pool.submit(cashier.publishes)
        assert not any(each.done() for each in answers)
        assert not published.done()
        witness.may_answer.set()
        assert {DOUBT} == {(one.result().status_code, one.result().json()["type"]) for one in answers}
        assert 0 == published.result()


def test_what_was_signed_and_never_published_is_not_paid_twice(bank: Bank, rng: random.Random) -> None:
    """The broker was away: the newest checkpoint outside says how far the journal was."""
    moment = Moment(bank, rng, by_rows=False)
    with bank.opens() as cashier:
        moment.pay(cashier, published=False)
        cashier.watches()
    moment.set_back()
    with bank.opens() as cashier:
        refused(bank, cashier)


def test_topics_are_not_read_over_a_database_that_was_set_back(bank: Bank, rng: random.Random) -> None:
    """Nothing is derived, and the partition says why it is not read on."""
    moment = Moment(bank, rng, by_rows=False)
    with bank.opens() as cashier:
        moment.pay(cashier)
        cashier.house.settle(0, CENTS, "GA-1")
        moment.set_back()
        stands = bank.shards()
        cashier.house.take(cashier.house.result("settlement.posted", "r-2", credit(0, CENTS, "GA-1")))
        [reason] = cashier.house.desk.consumer("settlements").stopped.reasons.values()
        assert "the database was set back" in reason
        assert stands == bank.shards()


def test_the_newest_entries_deleted_everywhere_in_the_database(bank: Bank, rng: random.Random) -> None:
    """Entries, shard with its seal, checkpoints, marks, answers and balances: only the topic still has them."""
    moment = Moment(bank, rng, by_rows=True)
    with bank.opens() as cashier:
        moment.pay(cashier)
        cashier.watches()
    moment.set_back()
    for path in bank.notary.store.path.rglob("*checkpoint"):
        path.unlink()  # and those outside, too
    with bank.opens() as cashier:
        refused(bank, cashier)


def test_a_shard_that_is_gone_is_not_begun_again(bank: Bank) -> None:
    """Every row of the journal is deleted: the topic has entries of a shard that is not there."""
    gone = ("entries", "shards", "relay", "checkpoints", "verified", "idempotency")
    execute(bank.url, REPLICA, *(f"DELETE FROM wagering_accounts.{table}" for table in gone))
    with bank.opens() as cashier:
        assert DOUBT == ((answer := cashier.pays(0)).status_code, answer.json()["type"])
        assert "the shard is gone" in answer.json()["detail"]


def test_another_journal_in_its_place(bank: Bank) -> None:
    """Longer, sealed with the same key, of the same names: its entries are not those that were published."""
    before = bank.databases.back_up(bank.url)
    with bank.opens() as cashier:
        assert [200] * 3 == [cashier.pays(number).status_code for number in range(3)]
    other = bank.databases.back_up(bank.url)
    bank.databases.set_back(bank.url, before)
    with bank.opens(Clock(timedelta(hours=1))) as cashier:
        assert [200] * 2 == [cashier.pays(number).status_code for number in (8, 9)]
        cashier.publishes()
    bank.databases.set_back(bank.url, other)
    with bank.opens() as cashier:
        refused(bank, cashier)


def test_the_runbook_leads_out(bank: Bank, rng: random.Random, pitledger: Caller, tmp_path: Path) -> None:
    """What was lost is named once, entry by entry; with the checkpoints that are still held, commands are taken."""
    moment = Moment(bank, rng, by_rows=False)
    with bank.opens() as cashier:
        moment.pay(cashier)
        cashier.watches()
    moment.set_back()
    with bank.opens() as cashier:
        refused(bank, cashier)
    held = tmp_path / "still-held"
    told = pitledger("reconcile", "--service", MANIFEST.name, "--still-held", str(held), "--json")
    [lost] = [document["lost"] for document in told.documents if document["lost"]]
    assert (1, moment.lost) == (told.code, len(lost)), told.stderr
    assert {"account.cashed_out"} == {entry["kind"] for entry in lost}
    after = replace(bank, notary=replace(bank.notary, store=DirectoryStore(held)))
    for hours in (1, 2):  # and after another start
        with after.opens(Clock(timedelta(hours=hours))) as cashier:
            cashier.watches()
            assert [200] * PAID == [cashier.pays(number).status_code for number in range(PAID)]
            cashier.publishes()
            assert [] == cashier.guard.problems


def test_a_topic_that_was_emptied_stops_nobody(bank: Bank) -> None:
    """The database is whole: cash-outs are paid once. Who reads the topic finds that it was cut."""
    with bank.opens() as cashier:
        assert 200 == cashier.pays(0).status_code
        assert 1 == cashier.publishes()
        empty(bank.servers)
        create_topics(bank.servers, {ACCOUNTS.name: 3})
        assert [200, 200] == [cashier.pays(number).status_code for number in (0, 1)]
        assert 1 == cashier.publishes()
    with bank.opens() as cashier:
        assert [200, 200] == [cashier.pays(number).status_code for number in (1, 2)]
        assert 1 == cashier.publishes()
    assert 3 * CENTS == sum(bank.paid().values())
    assert [1, 1] == [len(hashes) for hashes in bank.published().values()]


def test_found_by_the_verifier(bank: Bank) -> None:
    """An old entry was altered: commands are refused and nothing is published; topics are read on."""
    altered = "UPDATE wagering_accounts.entries SET cents[1] = cents[1] + 1, cents[2] = cents[2] - 1 WHERE seq = 2"
    with bank.opens() as cashier:
        assert 200 == cashier.pays(0).status_code
        execute(bank.url, REPLICA, altered)
        cashier.watches()
        answer = cashier.pays(1)
        assert DOUBT == (answer.status_code, answer.json()["type"])
        assert "not what was recorded" in answer.json()["detail"]
        assert 0 == cashier.publishes()
        stands = bank.shards()
        cashier.house.settle(0, CENTS, "GA-1")
        assert stands != bank.shards()


@pytest.mark.parametrize("jump", [timedelta(days=365), timedelta(hours=1)], ids=str)
def test_a_clock_that_jumps_stops_nobody(bank: Bank, jump: timedelta) -> None:
    """Forwards, backwards, and over a start: how far a shard is, no clock says."""
    clock = Clock()
    number = 0
    for back in (False, True):
        with bank.opens(clock) as cashier:
            for moved in (jump, -jump, -jump, jump):
                clock.now += moved
                assert 200 == cashier.pays(number).status_code
                assert cashier.pays(number).content == cashier.pays(number).content
                assert 1 == cashier.publishes()
                number += 1
        clock.now += -jump if back else jump
    assert number * CENTS == sum(bank.paid().values())
    assert {1} == {len(hashes) for hashes in bank.published().values()}
