"""The books: the liability, what the database refuses, what is read by whom, many at once."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import store
from services.wagering_accounts.books import Books, RoundKey
from tests.support.accounts import DAY, PROPERTY, TABLE, House, a_house, credit
from tests.support.asgi import assert_problem
from tests.support.services import query


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
    liability = house.read(f"/reports/liability?property={PROPERTY}").json()
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
        liability["status"],
    )
    assert [second] == house.read(f"/reports/liability?property={PROPERTY}&first=2026-11-21").json()["days"]


def test_the_liability_shows_what_is_off(house: House) -> None:
    """A balance that was changed behind the service's back is seen."""
    house.funded()
    _as_owner(house.url, "UPDATE wagering_accounts.balances SET available = available + 1")
    liability = house.read(f"/reports/liability?property={PROPERTY}").json()
    assert ("off", -1) == (liability["status"], liability["difference_cents"])
    _as_owner(house.url, "UPDATE wagering_accounts.balances SET available = available - 1")


def _as_owner(url: str, statement: str) -> None:
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(statement)


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
            connection.execute(f"DELETE FROM wagering_accounts.{table}")


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


def test_a_wager_that_is_released_while_a_result_is_read(
    house: House, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hold was read and the account not yet: the result is derived again, from what is there now."""
    house.funded()
    hold = house.authorize(1_000).json()["hold"]
    read, released = store.read_rounds, list[int]()

    async def disturb(connection: AsyncConnection, keys: Iterable[RoundKey]) -> Books:
        books = await read(connection, keys)
        if not released:
            released.append(other.release(hold).status_code)
        return books

    with a_house(url) as other:
        monkeypatch.setattr(store, "read_rounds", disturb)
        house.settle(300, 0)
    assert [200] == released
    assert (9_700, 0, 0) == house.account()


@pytest.mark.parametrize(("key", "status"), [("mine", 201), ("other", 409)])
def test_an_account_opened_twice_at_once_is_opened_once(
    house: House, url: str, monkeypatch: pytest.MonkeyPatch, key: str, status: int
) -> None:
    """What is not there yet cannot be locked: whoever comes second gets the answer, or decides again."""
    house.open("GA-0")  # so that there is a shard, which the first holds
    read, opened = store.read, list[int]()
    body = {"property": PROPERTY, "account": "GA-1", "table": TABLE}

    async def disturb(*arguments: Any) -> Any:
        books = await read(*arguments)
        if not opened:
            opened.append(0)
            opened[0] = other.send("/accounts", body, key=key).status_code
        return books

    with a_house(url) as other:
        monkeypatch.setattr(store, "read", disturb)
        mine = house.send("/accounts", body, key="mine")
    assert ([201], status) == (opened, mine.status_code)
    assert 2 == house.kinds().count("account.opened")


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

        def settle_others() -> None:
            for number in range(20):
                house.settle(500, 700, round_id=f"chips-{number}")

        with ThreadPoolExecutor(clients + 1) as pool:
            hammering = [pool.submit(hammer, number) for number in range(clients)]
            settling = pool.submit(settle_others)
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
