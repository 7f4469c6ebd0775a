"""Formance's ledger on PostgreSQL: an HTTP service, in which a round is one transaction of several postings.

The executable is not included; pass its path. The version must support atomic bulk transactions (2.2). The database
needs the extension pgcrypto, which the embedded PostgreSQL does not have.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx

from loadtest.peers.peer import OnPostgres, SettledRound, compared, open_to_transfers, transfers_of
from loadtest.peers.program import serving
from loadtest.traffic.target import conninfo_of
from shared.journal.entry import Account
from shared.local.ports import LOOPBACK, free_port

_LEDGER: Final = "/v2/pit"
_SECONDS: Final = 60.0
_PAGE: Final = 1000
_AT_ONCE: Final = 1000
_FEWEST: Final = {
    "MOVES_HISTORY": "OFF",
    "MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES": "DISABLED",
    "HASH_LOGS": "DISABLED",
    "ACCOUNT_METADATA_HISTORY": "DISABLED",
    "TRANSACTION_METADATA_HISTORY": "DISABLED",
}


class Formance(OnPostgres):
    """Stores rounds in a Formance ledger, with default features or without balance history and log hashes."""

    def __init__(self, program: Path, *, fewest: bool = False) -> None:
        """Set the executable; `fewest` turns off histories and log hashes."""
        self._program = program.resolve()
        self._features = _FEWEST if fewest else {}
        self.name = "Formance, fewest features" if fewest else "Formance"
        self.keeps = f"postings, balances{'' if fewest else ', log with hashes'}; no event, no outcome"

    def open(self, url: str, accounts: Sequence[Account]) -> None:
        """Start the service, and create a ledger, which creates accounts on first use."""
        self._url = url
        self._names = {account: f"pit:{number}" for number, account in enumerate(open_to_transfers(accounts))}
        self._directory = TemporaryDirectory()
        port = free_port()
        environment = {
            **os.environ,
            "POSTGRES_URI": conninfo_of(url),
            "BIND": f"{LOOPBACK}:{port}",
            "POSTGRES_MAX_IDLE_CONNS": "20",  # as many as open ones, else it reconnects for each request
            "AUTO_UPGRADE": "true",
            "BULK_MAX_SIZE": str(_AT_ONCE),
            "EXPERIMENTAL_FEATURES": "true" if self._features else "false",
        }
        self._server = serving(
            [self._program, "serve"], port, directory=Path(self._directory.name), environment=environment
        )
        self._http = httpx.Client(base_url=f"http://{LOOPBACK}:{port}", timeout=_SECONDS, trust_env=False)
        self._ask("POST", _LEDGER, {"features": self._features})

    def write(self, rounds: Sequence[SettledRound]) -> None:
        """Post rounds as one atomic batch of transactions."""
        transactions = [
            {"postings": postings, "metadata": {}, "force": True} for one in rounds if (postings := self._postings(one))
        ]
        if len(transactions) == 1:
            self._ask("POST", f"{_LEDGER}/transactions", transactions[0])
        elif transactions:
            elements = [{"action": "CREATE_TRANSACTION", "data": each} for each in transactions]
            self._ask("POST", f"{_LEDGER}/_bulk?atomic=true", elements)

    def wrong(self, rounds: Sequence[SettledRound]) -> str | None:
        """Return a message on wrong account balances, or None."""
        names = {name: account for account, name in self._names.items()}
        return compared(Counter({names[each["account"]]: int(each["balance"]) for each in self._volumes()}), rounds)

    def close(self) -> None:
        """Stop the service."""
        self._http.close()
        self._server.stop()
        self._directory.cleanup()

    def _volumes(self) -> Iterator[Mapping[str, Any]]:
        page = self._ask("GET", f"{_LEDGER}/volumes?pageSize={_PAGE}")["cursor"]
        yield from page["data"]
        while page["hasMore"]:
            page = self._ask("GET", f"{_LEDGER}/volumes?cursor={page['next']}")["cursor"]
            yield from page["data"]

    def _postings(self, one: SettledRound) -> list[dict[str, Any]]:
        """Return the transfers of a round, with the debited account as destination."""
        return [
            {
                "source": self._names[transfer.credited],
                "destination": self._names[transfer.debited],
                "amount": transfer.cents,
                "asset": "USD/2",
            }
            for transfer in transfers_of(one)
        ]

    def _ask(self, method: str, path: str, content: Any = None) -> Any:
        """Return the service's decoded response. Raises: httpx.HTTPStatusError with the response text."""
        answer = self._http.request(method, path, json=content)
        if answer.is_error:
            raise httpx.HTTPStatusError(answer.text, request=answer.request, response=answer)
        return answer.json() if answer.content else None
