"""The one engine of commands, on a tiny service: each command once, rejections on record, many at once, and faults.

Every test runs in both modes: commands decided one after the other, and together on locked rows.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import IntegrityError
from structlog.testing import capture_logs

from shared.contracts.journal_facts import CommandRefused
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Entry
from shared.runtime.commands.command import Command
from shared.runtime.commands.engine import Engine
from shared.runtime.commands.idempotency import Answer
from shared.runtime.process.migrations import upgrade
from tests.support import Databases, eventually, tills
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.services import query, waiting_for_locks
from tests.support.tills import POISON_CENTS, REFUSED_CENTS, OpenTill, PayIn

NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)
PROPERTY = "riverside"
PEOPLE = {
    "ann": ["tills.work", "tills.work.approve"],
    "bob": ["tills.work.approve"],
    "cat": ["tills.work", "tills.work.approve"],
    "Ann": ["tills.work"],  # as she is named after her next login
}


@pytest.fixture(params=[False, True], ids=["one-after-the-other", "together"])
def together(request: pytest.FixtureRequest) -> bool:
    """Whether commands are decided together."""
    return bool(request.param)


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of the tiny service."""
    databases.prepare("tills", lambda url: upgrade("tills", tills.MIGRATIONS, url))
    url = databases.create("tills")
    yield url
    databases.drop(url)


class Cage:
    """One process of the tiny service."""

    def __init__(self, desk: Desk, url: str) -> None:
        self.desk = desk
        self.url = url

    def pay(self, cents: int, till: str = "T-1", *, person: str = "ann", key: str | None = None) -> httpx.Response:
        """Pay into a till."""
        return self.desk.post(f"/tills/{PROPERTY}/{till}/payments", {"cents": cents}, person=person, key=key)

    def open(self, till: str = "T-1", *, key: str | None = None) -> httpx.Response:
        """Open a till."""
        return self.desk.post(f"/tills/{PROPERTY}/{till}", person="ann", key=key)

    def approve(self, person: str, *, key: str | None = None) -> httpx.Response:
        """Approve the adjustment 1."""
        return self.desk.post(f"/tills/{PROPERTY}/T-1/adjustments/1/approve", person=person, key=key)

    def at_once(self, *asked: tuple[Command, str, str]) -> list[Answer | BaseException]:
        """Send commands, each with its person and key, all before the first is looked at."""

        async def send() -> list[Answer | BaseException]:
            engine = self.desk.context.commands
            work = [engine.do(command, person=person, key=key) for command, person, key in asked]
            return await asyncio.gather(*work, return_exceptions=True)

        return self.desk.client.run(send())

    def cents(self) -> dict[str, int]:
        """Return what is in each till."""
        return dict(query(self.url, "SELECT till, cents FROM tills.tills ORDER BY till"))

    def kinds(self) -> list[str]:
        """Return the kinds of all entries; the journal verifies."""
        return [entry.draft.kind for entry in self.desk.entries()]

    def refused(self) -> list[CommandRefused]:
        """Return what is on record of rejected commands."""
        return [fact for fact in self.desk.facts() if isinstance(fact, CommandRefused)]


@contextmanager
def a_cage(url: str, together: bool) -> Iterator[Cage]:
    """Give a process of the tiny service on a database."""
    with desk_of(tills.manifest(together=together), url, people=PEOPLE, clock=lambda: NOON) as desk:
        yield Cage(desk, url)


@pytest.fixture
def cage(url: str, together: bool) -> Iterator[Cage]:
    """The service, with one till."""
    with a_cage(url, together) as cage:
        assert 201 == cage.open(key="open").status_code
        yield cage


def pay(cents: int, till: str = "T-1") -> PayIn:
    """Return a command."""
    return PayIn(property=PROPERTY, till=till, cents=cents)


def reasons(answers: Sequence[Answer | BaseException]) -> list[Reason | type | None]:
    """Return why commands were rejected, or what kept them from being answered; None of the accepted."""
    return [each.reason if isinstance(each, Answer | Rejected) else type(each) for each in answers]


# --- each command once ---


def test_a_first_command_that_takes_long_is_done(url: str, together: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It adds the first shard of commands and is begun again, which nobody else caused: it may take any time."""
    monkeypatch.setattr("shared.runtime.commands.engine._SECONDS_MAX", 0.0)
    with a_cage(url, together) as cage:
        assert 201 == cage.open().status_code


def test_a_command_is_done_once(cage: Cage) -> None:
    """Sent again under its key it is not done again and its answer is the same; another person's key is another."""
    first, again, other = cage.pay(100, key="k"), cage.pay(100, key="k"), cage.pay(100, person="cat", key="k")
    assert (200, first.content) == (first.status_code, again.content)
    assert {"till": "T-1", "cents": 200} == other.json()
    opened = cage.open(key="open")
    assert (201, "/tills/T-1") == (opened.status_code, opened.headers["location"])
    assert {"T-1": 200} == cage.cents()
    assert ["account.opened", "account.bought_in", "account.bought_in"] == cage.kinds()


def test_a_command_is_done_once_however_its_sender_is_spelled(cage: Cage) -> None:
    """A provider that names somebody as she typed it at her login makes no second person of her, nor pays her twice."""
    first, again = cage.pay(100, key="k"), cage.pay(100, person="Ann", key="k")
    assert (200, first.content) == (again.status_code, again.content)
    assert [None, None] == reasons(cage.at_once((pay(7), "Ann", "k-2"), (pay(7), "ann", "k-2")))
    assert {"T-1": 107} == cage.cents()


def test_a_rejection_is_recorded_and_repeated(cage: Cage) -> None:
    """Also when the command would be accepted by now; what must not be shown of it is not on record."""
    refused = cage.desk.post(f"/tills/{PROPERTY}/T-2/payments", {"cents": 5, "note": "hush"}, person="ann", key="k")
    assert_problem(refused, 404, "there is no till T-2")
    assert 201 == cage.open("T-2").status_code
    again = cage.desk.post(f"/tills/{PROPERTY}/T-2/payments", {"cents": 5, "note": "hush"}, person="ann", key="k")
    assert (404, refused.content) == (again.status_code, again.content)
    assert {"T-1": 0, "T-2": 0} == cage.cents()
    assert [
        CommandRefused(
            command="pay-in",
            reason=Reason.NOT_FOUND,
            detail="there is no till T-2",
            by="ann",
            at=NOON,
            key="k",
            property=PROPERTY,
            asked={"property": PROPERTY, "till": "T-2", "cents": 5},
        )
    ] == cage.refused()


def test_a_rejection_names_the_paragraph(cage: Cage) -> None:
    """Now and when it is sent again."""
    for _ in range(2):
        refused = cage.pay(1_001, key="k")
        assert (409, "§ 465a.1", "1001 exceeds 1000") == (
            refused.status_code,
            refused.json()["paragraph"],
            refused.json()["detail"],
        )


@pytest.mark.parametrize("other", [pay(2), pay(1, "T-2"), OpenTill(property=PROPERTY, till="T-1")], ids=repr)
def test_a_key_stands_for_one_command(cage: Cage, other: Command) -> None:
    """Another amount, another till, another command: rejected at once, beside the first or long after it."""
    assert [None, Reason.KEY_REUSED] == reasons(cage.at_once((pay(1), "ann", "k"), (other, "ann", "k")))
    assert [Reason.KEY_REUSED, None] == reasons(cage.at_once((other, "ann", "k"), (pay(1), "ann", "k")))
    assert {"T-1": 1} == cage.cents()


# --- many at once ---


def test_who_waits_is_committed_together(cage: Cage) -> None:
    """In the order in which they came, each as the ones before it left things; one command sent twice is one."""
    answers = cage.at_once(*((pay(100), "ann", f"k-{min(number, 11)}") for number in range(13)))
    assert [*([None] * 10), *([Reason.LIMIT_EXCEEDED] * 3)] == reasons(answers)
    assert {"T-1": 1_000} == cage.cents()
    assert 2 == len(cage.refused())
    transactions = "SELECT count(DISTINCT xmin::text) FROM tills.entries WHERE kind <> 'account.opened'"
    assert [(1,)] == query(cage.url, transactions)


def test_an_engine_that_is_closed_uses_no_connection(cage: Cage) -> None:
    """It answers who waits, and gives back the connection that it keeps while commands wait."""

    async def closed_at_once() -> tuple[Answer, int]:
        context = cage.desk.context
        paying = asyncio.create_task(context.commands.do(pay(100), person="ann", key="last"))
        answer = await paying
        await context.commands.close()
        return answer, context.pools.background.sync_engine.pool.checkedout()  # type: ignore[attr-defined]  # of a QueuePool

    answer, in_use = cage.desk.client.run(closed_at_once())
    assert answer.reason is None
    assert 0 == in_use


@pytest.mark.parametrize(("cents", "error"), [(POISON_CENTS, KeyError), (REFUSED_CENTS, None)])
def test_one_poisoned_command_harms_no_other(cage: Cage, cents: int, error: type | None) -> None:
    """A defect in a handler, or a row that the database refuses: whoever sent it is told, everybody else is served."""
    for number in range(2, 6):
        cage.open(f"T-{number}")
    asked = [(pay(cents if number == 3 else 7, f"T-{number}"), "ann", f"k-{number}") for number in range(1, 6)]
    found = reasons(cage.at_once(*asked))
    assert [None, None, None, None] == [*found[:2], *found[3:]]
    assert found[2] in ((error,) if error else (IntegrityError, psycopg.errors.CheckViolation))
    assert {"T-1": 7, "T-2": 7, "T-3": 0, "T-4": 7, "T-5": 7} == cage.cents()
    assert 200 == cage.pay(1, "T-3", key="k-3").status_code  # its key is as free as before


def test_two_processes_at_once(url: str, together: bool) -> None:
    """Through both, from the very first command on: nothing is done twice, nothing is lost, no limit is passed."""
    with a_cage(url, together) as one, a_cage(url, together) as two, ThreadPoolExecutor(8) as pool:
        opened = [pool.submit(cage.open, key=f"open-{number % 2}") for number, cage in enumerate((one, two, one, two))]
        assert sorted({answer.result().status_code for answer in opened}) == [201, 409]
        work = [pool.submit(cage.pay, 50, key=f"k-{n}") for n in range(30) for cage in (one, two)]
        answers = [each.result() for each in work]
        assert [200] * 40 + [409] * 20 == sorted(answer.status_code for answer in answers)
        assert all(first.content == again.content for first, again in zip(answers[::2], answers[1::2], strict=True))
        assert {"T-1": 1_000} == one.cents()
        kinds = one.kinds()
        assert (1, 20, 11) == tuple(
            kinds.count(kind) for kind in ("account.opened", "account.bought_in", "command.refused")
        )


_GATE = 4711
_AT_THE_SECOND_ENTRY = f"""
    CREATE FUNCTION wait_at_the_gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('gate.passed', true) = txid_current()::text THEN
            PERFORM pg_advisory_xact_lock_shared({_GATE});
        END IF;
        PERFORM set_config('gate.passed', txid_current()::text, true);
        RETURN NEW;
    END $$;
    CREATE TRIGGER gate BEFORE INSERT ON tills.entries FOR EACH ROW EXECUTE FUNCTION wait_at_the_gate()"""
"""Whoever has written an entry writes no second one in that transaction while somebody holds the gate."""


def test_two_processes_that_get_the_same_commands_in_another_order(url: str) -> None:
    """Each has written an entry of its own when both go on: one waits for the other, and never each for the other."""
    first, second = (
        [(OpenTill(property=PROPERTY, till=f"T-{number}"), "ann", f"k-{number}") for number in numbers]
        for numbers in ((1, 2), (2, 1))
    )
    with ExitStack() as stack:
        cages = [stack.enter_context(a_cage(url, together=True)) for _ in range(2)]
        _execute(url, _AT_THE_SECOND_ENTRY)
        gate = stack.enter_context(psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(False)))
        gate.execute(f"SELECT pg_advisory_lock({_GATE})".encode())
        told = stack.enter_context(capture_logs())
        pool = stack.enter_context(ThreadPoolExecutor(2))
        work = [pool.submit(cage.at_once, *asked) for cage, asked in zip(cages, (first, second), strict=True)]
        eventually(lambda: waiting_for_locks(url) == 2, because="both wait")
        gate.execute(f"SELECT pg_advisory_unlock({_GATE})".encode())
        answers, others = (each.result() for each in work)
        assert [None, None] == reasons(answers)
        assert answers == others[::-1]
        assert 2 == len(cages[0].kinds())
    assert {"fenced"} >= {line["kind"] for line in told if line["event"] == "command batch failed, retrying"}


# --- faults ---


def test_a_commit_whose_answer_is_lost(cage: Cage, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was committed is found when it is tried again: done once, and answered."""
    commit, lost = psycopg.AsyncConnection.commit, list[int]()

    async def lose(connection: psycopg.AsyncConnection[Any]) -> None:
        await commit(connection)
        if not lost:
            lost.append(1)
            raise psycopg.OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr(psycopg.AsyncConnection, "commit", lose)
    assert {"till": "T-1", "cents": 5} == cage.pay(5, key="k").json()
    assert ([1], {"T-1": 5}) == (lost, cage.cents())
    assert ["account.opened", "account.bought_in"] == cage.kinds()


def test_a_state_that_changes_while_a_command_is_decided(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other nothing is locked: the commit fails, and the command is decided on what is there now."""
    read, changed = tills.load, list[int]()

    async def disturb(*given: Any, **how: Any) -> tills.Tills:
        found = await read(*given, **how)
        if not changed and found.cents:
            changed.append(1)
            await asyncio.to_thread(_execute, url, "UPDATE tills.tills SET cents = 900")
        return found

    with a_cage(url, together=False) as cage:
        cage.open()
        monkeypatch.setattr(tills, "load", disturb)
        assert_problem(cage.pay(200), 409, "1100 exceeds 1000")
        assert 200 == cage.pay(100).status_code
    assert [1] == changed


def test_what_is_recorded_goes_out_from_memory(cage: Cage) -> None:
    """The relay is woken with the entries themselves, each once: of commands, and of one that is rejected."""
    asked = [PayIn(property=PROPERTY, till="T-1", cents=cents) for cents in (5, 2_000, 7)]

    async def pay() -> list[Entry]:
        woken: asyncio.Queue[Sequence[Entry]] = asyncio.Queue()
        engine = Engine(replace(cage.desk.context, wake=woken.put_nowait), cage.desk.context.handled)
        for number, command in enumerate(asked):
            await engine.do(command, person="ann", key=f"k-{number}")
        found: list[Entry] = []
        async with asyncio.timeout(10):
            while len(found) < len(asked):
                found += await woken.get()
        return found

    assert cage.desk.client.run(pay()) == cage.desk.entries()[1:]


def _execute(url: str, statement: str) -> None:
    with psycopg.connect(url.replace("postgresql+psycopg://", "postgresql://", 1), autocommit=True) as connection:
        connection.execute(statement)


# --- two people ---


def test_nobody_approves_what_the_same_person_asked_for(cage: Cage) -> None:
    """It is on record that somebody tried; somebody else may, once."""
    cage.desk.post(f"/tills/{PROPERTY}/T-1/adjustments", {"number": 1, "cents": 30}, person="ann")
    assert_problem(cage.approve("ann"), 403, "ann entered adjustment 1: somebody else must approve it")
    assert {"T-1": 0} == cage.cents()
    assert {"till": "T-1", "cents": 30} == cage.approve("bob").json()
    assert_problem(cage.approve("cat"), 409, "adjustment 1 was approved already")
    assert [
        ("approve-adjustment", Reason.SAME_PERSON, "ann"),
        ("approve-adjustment", Reason.ALREADY_DECIDED, "cat"),
    ] == [(fact.command, fact.reason, fact.by) for fact in cage.refused()]


def test_two_people_approve_at_once(url: str, together: bool) -> None:
    """Through two processes and beside other commands: one of them does it, the other is told so."""
    with ExitStack() as stack:
        one, two = (stack.enter_context(a_cage(url, together)) for _ in range(2))
        one.open()
        one.desk.post(f"/tills/{PROPERTY}/T-1/adjustments", {"number": 1, "cents": 30}, person="ann")
        work: list[Callable[[], httpx.Response]] = [
            partial(one.approve, "bob"),
            partial(two.approve, "cat"),
            *(partial(cage.pay, 1, key=f"{who}-{n}") for n in range(5) for who, cage in enumerate((one, two))),
        ]
        with ThreadPoolExecutor(len(work)) as pool:
            codes = [each.result().status_code for each in [pool.submit(one_of) for one_of in work]]
        assert [200, 409] == sorted(codes[:2])
        assert [200] * 10 == codes[2:]
        assert {"T-1": 40} == one.cents()
        assert 1 == one.kinds().count("account.adjustment_approved")
