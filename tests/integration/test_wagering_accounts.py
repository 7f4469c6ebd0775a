"""The wagering accounts on a real database: commands over HTTP and settlements, and what the books then say."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import store
from services.wagering_accounts.access_codes import fingerprint
from services.wagering_accounts.books import Books
from shared.runtime.http import PROBLEM
from tests.support import Databases
from tests.support.accounts import CODE, DAY, NOON, PROPERTY, TABLE, House, a_house, credit
from tests.support.services import query, settled_database


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of the service."""
    url = settled_database(databases, "wagering-accounts")
    yield url
    databases.drop(url)


@pytest.fixture
def house(url: str) -> Iterator[House]:
    """The service, whose books are in order at the end of every test."""
    with a_house(url) as house:
        yield house
        house.check()


def assert_problem(response: httpx.Response, status: int, detail: str) -> None:
    """The answer is a problem (RFC 9457) whose detail has this in it."""
    assert (status, PROBLEM) == (response.status_code, response.headers["content-type"]), response.text
    assert status == response.json()["status"]
    assert detail in response.json()["detail"]


# --- a session ---


def test_a_session_from_opening_to_cashing_out(house: House) -> None:
    """Money comes in, is held, is in play, is lost and won, and is paid out; the statement says each step."""
    opened = house.open()
    assert (201, f"/accounts/{PROPERTY}/GA-1") == (opened.status_code, opened.headers["location"])
    house.buy_in(10_000)
    house.buy_in(5_000, instrument="chips", reference="tray")
    held = house.authorize(2_000)
    assert (201, 2_000, "held", 13_000) == (
        held.status_code,
        *(held.json()[name] for name in ("cents", "state", "available_cents")),
    )
    assert (13_000, 2_000, 0) == house.account()
    assert [{"account": "GA-1", "hold": held.json()["hold"], "cents": 2_000}] == house.capture().json()["captured"]
    assert (13_000, 0, 2_000) == house.account()
    house.settle(2_000, 5_000)
    assert (18_000, 0, 0) == house.account()
    paid = house.cash_out(close=True)
    assert (200, "closed", 0) == (paid.status_code, paid.json()["status"], paid.json()["available_cents"])
    statement = house.read(f"/accounts/{PROPERTY}/GA-1/statement").json()
    assert [
        ("account.bought_in", 10_000, 0, 0),
        ("account.bought_in", 5_000, 0, 0),
        ("wager.authorized", -2_000, 2_000, 0),
        ("wagers.captured", 0, -2_000, 2_000),
        ("wagers.settled", 5_000, 0, -2_000),
        ("account.cashed_out", -18_000, 0, 0),
    ] == [
        (line["kind"], *(line[f"{name}_change_cents"] for name in ("available", "held", "staked")))
        for line in statement["items"]
    ]
    assert 0 == statement["items"][-1]["available_cents"]


def test_the_postings_of_a_session(house: House) -> None:
    """Control accounts: money in and out, and by wager the opposite of what settlement posts for electronic money."""
    house.funded()
    house.authorize(2_000)
    house.settle(2_000, 0)
    house.cash_out(3_000, instrument="voucher")
    assert {
        ("", "cash"): 10_000,
        ("", "voucher"): -3_000,
        ("", "available"): -5_000,
        ("blackjack", "account_funded"): -2_000,
    } == {
        (wager, leg): cents
        for wager, leg, cents in query(
            house.url,
            """SELECT a.wager, a.leg, sum(p.cents)::bigint FROM wagering_accounts.postings p
               JOIN wagering_accounts.accounts a USING (account) GROUP BY 1, 2 HAVING sum(p.cents) <> 0""",
        )
    }


def test_a_closed_account_is_only_paid_out(house: House) -> None:
    """It takes no money and no wager; what a correction brings to it is paid out."""
    house.funded(cents=1_000)
    house.authorize(1_000)
    assert_problem(house.cash_out(close=True), 409, "would keep 1000")
    house.settle(1_000, 0)
    assert 200 == house.cash_out(close=True).status_code
    assert_problem(house.buy_in(100), 409, "is closed")
    assert_problem(house.authorize(100, round_id="r-2"), 409, "is closed")
    house.take(house.result("settlement.reversed", "r-1", credit(1_000, 0)))
    assert 200 == house.cash_out().status_code
    assert (0, 0, 0) == house.account()


def test_a_wager_is_released_before_no_more_bets_only(house: House) -> None:
    """A hold goes back once; in play it stays."""
    house.funded()
    first, second = house.authorize(1_000).json()["hold"], house.authorize(2_000).json()["hold"]
    assert 200 == house.release(first).status_code
    assert_problem(house.release(first), 409, "was released already")
    house.capture()
    assert_problem(house.release(second), 409, "'no more bets'")
    assert_problem(house.release(99), 404, "has no hold 99")
    assert (8_000, 0, 2_000) == house.account()


def test_what_the_account_does_not_allow_is_refused_and_recorded(house: House) -> None:
    """More than there is, another table, an unknown account: a problem, an entry, and no money moves."""
    house.funded(cents=500)
    house.open("GA-2", table="BJ-02")
    house.buy_in(100, "GA-2")
    assert_problem(house.authorize(501), 409, "exceeds the 500 cents")
    assert_problem(house.authorize(100, "GA-2"), 409, "is for table BJ-02")
    assert_problem(house.authorize(100, "GA-9"), 404, "there is no account GA-9")
    assert_problem(house.cash_out(501), 409, "exceeds the 500 cents")
    assert_problem(house.capture("r-9"), 404, "no wager of round r-9")
    assert_problem(house.open(), 409, "exists already")
    assert 6 == house.kinds().count("account.refused")
    assert (500, 0, 0) == house.account()


# --- results ---


def test_a_void_returns_the_wagers(house: House) -> None:
    """Before a result, the holds go back; after one, what it did is taken back."""
    house.funded()
    house.authorize(1_000)
    house.capture()
    house.take(house.result("settlement.voided"))
    assert (10_000, 0, 0) == house.account()
    house.authorize(2_000, round_id="r-2")
    house.take(
        house.result("settlement.posted", "r-2", credit(2_000, 5_000)),
        house.result("settlement.reversed", "r-2", credit(2_000, 5_000)),
    )
    assert (10_000, 0, 0) == house.account()
    assert_problem(house.authorize(1_000, round_id="r-2"), 409, "is void")


def test_a_correction_reverses_and_replaces(house: House) -> None:
    """The account ends as if the corrected record had come first."""
    house.funded()
    house.authorize(1_000)
    house.capture()
    house.settle(1_000, 2_000)
    house.take(
        house.result("settlement.reversed", "r-1", credit(1_000, 2_000)),
        house.result("settlement.posted", "r-1", credit(1_000, 0), revision=2),
    )
    assert (9_000, 0, 0) == house.account()
    assert [] == house.read(f"/exceptions?property={PROPERTY}").json()["items"]


def test_a_result_before_no_more_bets(house: House) -> None:
    """The capture comes late: it finds nothing on hold, and the account is the same."""
    house.funded()
    house.authorize(1_000)
    house.settle(1_000, 2_500)
    late = house.capture()
    assert (200, "settled", []) == (late.status_code, late.json()["state"], late.json()["captured"])
    assert (11_500, 0, 0) == house.account()


def test_a_round_without_result_stays_open(house: House) -> None:
    """Its holds stay, and it shows as open, until its result is known."""
    house.funded()
    house.authorize(1_000)
    house.capture()
    house.authorize(500, round_id="r-2")
    shown = house.read(f"/open-rounds?property={PROPERTY}").json()["items"]
    assert [("r-1", "captured", 1_000), ("r-2", "open", 500)] == [
        (each["round_id"], each["state"], each["holds"][0]["cents"]) for each in shown
    ]
    page = house.read(f"/open-rounds?property={PROPERTY}&limit=1").json()
    assert ["r-2"] == [
        each["round_id"]
        for each in house.read(f"/open-rounds?property={PROPERTY}&limit=1&cursor={page['next']}").json()["items"]
    ]
    house.settle(1_000, 0)
    house.release(house.read(f"/open-rounds?property={PROPERTY}").json()["items"][0]["holds"][0]["hold"])
    assert [] == house.read(f"/open-rounds?property={PROPERTY}").json()["items"]


def test_more_was_staked_than_was_on_hold(house: House) -> None:
    """The rest comes from what is available, and it is an exception."""
    house.funded()
    house.authorize(1_000)
    house.settle(3_000, 0)
    assert (7_000, 0, 0) == house.account()
    [exception] = house.read(f"/exceptions?property={PROPERTY}").json()["items"]
    assert (1_000, 2_000, 0) == tuple(exception[f"{name}_cents"] for name in ("covered", "uncovered", "shortage"))


def test_what_was_paid_out_cannot_be_taken_back(house: House) -> None:
    """The account does not go below zero: the rest is a shortage, which the next revision makes good first."""
    house.funded(cents=1_000)
    house.authorize(1_000)
    house.settle(1_000, 5_000)
    house.cash_out()
    house.take(house.result("settlement.reversed", "r-1", credit(1_000, 5_000)))
    assert (0, 0, 0) == house.account()
    [exception] = house.read(f"/exceptions?property={PROPERTY}").json()["items"]
    assert 4_000 == exception["shortage_cents"]
    house.check()
    house.take(house.result("settlement.posted", "r-1", credit(1_000, 5_500), revision=2))
    assert (500, 0, 0) == house.account()
    assert [] == house.read(f"/exceptions?property={PROPERTY}").json()["items"]


def test_a_revision_that_is_taken_back_before_it_comes(house: House) -> None:
    """Delivered in the wrong order, the pair does nothing, and the holds go back."""
    house.funded()
    house.authorize(1_000)
    posted = house.result("settlement.posted", "r-1", credit(1_000, 0))
    house.take(house.result("settlement.reversed", "r-1", credit(1_000, 0)))
    assert (9_000, 1_000, 0) == house.account()
    house.take(posted)
    assert (10_000, 0, 0) == house.account()


def test_a_result_of_an_unknown_account_is_quarantined(house: House) -> None:
    """Nothing of it counts, and the stream goes on."""
    house.funded()
    house.authorize(1_000)
    house.take(
        house.result("settlement.posted", "r-9", credit(1_000, 0), credit(1_000, 0, "GA-9")),
        house.result("settlement.posted", "r-1", credit(1_000, 0)),
    )
    assert [("'account_credits': there is no game account GA-9 at riverside; open it, then replay this record",)] == [
        (reason.removeprefix("seat 1: "),)
        for (reason,) in query(house.url, "SELECT reason FROM wagering_accounts.quarantine")
    ]
    assert (9_000, 0, 0) == house.account()


def test_rounds_played_with_chips_leave_nothing(house: House) -> None:
    """A settlement without electronic wagers leads to no entry."""
    house.take(house.result("settlement.posted", "r-1"), house.result("settlement.voided", "r-2"))
    assert [] == house.kinds()


# --- keys ---


def test_a_command_is_done_once(house: House) -> None:
    """Sent again, the same answer; even a refusal, and even when it would be allowed by now."""
    house.funded(cents=1_000)
    first, again = (house.authorize(600, key="k-1") for _ in range(2))
    assert (first.status_code, first.json(), first.headers["location"]) == (
        again.status_code,
        again.json(),
        again.headers["location"],
    )
    assert (400, 600, 0) == house.account()
    refused = house.authorize(600, key="k-2")
    house.buy_in(1_000)
    again = house.authorize(600, key="k-2")
    assert (409, refused.json()) == (again.status_code, again.json())


def test_a_key_stands_for_one_content(house: House) -> None:
    """Another amount, another account, another command: a conflict; another person's key is another key."""
    house.funded()
    house.authorize(600, key="k-1")
    assert_problem(house.authorize(601, key="k-1"), 409, "was used for another command")
    assert_problem(house.capture(key="k-1"), 409, "was used for another command")
    assert 200 == house.buy_in(100, key="k-1").status_code
    assert_problem(house.buy_in(101, key="k-1"), 409, "was used for another command")


def test_an_access_code_is_part_of_the_content(house: House) -> None:
    """The same key with another code is a conflict, and no code is kept in what is recorded."""
    house.register()
    house.buy_in(5_000, "W-1")
    paid = [house.cash_out(100, "W-1", access_code=code, key="k-1") for code in (CODE, CODE, "other")]
    assert [200, 200, 409] == [each.status_code for each in paid]
    assert [] == query(
        house.url,
        f"SELECT data FROM wagering_accounts.entries WHERE data::text LIKE '%{CODE}%'",
    )


# --- patrons ---


def test_money_moves_between_wallet_and_game_account(house: House) -> None:
    """With the access code, and back without; the liability stays the same."""
    house.register()
    house.buy_in(5_000, "W-1")
    house.open(patron="p-1")
    assert_problem(house.buy_in(2_000, instrument="wallet"), 403, "access code of patron p-1 is needed")
    moved = house.buy_in(2_000, instrument="wallet", access_code=CODE)
    assert (200, 2_000) == (moved.status_code, moved.json()["available_cents"])
    assert (3_000, 0, 0) == house.account("W-1")
    assert_problem(house.buy_in(3_001, instrument="wallet", access_code=CODE), 409, "3000 cents in the wallet")
    house.cash_out(instrument="wallet")
    assert (5_000, 0, 0) == house.account("W-1")
    assert_problem(house.authorize(1, "W-1"), 409, "is a wallet")
    house.open("GA-2")
    assert_problem(house.buy_in(1, "GA-2", "wallet", access_code=CODE), 409, "for nobody by name")


def test_one_wallet_a_person(house: House) -> None:
    """A second registration is refused."""
    assert 201 == house.register().status_code
    assert_problem(house.register(wallet="W-2"), 409, "one wallet a person")


def test_nothing_from_which_an_access_code_could_be_guessed_is_recorded(house: House) -> None:
    """A refusal says what was asked for, but not the hash by which the same code is known when it is sent again."""
    house.register()
    house.open(patron="p-1")
    assert 409 == house.buy_in(1, instrument="wallet", access_code=CODE, key="k-1").status_code
    assert 409 == house.cash_out(1, access_code=CODE, key="k-2").status_code
    refused = query(house.url, "SELECT data::text FROM wagering_accounts.entries WHERE kind = 'account.refused'")
    assert 2 == len(refused)
    for [data] in refused:
        assert '"cents":1' in data
        assert not [key for key in ("k-1", "k-2") if fingerprint(CODE, "cage.ann", key) in data]


def test_wrong_access_codes_lock(house: House) -> None:
    """After three in a row, the right one is not accepted either, until the time is over or the code is changed."""
    house.register()
    house.buy_in(5_000, "W-1")

    def withdraw(code: str) -> httpx.Response:
        return house.cash_out(100, "W-1", access_code=code)

    assert_problem(withdraw("wrong"), 403, "is wrong")
    assert_problem(withdraw("wrong"), 403, "is wrong")
    assert 200 == withdraw(CODE).status_code
    for _ in range(3):
        locked = withdraw("wrong")
    assert_problem(locked, 403, "it is locked until")
    assert_problem(withdraw(CODE), 423, "is locked until")
    assert NOON + timedelta(minutes=30) == _moment(house.read(f"/patrons/{PROPERTY}/p-1").json()["locked_until"])
    house.clock.now += timedelta(minutes=30)
    assert 200 == withdraw(CODE).status_code
    for _ in range(3):
        withdraw("wrong")
    body = {"access_code": "another code", "reason": "forgotten, shown two documents"}
    assert 200 == house.send(f"/patrons/{PROPERTY}/p-1/access-code", body).status_code
    assert 200 == withdraw("another code").status_code
    assert 8 == house.kinds().count("access.failed")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_limits_tighten_at_once_and_loosen_after_a_day(house: House) -> None:
    """A wager and a gaming day's buy-ins."""
    house.register()
    house.open(patron="p-1")

    def limit(kind: str, cents: int | None) -> httpx.Response:
        return house.send(f"/patrons/{PROPERTY}/p-1/limits", {"limit": kind, "cents": cents})

    limit("wager", 1_000)
    limit("buy_in_day", 5_000)
    assert 200 == house.buy_in(4_000).status_code
    assert_problem(house.buy_in(1_001), 409, "exceeds the patron's limit of 5000")
    assert_problem(house.authorize(1_001), 409, "limit of 1000 cents a wager")
    assert 201 == house.authorize(1_000).status_code
    looser = limit("wager", None).json()["limits"]["wager"]
    assert (1_000, None) == (looser["cents"], looser["next_cents"])
    house.clock.now += timedelta(hours=24) - timedelta(seconds=1)
    assert 409 == house.authorize(1_001).status_code
    assert 200 == house.buy_in(5_000).status_code  # another gaming day
    house.clock.now += timedelta(seconds=1)
    assert 201 == house.authorize(1_001).status_code
    limit("wager", 10)
    assert_problem(house.authorize(11), 409, "limit of 10 cents a wager")


def test_excluded_patrons_are_paid_out(house: House) -> None:
    """They wager nothing and bring nothing; what they have, and still win, is paid out without their code."""
    house.register()
    house.buy_in(5_000, "W-1")
    house.open(patron="p-1")
    house.buy_in(2_000)
    house.authorize(1_000)
    path, why = f"/patrons/{PROPERTY}/p-1/exclusion", "asked for it"
    assert 200 == house.send(path, {"excluded": True, "reason": why}, person="care.joy").status_code
    for refused in (house.authorize(1), house.buy_in(1), house.buy_in(1, "W-1"), house.open("GA-2", patron="p-1")):
        assert_problem(refused, 403, "is excluded since")
    house.settle(1_000, 2_000)
    assert 3_000 == house.account()[0]
    assert 200 == house.cash_out().status_code
    assert 200 == house.cash_out(account="W-1").status_code
    assert 200 == house.send(path, {"excluded": False, "reason": why}, person="care.joy").status_code
    assert 200 == house.buy_in(100).status_code


# --- adjustments ---


def test_an_adjustment_takes_two_people(house: House) -> None:
    """Entered by one, approved by another, with what was there before and after; the first cannot approve it."""
    house.funded(cents=1_000)
    path = f"/accounts/{PROPERTY}/GA-1/adjustments"
    entered = house.send(path, {"cents": -300, "reason": "credited twice"}, person="audit.kim")
    number = entered.json()["adjustment"]
    assert (201, "entered") == (entered.status_code, entered.json()["state"])
    assert (1_000, 0, 0) == house.account()
    assert_problem(house.send(f"{path}/{number}/approve", person="audit.kim"), 403, "somebody else must approve it")
    approved = house.send(f"{path}/{number}/approve", person="audit.lee").json()
    assert ("approved", 1_000, 700, "audit.lee") == tuple(
        approved[name] for name in ("state", "before_cents", "after_cents", "decided_by")
    )
    assert (700, 0, 0) == house.account()
    assert_problem(house.send(f"{path}/{number}/approve", person="audit.lee"), 409, "was approved already")
    assert [approved] == house.read(path).json()["items"]


def test_an_adjustment_cannot_take_what_is_not_there(house: House) -> None:
    """Refused, and it can be rejected; nothing moves."""
    house.funded(cents=100)
    path = f"/accounts/{PROPERTY}/GA-1/adjustments"
    number = house.send(path, {"cents": -101, "reason": "?"}, person="audit.kim").json()["adjustment"]
    assert_problem(house.send(f"{path}/{number}/approve", person="audit.lee"), 409, "exceeds the 100 cents")
    rejected = house.send(f"{path}/{number}/reject", {"reason": "wrong account"}, person="audit.lee")
    assert (200, "rejected") == (rejected.status_code, rejected.json()["state"])
    assert 422 == house.send(path, {"cents": 0, "reason": "?"}, person="audit.kim").status_code


# --- the books ---


def test_the_liability_by_day_is_the_sum_of_the_balances(house: House) -> None:
    """Each gaming day with what changed it; a late correction is of the day of its round."""
    house.register()
    house.buy_in(5_000, "W-1")
    house.funded("GA-1", 10_000)
    house.authorize(4_000)
    house.settle(4_000, 1_000)
    house.clock.now += timedelta(days=1)
    house.cash_out(2_000)
    house.take(
        house.result("settlement.reversed", "r-1", credit(4_000, 1_000)),
        house.result("settlement.posted", "r-1", credit(4_000, 8_000), revision=2),
    )
    liability = house.read(f"/liability?property={PROPERTY}").json()
    first, second = liability["days"]
    assert ([DAY, 15_000, -4_000, 8_000, 19_000], ["2026-11-21", -2_000, 17_000]) == (
        [first[name] for name in ("gaming_day", "bought_in_cents", "staked_cents", "credited_cents", "closing_cents")],
        [second[name] for name in ("gaming_day", "cashed_out_cents", "closing_cents")],
    )
    assert (17_000, 17_000, 5_000, 0, "balanced") == (
        liability["closing_cents"],
        liability["balances"]["total_cents"],
        liability["balances"]["wallets_cents"],
        liability["difference_cents"],
        liability["state"],
    )
    assert [second] == house.read(f"/liability?property={PROPERTY}&first=2026-11-21").json()["days"]


def test_the_liability_shows_what_is_off(house: House) -> None:
    """A balance that was changed behind the service's back is seen."""
    house.funded()
    _as_owner(house.url, "UPDATE wagering_accounts.balances SET available = available + 1")
    liability = house.read(f"/liability?property={PROPERTY}").json()
    assert ("off", -1) == (liability["state"], liability["difference_cents"])
    _as_owner(house.url, "UPDATE wagering_accounts.balances SET available = available - 1")


def _as_owner(url: str, statement: str) -> None:
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE wagering_accounts.balances SET available = -1",
        "UPDATE wagering_accounts.balances SET held = -1",
        "UPDATE wagering_accounts.balances SET staked = -1",
        "UPDATE wagering_accounts.lines SET available = -1",
    ],
)
def test_the_database_itself_refuses_less_than_nothing(house: House, statement: str) -> None:
    """Whoever tries."""
    house.funded()
    with pytest.raises(psycopg.errors.CheckViolation):
        _as_owner(house.url, statement)


@pytest.mark.parametrize("table", ["lines", "idempotency", "entries", "postings"])
def test_the_service_cannot_change_what_it_stated(house: House, table: str) -> None:
    """Its role may add to statements, answers and the journal, and nothing else."""
    house.funded()
    conninfo = make_url(house.url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo) as connection:
        connection.execute("SET ROLE wagering_accounts")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"DELETE FROM wagering_accounts.{table}")  # type: ignore[call-overload]


def test_pages_and_etags(house: House) -> None:
    """Lists go on where they ended; what has not changed is not sent again; another service's cursor is refused."""
    for number in range(1, 6):
        house.funded(f"GA-{number}")
    path, names, cursor = f"/accounts?property={PROPERTY}&limit=2", [], ""
    while cursor is not None:
        page = house.read(path + (f"&cursor={cursor}" if cursor else "")).json()
        names += [each["account"] for each in page["items"]]
        cursor = page.get("next")
    assert [f"GA-{number}" for number in range(1, 6)] == names
    one = house.read(f"/accounts/{PROPERTY}/GA-1")
    known = {"If-None-Match": one.headers["etag"]}
    assert 304 == house.read(f"/accounts/{PROPERTY}/GA-1", headers=known).status_code
    house.buy_in(1)
    assert 200 == house.read(f"/accounts/{PROPERTY}/GA-1", headers=known).status_code
    assert_problem(house.read(f"{path}&cursor=abc"), 400, "begin without one")
    assert_problem(house.read(f"/accounts/{PROPERTY}/GA-9"), 404, "there is no account GA-9")
    assert_problem(house.read(f"/patrons/{PROPERTY}/p-9"), 404, "there is no patron p-9")


def test_roles(house: House) -> None:
    """A cashier does not wager, a table takes no money, nobody reads without the role, and the unknown do nothing."""
    house.funded()
    body = {"table": TABLE, "round_id": "r-1", "seat": 1, "wager": "blackjack", "cents": 1}
    assert_problem(house.send(f"/accounts/{PROPERTY}/GA-1/holds", body), 403, "role 'wager'")
    money = {"instrument": "cash", "cents": 1}
    assert_problem(house.send(f"/accounts/{PROPERTY}/GA-1/buy-ins", money, person="table.bj01"), 403, "role 'accounts'")
    assert_problem(house.read(f"/accounts/{PROPERTY}/GA-1", person="table.bj01"), 403, "role 'report'")
    assert_problem(house.read(f"/accounts/{PROPERTY}/GA-1", person="nobody"), 401, "not known")
    assert (10_000, 0, 0) == house.account()


@pytest.mark.parametrize(
    ("change", "at"),
    [
        ({"cents": 0}, "body.cents"),
        ({"cents": -1}, "body.cents"),
        ({"cents": 1.5}, "body.cents"),
        ({"cents": "100"}, "body.cents"),
        ({"seat": 0}, "body.seat"),
        ({"round_id": "two words"}, "body.round_id"),
        ({"tip": 5}, "body.tip"),
    ],
)
def test_a_malformed_authorization_is_named(house: House, change: dict[str, Any], at: str) -> None:
    """The field that is wrong is named; nothing but the refusal is recorded."""
    house.funded()
    before = house.kinds()
    refused = house.authorize(100, **change) if "cents" not in change else house.authorize(change["cents"])
    assert_problem(refused, 422, at)
    assert [at] == [each["at"] for each in refused.json()["errors"]]
    assert [*before, "request.refused"] == house.kinds()


def test_an_authorization_needs_a_token_a_key_and_names(house: House) -> None:
    """Each that is missing or wrong is said."""
    house.funded()
    body = {"table": TABLE, "round_id": "r-1", "seat": 1, "wager": "blackjack", "cents": 100}
    path, token = f"/accounts/{PROPERTY}/GA-1/holds", {"Authorization": "Bearer token of table.bj01"}
    assert_problem(house.client.post(path, json=body), 401, "Bearer")
    assert_problem(house.client.post(path, json=body, headers=token), 422, "header.Idempotency-Key")
    with_key = token | {"Idempotency-Key": "k-1"}
    assert_problem(house.client.post(f"/accounts/{PROPERTY}/-/holds", json=body, headers=with_key), 422, "path.account")
    assert_problem(house.client.post(path, content=b"no JSON", headers=with_key), 422, "body")
    assert (10_000, 0, 0) == house.account()


# --- many at once ---


def test_a_wager_that_is_released_while_a_result_is_read(
    house: House, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hold was read and the account not yet: the result is derived again, from what is there now."""
    house.funded()
    hold = house.authorize(1_000).json()["hold"]
    read, released = store.read_parts, list[int]()

    async def disturb(connection: AsyncConnection, books: Books) -> None:
        await read(connection, books)
        if not released:
            released.append(other.release(hold).status_code)

    with a_house(url) as other:
        monkeypatch.setattr(store, "read_parts", disturb)
        house.settle(300, 0)
    assert [200] == released
    assert (9_700, 0, 0) == house.account()


def test_64_clients_hammer_one_account(url: str) -> None:
    """Through two processes, while results come in: every cent is accounted for, and nothing is spent twice."""
    clients, each = 64, 6
    with a_house(url) as house, a_house(url) as other:
        house.funded(cents=100_000)

        def hammer(number: int) -> list[int]:
            with_whom = (house, other)[number % 2]
            codes: list[int] = []
            for turn in range(each):
                round_id, key = f"r-{number}-{turn}", f"k-{number}-{turn}"
                answers = [with_whom.authorize(900, round_id=round_id, key=key) for _ in range(2)]
                assert answers[0].json() == answers[1].json()
                codes.append(answers[0].status_code)
                if turn % 3 == 0 and codes[-1] == 201:
                    with_whom.release(answers[0].json()["hold"])
            return codes

        with ThreadPoolExecutor(clients + 1) as pool:
            hammering = [pool.submit(hammer, number) for number in range(clients)]
            settling = pool.submit(lambda: [house.settle(500, 700, round_id=f"chips-{number}") for number in range(20)])
            codes = [code for future in hammering for code in future.result()]
            settling.result()
        assert {201, 409} >= set(codes)
        assert clients * each == len(codes)
        available, held, staked = house.account()
        assert (100_000 + 20 * 200, 0) == (available + held, staked)
        held_by_rounds = sum(
            hold["cents"] for round_ in _all(house, f"/open-rounds?property={PROPERTY}") for hold in round_["holds"]
        )
        assert held == held_by_rounds
        assert available >= 0
        house.check()
        assert 1 < query(url, "SELECT count(*) FROM wagering_accounts.shards WHERE name LIKE 'commands/%'")[0][0]


def _all(house: House, path: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = ""
    while cursor is not None:
        page = house.read(f"{path}&limit=500" + (f"&cursor={cursor}" if cursor else "")).json()
        items += page["items"]
        cursor = page.get("next")
    return items
