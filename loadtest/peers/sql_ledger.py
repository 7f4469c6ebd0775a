"""A ledger of SQL functions in the interface of pgledger: accounts and transfers between two of them.

Its files are not ours; whoever runs this names them, in the order in which they are to be executed.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import psycopg

from loadtest.peers.peer import SettledRound, chips_of, compared
from shared.journal.entry import Account

_OPEN: Final = "SELECT id FROM pgledger_create_account(%s, 'USD')"
_WRITE: Final = "SELECT count(*) FROM pgledger_create_transfers(%s::transfer_request[])"
_BALANCES: Final = "SELECT id, balance FROM pgledger_accounts"


class SqlLedger:
    """Every posting is a transfer between the chips of the table and another account: the chips are what is left."""

    name = "SQL functions (pgledger)"
    keeps = "postings, balances; no event, no outcome"

    def __init__(self, files: Sequence[Path]) -> None:
        """Take the files of the ledger."""
        self._files = files

    def open(self, url: str, accounts: Sequence[Account]) -> None:
        """Execute the files, and open the accounts."""
        conninfo = url.replace("postgresql+psycopg://", "postgresql://", 1)
        self._connection: psycopg.Connection[Any] = psycopg.connect(conninfo)
        for file in self._files:
            self._connection.execute(file.read_bytes())
        every = {*accounts, *(chips_of(account) for account in accounts)}
        self._ids: dict[Account, str] = {}
        for account in sorted(every):
            row = self._connection.execute(_OPEN, ("/".join(account),)).fetchone()
            assert row is not None
            self._ids[account] = row[0]
        self._connection.commit()

    def write(self, rounds: Sequence[SettledRound]) -> None:
        """Transfer what each round moved, in one transaction."""
        for one in rounds:
            transfers = [
                self._transfer(account, cents) for account, cents in one.postings if account != chips_of(account)
            ]
            if transfers:
                self._connection.execute(_WRITE, ("{" + ",".join(transfers) + "}",))
        self._connection.commit()

    def wrong(self, rounds: Sequence[SettledRound]) -> str | None:
        """Compare the balance of every account."""
        names = {found: account for account, found in self._ids.items()}
        balances = self._connection.execute(_BALANCES).fetchall()
        return compared(Counter({names[key]: int(balance) for key, balance in balances}), rounds)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _transfer(self, account: Account, cents: int) -> str:
        """Return a transfer as an element of an array: a debit comes from the chips of the table."""
        chips, other = self._ids[chips_of(account)], self._ids[account]
        source, target = (chips, other) if cents > 0 else (other, chips)
        return f'"({source},{target},{abs(cents)})"'
