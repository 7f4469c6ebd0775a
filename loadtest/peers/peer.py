"""The interface of a peer, and the settled rounds that each peer stores."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import psycopg

from loadtest.bench.expected_journal import Expected
from loadtest.traffic.corpus import Head, Record
from loadtest.traffic.target import conninfo_of
from shared.journal.entry import Account, Posting


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A settled round for a peer to store: the event, the outcome (`data`) and the postings."""

    stream: str
    sequence: int
    event: bytes
    data: bytes
    postings: tuple[Posting, ...]


class Peer(Protocol):
    """A way to store rounds. After `write` returns, its rounds are durable."""

    name: str
    keeps: str

    def open(self, url: str, accounts: Sequence[Account]) -> None:
        """Create the schema in the empty database of a SQLAlchemy URL."""

    def write(self, rounds: Sequence[SettledRound]) -> None:
        """Store rounds in one commit."""

    def wrong(self, rounds: Sequence[SettledRound]) -> str | None:
        """Return a message if the peer has not stored exactly these rounds, or None."""

    def size(self) -> int:
        """Return the number of bytes that the peer occupies on disk."""

    def close(self) -> None:
        """Close the connections, and stop any servers that this peer has started."""


class OnPostgres:
    """The base class of peers that store everything in the given database."""

    _url: str
    """The SQLAlchemy URL of the database."""

    def size(self) -> int:
        """Return the size of the database in bytes."""
        with psycopg.connect(conninfo_of(self._url)) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        return int(row[0])


class Transfer(NamedTuple):
    """A transfer of an amount in cents from one account to another, part of a round."""

    debited: Account
    credited: Account
    cents: int


def settled(head: Head, records: Iterable[Record]) -> list[SettledRound]:
    """Return the rounds of a corpus, settled before timing starts."""
    expected = Expected(head.sites)
    found = []
    for offset, record in enumerate(records):
        draft = expected.draft(record.value, key=record.key.encode(), offset=offset, headers=())
        found.append(SettledRound(record.key, record.sequence, record.value, draft.data, draft.postings))
    return found


def chips_of(account: Account) -> Account:
    """Return the chip account of an account's table."""
    return Account(account.property, account.table, "", "chips")


def transfers_of(one: SettledRound) -> list[Transfer]:
    """Return the postings of a round as transfers, each between a table's chip account and another account."""
    found = []
    for account, cents in one.postings:
        chips = chips_of(account)
        if account != chips:
            found.append(Transfer(account, chips, cents) if cents > 0 else Transfer(chips, account, -cents))
    return found


def open_to_transfers(accounts: Iterable[Account]) -> list[Account]:
    """Return these accounts and their tables' chip accounts, between which transfers are made, sorted."""
    every = {*accounts}
    return sorted(every | {chips_of(account) for account in every})


def accounts_of(rounds: Iterable[SettledRound]) -> list[Account]:
    """Return the accounts of all postings, sorted."""
    return sorted({posting.account for one in rounds for posting in one.postings})


def sums_of(rounds: Iterable[SettledRound]) -> Counter[Account]:
    """Return the balance of each account in cents; debits are positive."""
    sums: Counter[Account] = Counter()
    for one in rounds:
        for account, cents in one.postings:
            sums[account] += cents
    return sums


def compared(found: Counter[Account], rounds: Iterable[SettledRound]) -> str | None:
    """Return a message on balances that differ from the sums of the rounds' postings, or None."""
    wanted = sums_of(rounds)
    wrong = [account for account in wanted | found if wanted[account] != found[account]]
    return f"{len(wrong)} balances are wrong, the first of {wrong[0]}" if wrong else None
