"""Electronic wagers of a simulated day: game accounts are opened, funded, and debited before each round ends.

An electronic table authorizes and captures its wagers over HTTP before it sends the record of the round. The records of
other tables are not delayed.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from random import Random
from threading import local
from typing import Any, Final
from urllib.parse import urlsplit

from loadtest.floor.game import TablePlan
from loadtest.floor.messages import Message
from shared.rules import Settlement

BUY_IN_CENTS: Final = 100_00
"""The amount of each buy-in in cents; a player buys in again when the balance is too small."""

_AT_ONCE: Final = 32
"""The number of concurrent commands; the service commits many of them in one transaction."""

_SECONDS: Final = 60.0


class AccountsRefused(Exception):
    """The wagering accounts service refused a command."""


@dataclass(frozen=True, slots=True)
class AccountMoney:
    """The effect, in cents, of a wager on the account that funded it."""

    account: str
    staked: int
    credited: int


def account_money(settlement: Settlement, funded: Sequence[Mapping[str, Any]]) -> list[AccountMoney]:
    """Return the debits and credits of a round's account-funded wagers, without meter awards, which are hand-paid."""
    found = []
    for part in funded:
        left, staked, credited = part["cents"], 0, 0
        for line in settlement.lines:
            if (line.seat, line.wager) != (part["seat"], part["wager"]) or not line.stake:
                continue
            electronic = min(left, line.stake)
            left -= electronic
            if line.outcome != "void":
                staked += electronic
                won = line.payout - line.from_meter + line.stake_returned - line.vigorish
                credited += won * electronic // line.stake
        found.append(AccountMoney(part["account"], staked, credited))
    return found


def electronic_tables(plans: Iterable[TablePlan]) -> frozenset[str]:
    """Return the names of the tables that offer electronic wagers."""
    found = set()
    for plan in plans:
        taken = plan.kind.open_table(plan.submission, Random(plan.name)).side_bets
        if plan.kind.electronic & taken.keys():
            found.add(plan.name)
    return frozenset(found)


@dataclass(slots=True)
class Money:
    """The expected totals of all accounts in cents; `accounts` and `authorized` are counts."""

    accounts: int = 0
    authorized: int = 0
    bought_in: int = 0
    staked: int = 0
    credited: int = 0
    cashed_out: int = 0
    granted: int = 0

    @property
    def liability(self) -> int:
        """Return the expected liability to players, in cents."""
        return self.bought_in - self.staked + self.credited - self.cashed_out + self.granted


@dataclass(slots=True)
class _Account:
    """A game account, in cents: `sure` is the balance without pending winnings, `balance` that after all results.

    `ready` is the future of the last buy-in.
    """

    table: str
    sure: int = 0
    balance: int = 0
    ready: "Future[None] | None" = None
    buy_ins: int = 0


@dataclass(frozen=True, slots=True)
class Desk:
    """Access to the wagering accounts service of a running stack, with the tokens of a cashier and of a table."""

    url: str
    cashier_token: str
    table_token: str


@dataclass(slots=True)
class ElectronicTables:
    """Places the electronic wagers of a property's tables from players' game accounts."""

    desk: Desk
    property: str
    tables: frozenset[str]
    money: Money = field(default_factory=Money)
    _accounts: dict[str, _Account] = field(default_factory=dict)
    _connections: local = field(default_factory=local)
    _open: list[HTTPConnection] = field(default_factory=list)

    def funded(self, messages: Iterable[Message]) -> Iterator[Message]:
        """Yield the messages, an electronic table's message only once its wagers are authorized.

        Raises: AccountsRefused.
        """
        waiting: dict[str, deque[tuple[Message, Future[None] | None]]] = {table: deque() for table in self.tables}
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            for message in messages:
                queue = waiting.get(message.table)
                if queue is None:
                    yield message
                    continue
                queue.append((message, self._wagered(message, pool)))
                while queue and ((authorized := queue[0][1]) is None or authorized.done()):
                    yield _released(queue)
            for queue in waiting.values():
                while queue:
                    yield _released(queue)
        finally:
            pool.shutdown(cancel_futures=True)  # if the day is aborted, pending commands are cancelled
            self._hang_up()

    def cash_out(self) -> None:
        """Pay out all accounts, except the newest account of each table, once all results are known."""
        last = {account.table: name for name, account in self._accounts.items()}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            leaving = [name for name, account in self._accounts.items() if last[account.table] != name]
            for name, _ in zip(leaving, pool.map(self._pay, leaving), strict=True):
                self.money.cashed_out += self._accounts[name].balance
                self._accounts[name].balance = 0
        self._hang_up()

    def balances(self) -> Mapping[str, int]:
        """Return the expected balance of each account, in cents."""
        return {name: account.balance for name, account in self._accounts.items()}

    def _wagered(self, message: Message, pool: ThreadPoolExecutor) -> "Future[None] | None":
        if not message.books:
            return None
        data = json.loads(message.value)["data"]
        funded = data.get("account_funded", [])
        if not funded:
            return None
        ready = {self._prepared(message.table, part["account"], part["cents"], pool) for part in funded}
        for one in account_money(message.books[-1][1], funded):
            self.money.staked += one.staked
            self.money.credited += one.credited
            self._accounts[one.account].balance += one.credited - one.staked
        self.money.authorized += len(funded)
        return pool.submit(self._play, data, funded, ready)

    def _prepared(self, table: str, name: str, cents: int, pool: ThreadPoolExecutor) -> "Future[None]":
        """Reserve a wager's amount; return a future that is done once the account's buy-ins cover it."""
        account = self._accounts.get(name)
        if account is None:
            account = self._accounts[name] = _Account(table)
            self.money.accounts += 1
        if account.sure < cents:
            account.buy_ins += 1
            account.sure += BUY_IN_CENTS
            account.balance += BUY_IN_CENTS
            self.money.bought_in += BUY_IN_CENTS
            account.ready = pool.submit(self._buy_in, name, table, account.buy_ins, account.ready)
        account.sure -= cents
        assert account.ready is not None
        return account.ready

    # --- work of the pool's threads; a task waits only for tasks submitted before it ---

    def _buy_in(self, name: str, table: str, number: int, before: "Future[None] | None") -> None:
        token = self.desk.cashier_token
        if before is None:
            opened = {"property": self.property, "account": name, "table": table}
            self._post("/accounts", opened, f"open.{name}", token)
        else:
            before.result()
        money = {"instrument": "cash", "cents": BUY_IN_CENTS}
        self._post(f"/accounts/{self.property}/{name}/buy-ins", money, f"buy-in.{name}.{number}", token)

    def _play(self, data: Mapping[str, Any], funded: Sequence[Mapping[str, Any]], ready: "set[Future[None]]") -> None:
        for one in ready:
            one.result()
        table, round_id, token = data["table"], data["round_id"], self.desk.table_token
        for part in funded:
            hold = {"table": table, "round_id": round_id} | {name: part[name] for name in ("seat", "wager", "cents")}
            key = f"hold.{round_id}.{part['seat']}.{part['wager']}"
            self._post(f"/accounts/{self.property}/{part['account']}/holds", hold, key, token)
        over = {"property": self.property, "table": table, "round_id": round_id}
        self._post("/captures", over, f"capture.{round_id}", token)

    def _pay(self, name: str) -> None:
        paid = {"instrument": "cash", "close": True}
        path = f"/accounts/{self.property}/{name}/cash-outs"
        self._post(path, paid, f"cash-out.{name}", self.desk.cashier_token)

    def _post(self, path: str, document: Mapping[str, Any], key: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key, "Content-Type": "application/json"}
        connection = self._connection()
        for again in (True, False):  # the service closes idle connections; the idempotency key makes a retry safe
            try:
                connection.request("POST", path, json.dumps(document), headers)
                response = connection.getresponse()
                body = response.read()
                break
            except (OSError, HTTPException) as error:
                connection.close()
                if not again:
                    raise AccountsRefused(f"POST {path}: {error}") from error
        if response.status >= 400:
            raise AccountsRefused(f"POST {path} answered {response.status}: {body.decode(errors='replace')}")

    def _connection(self) -> HTTPConnection:
        """Return the HTTP connection of the current thread."""
        found = getattr(self._connections, "http", None)
        if found is None:
            found = self._connections.http = HTTPConnection(urlsplit(self.desk.url).netloc, timeout=_SECONDS)
            self._open.append(found)
        assert isinstance(found, HTTPConnection)
        return found

    def _hang_up(self) -> None:
        """Close the connections of all threads."""
        while self._open:
            self._open.pop().close()


def _released(queue: "deque[tuple[Message, Future[None] | None]]") -> Message:
    message, authorized = queue.popleft()
    if authorized is not None:
        authorized.result()
    return message
