"""A ledger of SQL functions with the interface of pgledger: accounts, and transfers between two accounts.

The SQL files are not included; pass their paths in the order of execution.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import psycopg

from loadtest.peers.peer import OnPostgres, SettledRound, Transfer, compared, open_to_transfers, transfers_of
from loadtest.traffic.target import conninfo_of
from shared.journal.entry import Account

_OPEN: Final = "SELECT id FROM pgledger_create_account(%s, 'USD')"
_WRITE: Final = "SELECT count(*) FROM pgledger_create_transfers(%s::transfer_request[])"
_BALANCES: Final = "SELECT id, balance FROM pgledger_accounts"


class SqlLedger(OnPostgres):
    """Stores postings as transfers, each between a table's chip account and another account."""

    name = "SQL functions (pgledger)"
    keeps = "postings, balances; no event, no outcome"

    def __init__(self, files: Sequence[Path]) -> None:
        """Set the ledger's SQL files."""
        self._files = files

    def open(self, url: str, accounts: Sequence[Account]) -> None:
        """Execute the SQL files, and open the accounts."""
        self._url = url
        self._connection: psycopg.Connection[Any] = psycopg.connect(conninfo_of(url))
        for file in self._files:
            self._connection.execute(file.read_bytes())
        self._ids: dict[Account, str] = {}
        for account in open_to_transfers(accounts):
            row = self._connection.execute(_OPEN, ("/".join(account),)).fetchone()
            assert row is not None
            self._ids[account] = row[0]
        self._connection.commit()

    def write(self, rounds: Sequence[SettledRound]) -> None:
        """Create the transfers of the rounds in one transaction."""
        for one in rounds:
            if transfers := [self._element(each) for each in transfers_of(one)]:
                self._connection.execute(_WRITE, ("{" + ",".join(transfers) + "}",))
        self._connection.commit()

    def wrong(self, rounds: Sequence[SettledRound]) -> str | None:
        """Return a message on wrong account balances, or None."""
        names = {found: account for account, found in self._ids.items()}
        balances = self._connection.execute(_BALANCES).fetchall()
        return compared(Counter({names[key]: int(balance) for key, balance in balances}), rounds)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _element(self, transfer: Transfer) -> str:
        """Return a transfer as the text of an array element: (credited account, debited account, cents)."""
        return f'"({self._ids[transfer.credited]},{self._ids[transfer.debited]},{transfer.cents})"'
