"""Peers keep the rounds that they are given, and what they hold is compared with it."""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import psycopg
import pytest

from loadtest.corpus import Head, played
from loadtest.peers.__main__ import main, measured
from loadtest.peers.event_store import EventStore
from loadtest.peers.peer import Peer, SettledRound, accounts_of, settled, sums_of
from loadtest.peers.rows import Rows
from loadtest.peers.sql_ledger import SqlLedger
from loadtest.peers.table import lines

PAIRED: list[Callable[[], Peer]] = [EventStore, Rows]
HEAD = Head(rounds=36, tables=12)


@pytest.fixture(scope="module")
def rounds() -> list[SettledRound]:
    """A few settled rounds."""
    return settled(HEAD, played(HEAD))


def test_the_rounds_of_a_peer_balance(rounds: list[SettledRound]) -> None:
    """Their postings sum to zero, each and all."""
    assert all(sum(cents for _, cents in one.postings) == 0 for one in rounds)
    assert 0 == sums_of(rounds).total()
    assert set(accounts_of(rounds)) == set(sums_of(rounds))


@pytest.mark.parametrize("peer", PAIRED)
def test_a_peer_is_measured_and_holds_what_it_was_given(
    peer: Callable[[], Peer], rounds: list[SettledRound], database_url: str
) -> None:
    """One a commit, together, and paced; the table says so."""
    kept = measured(peer(), database_url, rounds, 4)
    assert kept.wrong is None
    assert kept.single_per_second > 0 < kept.together_per_second
    assert {"50", "95", "99", "99.9", "100"} == set(kept.wait_ms)
    assert f"| {kept.name} | {kept.keeps} |" in "\n".join(lines([asdict(kept)]))


@pytest.mark.parametrize("peer", PAIRED)
def test_a_peer_that_holds_something_else_is_wrong(
    peer: Callable[[], Peer], rounds: list[SettledRound], database_url: str
) -> None:
    """It was given the outcome of another round."""
    one = peer()
    one.open(database_url, accounts_of(rounds))
    first, *others = rounds
    one.write([replace(first, data=b"{}"), *others])
    assert one.wrong(rounds) is not None
    one.close()


INTERFACE = """
    CREATE TABLE pgledger_accounts (id text PRIMARY KEY, balance numeric NOT NULL DEFAULT 0);
    CREATE TYPE transfer_request AS (from_account_id text, to_account_id text, amount numeric);
    CREATE FUNCTION pgledger_create_account(name text, currency text) RETURNS SETOF pgledger_accounts
        LANGUAGE sql AS 'INSERT INTO pgledger_accounts (id) VALUES (name) RETURNING *';
    CREATE FUNCTION pgledger_create_transfers(requests transfer_request[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
    DECLARE one transfer_request;
    BEGIN
        FOREACH one IN ARRAY requests LOOP
            UPDATE pgledger_accounts SET balance = balance - one.amount WHERE id = one.from_account_id;
            UPDATE pgledger_accounts SET balance = balance + one.amount WHERE id = one.to_account_id;
            RETURN NEXT one.from_account_id;
        END LOOP;
    END $$
"""
"""The functions of a ledger that we call, as small as they can be."""


def test_a_ledger_of_sql_functions_has_every_balance(
    rounds: list[SettledRound], database_url: str, tmp_path: Path
) -> None:
    """Its files are named; a balance that somebody moved is found."""
    first, second = tmp_path / "1.sql", tmp_path / "2.sql"
    first.write_text("CREATE SCHEMA elsewhere")
    second.write_text(INTERFACE)
    kept = measured(SqlLedger([first, second]), database_url, rounds, 4)
    assert kept.wrong is None
    one = SqlLedger([second])
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("DROP TABLE pgledger_accounts CASCADE")
        connection.execute("DROP TYPE transfer_request CASCADE")
        one.open(database_url, accounts_of(rounds))
        one.write(rounds)
        connection.execute("UPDATE pgledger_accounts SET balance = balance + 1 WHERE id LIKE '%BJ01//chips'")
    assert one.wrong(rounds) is not None
    one.close()


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is started."""
    with pytest.raises(SystemExit):
        main(["--sql", "/nowhere/pgledger.sql"])
    assert "--sql: there is no file /nowhere/pgledger.sql" in capsys.readouterr().err
