"""Money that somebody wrote into the books past the service: it is never paid out, and it is found."""

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from services.cli.exits import ExitCode
from services.wagering_accounts.tables import journal
from shared.journal.entry import entry_hash
from shared.journal.reading import read_places
from tests.support.accounts import CODE, House, a_house
from tests.support.rebuilding import compared, execute
from tests.support.services import query
from tests.unit.cli.calling import Caller

REPLICA = "SET session_replication_role = replica"
"""As a superuser alters rows past all triggers."""

RAISED = "UPDATE wagering_accounts.balances SET available_cents = available_cents + 67300 WHERE account = '{0}'"
RAISED_STATEMENT = """
    UPDATE wagering_accounts.lines SET available_cents = available_cents + 67300 WHERE account = '{0}' AND version =
    (SELECT max(version) FROM wagering_accounts.lines WHERE account = '{0}')"""
RAISED_DEPOSIT = """
    UPDATE wagering_accounts.lines SET available_cents = available_cents + 67300,
    available_change_cents = available_change_cents + 67300 * (version = 2)::int WHERE account = '{0}'"""
NO_LOSS = "DELETE FROM wagering_accounts.lines WHERE account = '{0}' AND kind = 'wagers.settled'"
LESS_BROUGHT = """
    UPDATE wagering_accounts.entries SET data = replace(data::text, '150000', '50000')::json
    WHERE kind = 'account.bought_in' AND data ->> 'account' = 'GA-1'"""
ENTRY = """
    UPDATE wagering_accounts.entries SET data = replace(data::text, '150000', '217300')::json
    WHERE kind = 'account.bought_in' AND data ->> 'account' = '{0}'"""


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger`."""
    return Caller(capsys, monkeypatch)


@pytest.fixture
def house(url: str) -> Iterator[House]:
    """The service; a game account with $827 after a loss, and a wallet with as much after a withdrawal."""
    with a_house(url) as house:
        house.funded("GA-1", 150_000)
        assert 201 == house.authorize(67_300).status_code
        house.settle(67_300, 0)
        assert 201 == house.register().status_code
        assert 200 == house.buy_in(150_000, "W-1").status_code
        assert 200 == house.cash_out(67_300, "W-1", access_code=CODE).status_code
        assert (0, "") == ((found := compared("wagering-accounts", url)).different, found.first)
        yield house


ALTERED = [
    [RAISED],
    [RAISED, RAISED_STATEMENT],
    [RAISED, RAISED_DEPOSIT],
    [RAISED, RAISED_DEPOSIT, ENTRY],
]


@pytest.mark.parametrize("altered", ALTERED, ids=["balance", "statement", "deposit", "entry"])
@pytest.mark.parametrize(("account", "more"), [("GA-1", {}), ("W-1", {"access_code": CODE})])
def test_a_raised_balance_is_not_paid_out(
    house: House, url: str, account: str, more: dict[str, str], altered: list[str]
) -> None:
    """However many of the tables agree: the account must be what its entries come to, to the cent."""
    execute(url, REPLICA, *(statement.format(account) for statement in altered))
    answer = house.cash_out(150_000, account, **more)
    assert (409, "urn:pitledger:problem:not-as-recorded") == (answer.status_code, answer.json()["type"])
    refused = query(url, "SELECT data ->> 'reason' FROM wagering_accounts.entries WHERE kind = 'command.refused'")
    assert [("not-as-recorded",)] == refused
    counted = {"reason": "not-as-recorded"}
    assert 1 == house.desk.context.metrics.registry.get_sample_value("pitledger_commands_refused_total", counted)
    other, code = ("W-1", {"access_code": CODE}) if account == "GA-1" else ("GA-1", {})
    assert 200 == house.cash_out(82_700, other, **code).status_code  # whom it does not concern


def _rehashed(house: House) -> str:
    """The statement that gives the altered deposit of GA-1 the hash of what it says now."""

    async def made() -> str:
        async with house.desk.context.pools.background.connect() as connection:
            query = select(journal.entries.c.shard, journal.entries.c.seq).where(
                journal.entries.c.kind == "account.bought_in", journal.entries.c.data["account"].astext == "GA-1"
            )
            [place] = map(tuple, await connection.execute(query))
            [(name, entry)] = [each async for each in read_places(connection, journal, [place])]
        new = entry_hash(
            entry.draft, shard_name=name, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
        )
        at = f"shard = {entry.shard} AND seq = {entry.seq}"
        return f"UPDATE wagering_accounts.entries SET hash = '\\x{new.hex()}' WHERE {at}"

    return house.desk.client.run(made())


def test_an_entry_altered_with_its_hash_is_not_paid_out(house: House, url: str) -> None:
    """The entry after it was chained to another hash: nobody waits for the rotation to come to it."""
    altered = (statement.format("GA-1") for statement in (RAISED, RAISED_DEPOSIT, ENTRY))
    execute(url, REPLICA, *altered)
    execute(url, REPLICA, _rehashed(house))
    answer = house.cash_out(150_000)
    assert (409, "urn:pitledger:problem:not-as-recorded") == (answer.status_code, answer.json()["type"])


def test_a_loss_that_is_taken_away_is_not_paid_out(house: House, url: str) -> None:
    """A line that is gone leaves a version without an entry."""
    assert 200 == house.buy_in(100).status_code
    execute(url, REPLICA, *(statement.format("GA-1") for statement in (NO_LOSS, RAISED, RAISED_STATEMENT)))
    assert "not-as-recorded" in house.cash_out().json()["type"]


def test_nothing_is_wagered_from_an_altered_balance(house: House, url: str) -> None:
    """The statement of an account ends with what is on it."""
    execute(url, REPLICA, RAISED.format("GA-1"))
    assert "not-as-recorded" in house.authorize(100, round_id="r-2").json()["type"]


def test_an_altered_row_is_named(house: House, url: str) -> None:
    """By the service itself while it runs: the row and the columns, and never what they say."""
    execute(url, REPLICA, RAISED.format("GA-1"))
    found = compared("wagering-accounts", url)
    assert (1, "balances property riverside, account GA-1: available_cents") == (found.different, found.first)
    execute(url, "UPDATE wagering_accounts.balances SET available_cents = 82700 WHERE account = 'GA-1'")
    assert 0 == compared("wagering-accounts", url).different
    assert [(82_700,)] == query(url, "SELECT available_cents FROM wagering_accounts.balances WHERE account = 'GA-1'")


def test_an_entry_that_does_not_fit_is_named(
    house: House, url: str, pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More was wagered than the journal says there was: the check names the entry and the row, and goes on."""
    execute(url, REPLICA, LESS_BROUGHT)
    monkeypatch.setenv("DATABASE_URL", url)
    called = pitledger("rebuild", "wagering-accounts", "--check")
    assert ExitCode.NOT_AS_IT_SHOULD_BE == called.code
    assert "(wager.authorized) does not follow from the entries before: account GA-1 has less than" in called.stdout
    assert "balances property riverside, account GA-1: " in called.stdout
    called = pitledger("rebuild", "wagering-accounts")
    assert ExitCode.NOT_THERE == called.code
    assert "wagering-accounts stays as it is: entry " in called.stderr
