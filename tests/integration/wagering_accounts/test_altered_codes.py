"""An access code that somebody wrote into the database, past the service, opens no wallet."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import make_url

from tests.support import eventually
from tests.support.accounts import CODE, House, a_house
from tests.support.rebuilding import execute
from tests.support.services import query, waiting_for_locks

THEIRS = "0815-lime"
NEW = "1234-fig"
ALTERED = {
    "another's": """UPDATE wagering_accounts.patron_codes c SET (salt, hash, signature) =
        (SELECT salt, hash, signature FROM wagering_accounts.patron_codes WHERE patron = 'p-2') WHERE patron = 'p-1'""",
    "another's, unsigned": """UPDATE wagering_accounts.patron_codes c SET (salt, hash, signature) =
        (SELECT salt, hash, NULL::bytea FROM wagering_accounts.patron_codes WHERE patron = 'p-2')
        WHERE patron = 'p-1'""",
    "another's, under the signature that was there": """UPDATE wagering_accounts.patron_codes c SET (salt, hash) =
        (SELECT salt, hash FROM wagering_accounts.patron_codes WHERE patron = 'p-2') WHERE patron = 'p-1'""",
    "added": """WITH gone AS (DELETE FROM wagering_accounts.patron_codes WHERE patron = 'p-2' RETURNING *)
        UPDATE wagering_accounts.patron_codes c SET (salt, hash, signature) =
        (SELECT salt, hash, signature FROM gone) WHERE patron = 'p-1'""",
}


@pytest.fixture
def house(url: str) -> Iterator[House]:
    """Two patrons with codes of their own, the first one with $500."""
    with a_house(url) as house:
        assert 201 == house.register().status_code
        assert 201 == house.register("p-2", "W-2", code=THEIRS).status_code
        assert 200 == house.buy_in(50_000, "W-1").status_code
        yield house


@pytest.mark.parametrize("how", ALTERED)
def test_another_code_opens_no_wallet(house: House, url: str, how: str) -> None:
    """Nor does the patron's own, until it was given again; nothing is counted as a wrong code."""
    execute(url, ALTERED[how])
    for code in (THEIRS, CODE):
        answer = house.cash_out(10_000, "W-1", access_code=code)
        assert (409, "urn:pitledger:problem:not-as-recorded") == (answer.status_code, answer.json()["type"])
    assert [(0,)] == query(url, "SELECT failed_codes FROM wagering_accounts.patrons WHERE patron = 'p-1'")
    new = {"access_code": CODE, "reason": "the code was not as it was kept"}
    assert 200 == house.send("/patrons/riverside/p-1/access-code", new).status_code
    assert 200 == house.cash_out(10_000, "W-1", access_code=CODE).status_code


def test_a_code_that_the_patron_had_before_opens_no_wallet(house: House, url: str) -> None:
    """Put back as it was signed then, row by row: the journal has how many were given, and the last one alone opens."""
    changed = {"access_code": NEW, "reason": "somebody has seen the code"}
    with_code = "SELECT * FROM wagering_accounts.patron_codes WHERE patron = 'p-1'"
    execute(url, f"CREATE TABLE before AS {with_code}")
    assert 200 == house.send("/patrons/riverside/p-1/access-code", changed).status_code
    execute(
        url,
        f"CREATE TABLE latest AS {with_code}",
        "DELETE FROM wagering_accounts.patron_codes WHERE patron = 'p-1'",
        "INSERT INTO wagering_accounts.patron_codes TABLE before",
    )
    for code in (CODE, NEW):
        answer = house.cash_out(10_000, "W-1", access_code=code)
        assert (409, "urn:pitledger:problem:not-as-recorded") == (answer.status_code, answer.json()["type"])
        assert "it is code 1, and the journal says that 2 were given" in answer.json()["detail"]
    execute(
        url,
        "DELETE FROM wagering_accounts.patron_codes WHERE patron = 'p-1'",
        "INSERT INTO wagering_accounts.patron_codes TABLE latest",
    )
    assert "code-wrong" in house.cash_out(10_000, "W-1", access_code=CODE).json()["type"]
    assert 200 == house.cash_out(10_000, "W-1", access_code=NEW).status_code


def test_a_code_that_is_gone_opens_nothing(house: House, url: str) -> None:
    """The patron needs another one."""
    execute(url, "DELETE FROM wagering_accounts.patron_codes WHERE patron = 'p-1'")
    assert "code-wrong" in house.cash_out(10_000, "W-1", access_code=CODE).json()["type"]


def test_two_who_change_a_code_at_once_are_told_apart(house: House, url: str) -> None:
    """Each is signed under the number that comes next; the second is told to send it again, and the first opens."""
    lock = "SELECT 1 FROM wagering_accounts.patrons WHERE patron = 'p-1' FOR UPDATE"
    connected = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    codes = ("1234-fig", "5678-pear")
    with ThreadPoolExecutor(2) as pool:
        with psycopg.connect(connected) as other:
            other.execute(lock.encode())
            asked = []
            for number, code in enumerate(codes):
                body = {"access_code": code, "reason": "forgotten"}
                asked.append(pool.submit(house.send, "/patrons/riverside/p-1/access-code", body))
                if number == 0:
                    eventually(lambda: waiting_for_locks(url) == 1, because="the first is being decided")
            eventually(lambda: len(house.desk.context.commands._waiting) == 1, because="the second waits its turn")
        first, second = (each.result() for each in asked)
    assert 200 == first.status_code
    assert (409, "urn:pitledger:problem:contradicts") == (second.status_code, second.json()["type"])
    assert 200 == house.cash_out(10_000, "W-1", access_code=codes[0]).status_code
    assert 200 == house.send("/patrons/riverside/p-1/access-code", body).status_code
    assert 200 == house.cash_out(10_000, "W-1", access_code=codes[1]).status_code
