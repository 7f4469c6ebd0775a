"""The books: what the database refuses, what is read by whom, many at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from services.wagering_accounts import handlers
from services.wagering_accounts.domain.books import Books
from services.wagering_accounts.queries.books import ReadSetLoader, load
from services.wagering_accounts.tables import balances
from shared.journal.bulk import update
from tests.support.accounts import PROPERTY, TABLE, House, a_house, credit
from tests.support.asgi import assert_problem
from tests.support.services import query


def _as_owner(url: str, statement: str) -> None:
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE wagering_accounts.balances SET available_cents = -1",
        "UPDATE wagering_accounts.balances SET held_cents = -1",
        "UPDATE wagering_accounts.balances SET staked_cents = -1",
        "UPDATE wagering_accounts.lines SET available_cents = -1",
    ],
)
def test_the_database_itself_refuses_less_than_nothing(house: House, statement: str) -> None:
    """Whoever tries."""
    house.funded()
    with pytest.raises(psycopg.errors.CheckViolation):
        _as_owner(house.url, statement)


@pytest.mark.parametrize("table", ["lines", "idempotency", "entries"])
def test_the_service_cannot_change_what_it_stated(house: House, table: str) -> None:
    """Its role may add to statements, answers and the journal, and nothing else."""
    house.funded()
    conninfo = make_url(house.url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo) as connection:
        connection.execute("SET ROLE wagering_accounts")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"DELETE FROM wagering_accounts.{table}")


def test_pages_and_etags(house: House) -> None:
    """Lists go on where they ended; what has not changed is not sent again; there is nothing of an unknown name."""
    for number in range(1, 6):
        house.funded(f"GA-{number}")
    assert [f"GA-{number}" for number in range(1, 6)] == [
        each["account"] for each in _all(house, f"/accounts?property={PROPERTY}", limit=2)
    ]
    assert [] == _all(house, f"/accounts?property={PROPERTY}&table=BJ-99")
    one = house.read(f"/accounts/{PROPERTY}/GA-1")
    known = {"If-None-Match": one.headers["etag"]}
    assert 304 == house.read(f"/accounts/{PROPERTY}/GA-1", **known).status_code
    house.buy_in(1)
    assert 200 == house.read(f"/accounts/{PROPERTY}/GA-1", **known).status_code
    assert [10_000, 1] == [
        line["available_change_cents"] for line in _all(house, f"/accounts/{PROPERTY}/GA-1/statement?", limit=1)
    ]
    assert_problem(house.read(f"/accounts/{PROPERTY}/GA-9"), 404, "there is no account GA-9")
    assert_problem(house.read(f"/patrons/{PROPERTY}/p-9"), 404, "there is no patron p-9")


def test_roles(house: House) -> None:
    """A cashier does not wager, a table takes no money; whoever works on accounts may read them."""
    house.funded()
    body = {"table": TABLE, "round_id": "r-1", "seat": 1, "wager": "blackjack", "cents": 1}
    assert_problem(house.send(f"/accounts/{PROPERTY}/GA-1/holds", body), 403, "role 'accounts.wager'")
    money = {"instrument": "cash", "cents": 1}
    path = f"/accounts/{PROPERTY}/GA-1"
    assert_problem(house.send(f"{path}/buy-ins", money, person="table.bj01"), 403, "role 'accounts.manage'")
    assert 200 == house.read(path, person="table.bj01").status_code
    assert_problem(house.read(path, person="care.joy"), 403, "or 'reports.read'")
    assert (10_000, 0, 0) == house.account()


def test_a_wager_that_is_released_while_a_result_is_read(
    house: House, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hold was read as it was, and is gone: the result is derived again, from what is there now."""
    house.funded()
    hold = house.authorize(1_000).json()["hold"]
    read, released = load, list[int]()

    async def disturb(*given: Any, **how: Any) -> Books:
        books = await read(*given, **how)
        if not released:
            released.append(other.release(hold).status_code)
        return books

    with a_house(url) as other:
        monkeypatch.setattr(handlers, "load", disturb)
        house.settle(300, 0)
    assert [200] == released
    assert (9_700, 0, 0) == house.account()


def test_what_a_shortage_was_found_on_must_not_change(house: House, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Money that comes meanwhile makes the shortage smaller: nothing is short that the account could pay."""
    house.funded(cents=1_000)
    house.authorize(1_000)
    house.settle(1_000, 5_000)
    house.cash_out()
    read, paid = load, list[int]()

    async def disturb(*given: Any, **how: Any) -> Books:
        books = await read(*given, **how)
        if not paid:
            paid.append(other.buy_in(300).status_code)
        return books

    with a_house(url) as other:
        monkeypatch.setattr(handlers, "load", disturb)
        house.take(house.result("settlement.reversed", "r-1", credit(1_000, 5_000)))
    assert ([200], (0, 0, 0)) == (paid, house.account())
    assert [3_700] == [short for *_, short in house.uncovered()]


@pytest.mark.parametrize(("key", "status"), [("mine", 201), ("other", 409)])
def test_an_account_opened_twice_at_once_is_opened_once(
    house: House, url: str, monkeypatch: pytest.MonkeyPatch, key: str, status: int
) -> None:
    """What is not there yet cannot be locked: whoever comes second gets the answer, or decides again."""
    house.open("GA-0")  # so that there is a shard, which the first holds
    read, opened = ReadSetLoader.read, list[int]()
    body = {"property": PROPERTY, "account": "GA-1", "table": TABLE}

    async def disturb(*given: Any, **how: Any) -> Books:
        books = await read(*given, **how)
        if not opened:
            opened.append(0)
            opened[0] = other.send("/accounts", body, key=key).status_code
        return books

    with a_house(url) as other:
        monkeypatch.setattr(ReadSetLoader, "read", disturb)
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


def _all(house: House, path: str, limit: int = 500) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = ""
    while cursor is not None:
        page = house.read(f"{path}&limit={limit}" + (f"&cursor={cursor}" if cursor else "")).json()
        items += page["items"]
        cursor = page.get("next")
    return items


def test_an_account_is_found_by_its_key_before_the_table_has_statistics(url: str) -> None:
    """A new or restored database has none: no index that begins with the property may look as good as the key's."""
    _as_owner(
        url,
        """INSERT INTO wagering_accounts.balances (property, account, kind, "table", status, version, opened_at,
            available_cents, held_cents, staked_cents, promotional_cents, promotional_held_cents,
            promotional_staked_cents)
        SELECT 'riverside', 'A-' || n, 'game', 'T-1', 'open', 1, now(), 1, 0, 0, 0, 0, 0
        FROM generate_series(1, 600) n""",
    )
    changed = update(balances, ["available_cents"])
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo) as connection:
        rows = [{"property": "riverside", "account": f"A-{number}", "available_cents": 2} for number in range(32)]
        connection.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        explained = connection.execute(f"EXPLAIN {changed.sql}", changed.parameters(rows))
        plan = "\n".join(line for (line,) in explained)
    assert "Index Scan using balances_pkey" in plan, plan
