"""The wagering accounts rebuilt: recorded by two processes whose clocks differ, with settlements in between."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from services.wagering_accounts.manifest import MANIFEST
from services.wagering_accounts.tables import PROJECTIONS
from services.wagering_accounts.watch import expire_due
from shared.contracts.facts import KINDS
from shared.contracts.topics import ACCOUNTS as TOPIC
from shared.runtime.database import create_engine
from shared.runtime.differences import ComparedTable
from shared.runtime.projections.rebuild import rebuild
from shared.runtime.sealing import new_wrapping_key
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support.accounts import CODE, IDENTITY, NOON, PROPERTY, Clock, House, a_house, credit
from tests.support.nightly import AT_NIGHT
from tests.support.rebuilding import compared
from tests.support.services import query, settled_database

ACCOUNTS = [f"GA-{number}" for number in range(1, 6)]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of the service."""
    url = settled_database(databases, "wagering-accounts")
    yield url
    databases.drop(url)


def rebuilt(url: str, *, check: bool = False, first: Sequence[str] = ()) -> Sequence[ComparedTable]:
    """Rebuild the read model as the owner of the database, after some statements; return what was not as it should."""

    async def work() -> Sequence[ComparedTable]:
        engine = create_engine(url, role="postgres")
        async with engine.begin() as connection:
            for statement in first:
                await connection.execute(text(statement))
        compared = await rebuild(engine, MANIFEST, Settings(), check=check)
        await engine.dispose()
        projected = {table.name for table in PROJECTIONS}
        return [one for one in compared.tables if one.table in projected]

    return asyncio.run(work())


class RunningClock(Clock):
    """Goes on by a millisecond whenever somebody looks at it."""

    def __init__(self, ahead: timedelta) -> None:
        super().__init__()
        self.now = NOON + ahead

    def __call__(self) -> datetime:
        """Return the moment."""
        self.now += timedelta(milliseconds=1)
        return self.now


class Session:
    """A day at an electronic table: what players, cage and settlement do, at random and at the same time."""

    def __init__(self, houses: tuple[House, House], rng: random.Random) -> None:
        self.houses = houses
        self.rng = rng
        self.rounds = 1
        self.results: list[tuple[str, str, list[dict[str, Any]], int]] = []

    def begin(self) -> None:
        """Register two patrons with wallets, and open five accounts, three of them the patrons'."""
        cage = self.houses[0]
        for patron in ("p-1", "p-2"):
            assert 201 == cage.register(patron, f"W-{patron}").status_code
            assert 200 == cage.buy_in(90_000, f"W-{patron}").status_code
        for number, account in enumerate(ACCOUNTS):
            assert 201 == cage.open(account, patron=("p-1", "p-2", "p-1", None, None)[number]).status_code
            assert 200 == cage.buy_in(20_000, account).status_code

    def play(self, steps: int) -> None:
        """Play steps of which each is some things at once."""
        with ThreadPoolExecutor(8) as pool:
            for step in range(steps):
                work = [pool.submit(self.one, self.rng.choice(self.houses)) for _ in range(6)]
                work += [pool.submit(self.at_the_cage), pool.submit(self.settle)]
                for each in work:
                    each.result()
                if step % 3 == 2:
                    self.rounds += 1
                if step == steps // 2:
                    for house in self.houses:
                        house.clock.now += timedelta(days=1)

    def end(self) -> None:
        """Do what chance may have left out."""
        cage, path, reason = self.houses[0], f"/patrons/{PROPERTY}/p-2", {"reason": "as agreed"}
        for excluded in (True, False, True):
            cage.send(f"{path}/exclusion", {"excluded": excluded} | reason, person="care.joy")
        cage.send(f"/patrons/{PROPERTY}/p-1/exclusion", {"excluded": False} | reason, person="care.joy")
        cage.send(f"/patrons/{PROPERTY}/p-1/access-code", {"access_code": CODE} | reason)
        cage.send(f"/patrons/{PROPERTY}/p-1/limits", {"limit": "wager", "cents": 700})
        cage.send(f"/patrons/{PROPERTY}/p-1/tax-residence", {"country": "CA", "reason": "passport"})
        cage.cash_out(1, "W-p-1", access_code="0000-nope")
        cage.read(f"/patrons/{PROPERTY}/p-1")
        adjustments = f"/accounts/{PROPERTY}/{ACCOUNTS[4]}/adjustments"
        for what, body in (("approve", None), ("reject", reason)):
            entered = cage.send(adjustments, {"cents": 5} | reason, person="audit.kim").json()["adjustment"]
            cage.send(f"{adjustments}/{entered}/{what}", body, person="audit.lee")
        cage.promote(100, "W-p-1")
        cage.promote(5, ACCOUNTS[4])
        expired = {"cents": 2, "reason": "expired"}
        cage.send(f"/accounts/{PROPERTY}/{ACCOUNTS[4]}/promotional-money/write-offs", expired, person="host.mo")
        moved = {"cents": 50} | reason
        cage.send(f"/accounts/{PROPERTY}/{ACCOUNTS[0]}/promotional-money/moves", moved)
        promotions = f"/accounts/{PROPERTY}/{ACCOUNTS[4]}/promotions"
        entered = cage.send(promotions, {"cents": 9} | reason, person="host.mo").json()["promotion"]
        cage.send(f"{promotions}/{entered}/reject", reason, person="audit.lee")
        cage.promote(7, ACCOUNTS[4], expires_on=(cage.clock.now + timedelta(days=1)).date().isoformat())
        number = cage.authorize(1, ACCOUNTS[4], round_id="r-0").json()["hold"]
        cage.release(number, ACCOUNTS[4])
        cage.authorize(1, ACCOUNTS[4], round_id="r-0")
        cage.take(cage.result("settlement.voided", "r-0"))
        later = cage.clock.now + timedelta(days=2)
        assert 1 == cage.client.run(expire_due(replace(cage.desk.context, clock=lambda: later)))

    def identify(self) -> None:
        """Say who some more patrons are; erase one of them, and not another."""
        cage = self.houses[0]
        for patron, decided in (("p-3", "approve"), ("p-4", "reject"), ("p-5", None)):
            path = f"/patrons/{PROPERTY}/{patron}"
            assert 201 == cage.register(patron, f"W-{patron}").status_code
            assert 200 == cage.send(f"{path}/identity", {"identity": IDENTITY}).status_code
            if decided is not None:
                assert 201 == cage.send(f"{path}/erasure", {"ground": "requested"}, person="care.joy").status_code
                assert 200 == cage.send(f"{path}/erasure/{decided}", person="care.max").status_code

    def one(self, house: House) -> None:
        """Do something at the table."""
        rng, account, round_id = self.rng, self.rng.choice(ACCOUNTS), f"r-{self.rounds}"
        match rng.randrange(10):
            case 0:
                answer = house.capture(round_id)
            case 1:
                answer = house.cash_out(rng.randrange(1, 500), account)
            case 2:
                answer = house.buy_in(rng.randrange(100, 5_000), account, rng.choice(("cash", "chips", "voucher")))
            case 3:
                held = query(house.url, "SELECT account, hold FROM wagering_accounts.holds ORDER BY random() LIMIT 1")
                answer = house.release(held[0][1] if held else 1, held[0][0] if held else account)
            case 4:
                answer = house.authorize(10**9, account, round_id=round_id)
            case _:
                seat, wager = rng.randrange(1, 4), rng.choice(("blackjack", "insurance"))
                answer = house.authorize(rng.randrange(1, 900), account, round_id=round_id, seat=seat, wager=wager)
        assert answer.status_code < 500, answer.text

    def at_the_cage(self) -> None:
        """Do something at the cage; one process of the two is the cage's."""
        house, rng = self.houses[0], self.rng
        account, patron = rng.choice(ACCOUNTS), rng.choice(("p-1", "p-2"))
        path = f"/patrons/{PROPERTY}/{patron}"
        code = {"access_code": rng.choice((CODE, CODE, "0000-nope"))}
        adjustments = f"/accounts/{PROPERTY}/{account}/adjustments"
        reason = {"reason": "as agreed"}
        match rng.randrange(11):
            case 9:
                answer = house.promote(rng.randrange(100, 900), rng.choice((account, f"W-{patron}")))
            case 10:
                moved = {"cents": rng.choice((-100, 200)), **reason}
                answer = house.send(f"/accounts/{PROPERTY}/{account}/promotional-money/moves", moved)
            case 0:
                answer = house.buy_in(rng.randrange(100, 2_000), account, "wallet", **code)
            case 1:
                answer = house.cash_out(rng.randrange(100, 900), account, "wallet")
            case 2:
                answer = house.cash_out(rng.randrange(100, 900), f"W-{patron}", **code)
            case 3:
                body = {"limit": rng.choice(("wager", "buy_in_day")), "cents": rng.choice((None, 800, 50_000))}
                answer = house.send(f"{path}/limits", {"cents": body["cents"], "limit": body["limit"]})
            case 4:
                excluded = {"excluded": rng.random() < 0.5} | reason
                answer = house.send(f"{path}/exclusion", excluded, person="care.joy")
            case 5:
                answer = house.send(f"{path}/access-code", {"access_code": CODE} | reason)
            case 6:
                answer = house.send(f"/accounts/{PROPERTY}/W-{patron}/buy-ins", {"instrument": "cash", "cents": 100})
            case _:
                body = {"cents": rng.choice((-70, 300)), **reason}
                answer = house.send(adjustments, body, person="audit.kim")
                if answer.status_code == 201 and rng.random() < 0.8:
                    what = rng.choice(("approve", "reject"))
                    path = f"{adjustments}/{answer.json()['adjustment']}/{what}"
                    answer = house.send(path, None if what == "approve" else reason, person="audit.lee")
        assert answer.status_code < 500, answer.text

    def settle(self) -> None:
        """Settle rounds, some of which are taken back or corrected, in this order or the other."""
        house, rng = self.houses[0], self.rng
        events: list[dict[str, Any]] = []
        for _ in range(rng.randrange(0, 3)):
            round_id = f"r-{rng.randrange(1, self.rounds + 1)}"
            if any(round_id == one[1] for one in self.results):
                self.correct(round_id, events)
                continue
            if rng.random() < 0.15:
                events.append(house.result("settlement.voided", round_id))
                continue
            parts = self.credits()
            self.results.append(("posted", round_id, parts, 1))
            posted = house.result("settlement.posted", round_id, *parts)
            events.append(posted)
        house.take(*events)

    def correct(self, round_id: str, events: list[dict[str, Any]]) -> None:
        """Take the last revision of a round back, or post another after it."""
        house = self.houses[0]
        last = next(one for one in reversed(self.results) if one[1] == round_id)
        if last[0] == "posted":
            events.append(house.result("settlement.reversed", round_id, *last[2], revision=last[3]))
            self.results.append(("reversed", *last[1:]))
        else:
            parts = self.credits()
            events.append(house.result("settlement.posted", round_id, *parts, revision=last[3] + 1))
            self.results.append(("posted", round_id, parts, last[3] + 1))

    def credits(self) -> list[dict[str, Any]]:
        """Return what a round did on some accounts."""
        rng = self.rng
        return [
            credit(rng.randrange(0, 600), rng.choice((0, 0, 900)), account, seat=rng.randrange(1, 4))
            for account in rng.sample(ACCOUNTS, 3)
        ]


def play(url: str, rng: random.Random, steps: int) -> None:
    """Play a day of two processes on a database, whose clocks are half a minute apart."""
    clocks = RunningClock(timedelta(0)), RunningClock(timedelta(seconds=-30))
    with a_house(url, clocks[0]) as first, a_house(url, clocks[1]) as second:
        session = Session((first, second), rng)
        session.begin()
        session.play(steps)
        session.end()
        session.identify()
        first.check()


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys under which the service keeps who patrons are."""
    file = tmp_path / "patron-keys.txt"
    file.write_text(new_wrapping_key("k1"))
    monkeypatch.setenv("PITLEDGER_PATRON_KEYS_FILE", str(file))


@AT_NIGHT
@pytest.mark.usefixtures("keys")
def test_the_accounts_are_rebuilt(url: str, rng: random.Random) -> None:
    """Balances, statements in their order, rounds, holds, shortages, patrons: from the journal alone."""
    play(url, rng, 60)
    recorded = {kind for (kind,) in query(url, "SELECT DISTINCT kind FROM wagering_accounts.entries")}
    assert set() == {kind.name for kind in KINDS if kind.topic is TOPIC} - recorded
    shards = "SELECT count(*) FROM wagering_accounts.shards WHERE name LIKE 'commands/%'"
    assert query(url, shards) > [(1,)]
    assert (0, "") == ((alike := compared("wagering-accounts", url)).different, alike.first)
    found = rebuilt(url, check=True)
    names = {table.name for table in PROJECTIONS}
    assert {(name, 0) for name in names} == {(one.table, one.different) for one in found}
    rows = {one.table: one.rows for one in found}
    assert set() == {name for name, number in rows.items() if number < 2}, "the day was not varied enough"

    emptied = [f"DELETE FROM {table.fullname}" for table in PROJECTIONS]
    assert rows == {one.table: one.different for one in rebuilt(url, first=emptied)}
    assert {0} == {one.different for one in rebuilt(url, check=True)}
    with a_house(url) as house:
        house.clock.now += timedelta(days=3)
        house.check()
        assert 201 == house.open("GA-99").status_code


def test_an_access_code_is_kept_and_never_rebuilt(url: str) -> None:
    """The code of a patron is right after a rebuild; whose code is lost needs another one."""
    with a_house(url) as house:
        for number in (1, 2):
            house.register(f"p-{number}", f"W-{number}")
            house.buy_in(1_000, f"W-{number}")
        rebuilt(url, first=["DELETE FROM wagering_accounts.patron_codes WHERE patron = 'p-1'"])
        assert 200 == house.cash_out(account="W-2", access_code=CODE).status_code
        lost = house.cash_out(account="W-1", access_code=CODE)
        assert (403, "the access code of patron p-1 was never given, or is lost; give the patron a new one") == (
            lost.status_code,
            lost.json()["detail"],
        )
        path = f"/patrons/{PROPERTY}/p-1/access-code"
        assert 200 == house.send(path, {"access_code": CODE, "reason": "lost"}).status_code
        assert 200 == house.cash_out(account="W-1", access_code=CODE).status_code
