"""TigerBeetle, a database of accounts and transfers; a round is a chain of transfers that succeed or fail together.

The executable is not included; pass its path. Its version must not be older than that of the installed client library.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import tigerbeetle
from tigerbeetle import CreateAccountStatus, CreateTransferStatus, TransferFlags

from loadtest.peers.peer import SettledRound, compared, open_to_transfers, transfers_of
from loadtest.peers.program import serving
from shared.journal.entry import Account
from shared.local.ports import LOOPBACK, free_port

_CLUSTER: Final = 0
_LEDGER: Final = 1
_CODE: Final = 1
_AT_ONCE: Final = 8_000
"""The batch size of requests; TigerBeetle's limit is 8,189 accounts or transfers."""


class NotTaken(Exception):
    """The database refused accounts or transfers."""


class TigerBeetle:
    """Stores rounds in a single replica, which responds once the data is on disk."""

    name = "TigerBeetle"
    keeps = "postings, balances; no event, no outcome"

    def __init__(self, program: Path) -> None:
        """Set the TigerBeetle executable."""
        self._program = program.resolve()

    def open(self, url: str, accounts: Sequence[Account]) -> None:
        """Create a data file, start the replica on it, and open the accounts."""
        del url
        self._directory = TemporaryDirectory()
        directory, port = Path(self._directory.name), free_port()
        self._file = directory / "data"
        made: list[str | Path] = [
            self._program,
            "format",
            f"--cluster={_CLUSTER}",
            "--replica=0",
            "--replica-count=1",
            self._file,
        ]
        subprocess.run(made, check=True, capture_output=True)  # noqa: S603 - the program that was named
        self._server = serving(
            [self._program, "start", f"--addresses={LOOPBACK}:{port}", self._file],
            port,
            directory=directory,
            environment=os.environ,
        )
        self._client = tigerbeetle.ClientSync(cluster_id=_CLUSTER, replica_addresses=f"{LOOPBACK}:{port}")
        self._ids = {account: number for number, account in enumerate(open_to_transfers(accounts), start=1)}
        opened = [tigerbeetle.Account(id=number, ledger=_LEDGER, code=_CODE) for number in self._ids.values()]
        for first in range(0, len(opened), _AT_ONCE):
            results = self._client.create_accounts(opened[first : first + _AT_ONCE])
            if refused := {each.status for each in results} - {CreateAccountStatus.CREATED}:
                raise NotTaken(f"accounts: {refused}")

    def write(self, rounds: Sequence[SettledRound]) -> None:
        """Create the transfers of rounds in one request; the transfers of a round succeed or fail together."""
        transfers = [each for one in rounds for each in self._chain(one)]
        if transfers:
            results = self._client.create_transfers(transfers)
            if refused := {each.status for each in results} - {CreateTransferStatus.CREATED}:
                raise NotTaken(f"transfers: {refused}")

    def wrong(self, rounds: Sequence[SettledRound]) -> str | None:
        """Return a message on wrong account balances, or None."""
        names = {number: account for account, number in self._ids.items()}
        numbers, found = [*names], Counter[Account]()
        for first in range(0, len(numbers), _AT_ONCE):
            for each in self._client.lookup_accounts(numbers[first : first + _AT_ONCE]):
                found[names[each.id]] = each.debits_posted - each.credits_posted
        return compared(found, rounds)

    def size(self) -> int:
        """Return the bytes that the data file occupies on disk."""
        return self._file.stat().st_blocks * 512

    def close(self) -> None:
        """Stop the replica."""
        self._client.close()
        self._server.stop()
        self._directory.cleanup()

    def _chain(self, one: SettledRound) -> list[tigerbeetle.Transfer]:
        """Return the transfers of a round, each linked to the next, except the last."""
        chain = [
            tigerbeetle.Transfer(
                id=tigerbeetle.id(),
                debit_account_id=self._ids[transfer.debited],
                credit_account_id=self._ids[transfer.credited],
                amount=transfer.cents,
                ledger=_LEDGER,
                code=_CODE,
                flags=TransferFlags.LINKED,
            )
            for transfer in transfers_of(one)
        ]
        if chain:
            chain[-1].flags = TransferFlags.NONE
        return chain
