"""An access code that somebody wrote into the database, past the service, opens no wallet."""

from collections.abc import Iterator

import pytest

from tests.support.accounts import CODE, House, a_house
from tests.support.rebuilding import execute
from tests.support.services import query

THEIRS = "0815-lime"
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


def test_a_code_that_is_gone_opens_nothing(house: House, url: str) -> None:
    """The patron needs another one."""
    execute(url, "DELETE FROM wagering_accounts.patron_codes WHERE patron = 'p-1'")
    assert "code-wrong" in house.cash_out(10_000, "W-1", access_code=CODE).json()["type"]
