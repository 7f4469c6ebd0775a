"""The verdict on authorizations of wagers: what was accepted is on hold, and whatever else is there is named."""

import pytest

from loadtest.bench.authorized import judge_authorized
from loadtest.bench.verdict import Verdict
from tests.support.accounts import PROPERTY, House


def _judged(house: House, wagers: dict[str, int], *, cents: int = 300) -> Verdict:
    verdict = Verdict()
    conninfo = house.url.replace("+psycopg", "")
    judge_authorized(verdict, conninfo, PROPERTY, wagers, cents=cents, bought_in_cents=10_000)
    return verdict


@pytest.fixture
def playing(house: House) -> House:
    """Two accounts: one with two wagers of $3, one with none."""
    house.funded("GA-1")
    house.funded("GA-2")
    for round_id in ("r-1", "r-2"):
        assert 201 == house.authorize(300, round_id=round_id).status_code
    return house


def test_what_was_accepted_is_on_hold(playing: House) -> None:
    """In the journal, as holds, and in what is left of the account."""
    verdict = _judged(playing, {"GA-1": 2, "GA-2": 0})
    assert verdict.holds, verdict.differences
    assert {"authorizations": 2, "accounts": 2} == verdict.compared


@pytest.mark.parametrize(
    ("wagers", "cents", "named"),
    [
        ({"GA-1": 3, "GA-2": 0}, 300, "the journal has 2 authorizations; 3 were accepted"),
        ({"GA-1": 1, "GA-2": 1}, 300, "GA-2 has holds of (0, 0); (1, 300) follows"),
        ({"GA-1": 2, "GA-2": 0}, 200, "GA-1 has (600, 9400) held and left; (400, 9600) follows"),
        ({"GA-1": 2}, 300, "there are 2 accounts, not 1"),
    ],
)
def test_whatever_else_is_there_is_named(playing: House, wagers: dict[str, int], cents: int, named: str) -> None:
    """One that is lost, one of another account, one of other cents, an account too many."""
    verdict = _judged(playing, wagers, cents=cents)
    assert not verdict.holds
    assert named in verdict.differences
