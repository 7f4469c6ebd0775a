"""Peers keep the rounds that they are given, and what they hold is compared with it."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import psycopg
import pytest

from loadtest.peers.__main__ import main, measured, peers_of
from loadtest.peers.database import empty_database, server_process
from loadtest.peers.event_store import EventStore
from loadtest.peers.peer import (
    Peer,
    SettledRound,
    accounts_of,
    open_to_transfers,
    settled,
    sums_of,
    transfers_of,
)
from loadtest.peers.program import NotReady, serving
from loadtest.peers.rows import Rows
from loadtest.peers.sql_ledger import SqlLedger
from loadtest.peers.table import lines
from loadtest.traffic.corpus import Head, played
from loadtest.traffic.target import conninfo_of
from shared.journal.entry import Account
from shared.local.ports import free_port

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


def test_a_database_on_a_server_that_is_given_is_empty_and_gone_afterwards(database_url: str) -> None:
    """It is another one on that server, whose processes are those of this machine that are counted."""
    with empty_database(database_url) as url:
        assert url != database_url
        assert server_process(url) == server_process(database_url) != []
        with psycopg.connect(conninfo_of(url)) as connection:
            assert [] == connection.execute("SELECT relname FROM pg_stat_user_tables").fetchall()
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(conninfo_of(url))


def test_transfers_move_what_the_postings_do(rounds: list[SettledRound]) -> None:
    """Between two accounts each, every amount positive: all that a ledger of transfers is told."""
    moved: Counter[Account] = Counter()
    for one in rounds:
        for debited, credited, cents in transfers_of(one):
            assert 0 < cents
            moved[debited] += cents
            moved[credited] -= cents
    accounts = open_to_transfers(accounts_of(rounds))
    assert moved.keys() <= set(accounts)
    assert {account: moved[account] for account in accounts} == {
        account: sums_of(rounds)[account] for account in accounts
    }


@pytest.mark.parametrize("option", ["sql", "formance", "tigerbeetle"])
def test_a_file_that_is_not_there_is_named(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is started."""
    with pytest.raises(SystemExit):
        main([f"--{option}", "/nowhere/peer"])
    assert f"--{option}: there is no file /nowhere/peer" in capsys.readouterr().err


def test_a_program_that_does_not_listen_says_why(tmp_path: Path) -> None:
    """Its last words are told, and nothing is waited for."""
    with pytest.raises(NotReady, match="no such ledger"):
        serving(["sh", "-c", "echo no such ledger; exit 1"], free_port(), directory=tmp_path, environment=os.environ)


def test_those_are_left_out_that_nobody_names() -> None:
    """A peer that takes a program or files is among them where these are named."""
    said: list[str] = []
    assert ["eventsourcing", "SQLAlchemy, row at a time"] == [one.name for one in peers_of([], None, None, said.append)]
    assert ["--sql", "--formance", "--tigerbeetle"] == [each.split()[-1] for each in said]
    program = Path("built")
    every = peers_of([program], program, program, said.append)
    assert 6 == len({one.name for one in every})
