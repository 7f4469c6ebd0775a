"""The facts that the wagering accounts of a casino publish: openings, buy-ins, wagers and payments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from loadtest.floor.electronic import BUY_IN_CENTS, account_money
from loadtest.floor.floor_day import Dealt
from loadtest.traffic.casino import Casino
from loadtest.traffic.journal import DESK, RECORDED, Journal, Published
from shared.contracts.accounts import (
    AboutAccount,
    AccountBoughtIn,
    AccountCashedOut,
    AccountMovement,
    AccountOpened,
    AccountResult,
    AccountsFact,
    CapturedHold,
    EndedHold,
    RoundCaptured,
    WagerAuthorized,
    WagersSettled,
)
from shared.contracts.topics import ACCOUNTS

CASHIER, TABLE = "demo.cashier", "demo.table"

_PATRONS: Final = 3
"""Every `_PATRONS`th account belongs to a known patron."""
_VOUCHERS: Final = 10
"""Every `_VOUCHERS`th payment is a voucher that is never redeemed."""


@dataclass(frozen=True, slots=True)
class Funded:
    """A wager funded from an account, in a round from a pool, with authorized (`cents`), staked and credited cents."""

    account: str
    seat: int
    wager: str
    cents: int
    staked: int
    credited: int


def funded(dealt: Dealt) -> tuple[Funded, ...]:
    """Return the electronic wagers of a round from a pool; empty for most rounds."""
    found = []
    for part in dealt.data.account_funded:
        [money] = account_money(dealt.settlement, [dict(part)])
        found.append(Funded(part.account, part.seat, part.wager, part.cents, money.staked, money.credited))
    return tuple(found)


class AccountFacts:
    """Derives the facts of a casino's game accounts by round. An account belongs to one player, and stays open.

    `slot` is the placeholder for the table's name in the account names of the pool.
    """

    def __init__(self, where: Casino, slot: str) -> None:
        """Initialize without accounts."""
        assert ACCOUNTS.publisher is not None
        self._journal = Journal(ACCOUNTS.publisher)
        self._slot = slot
        self._property = where.property.property
        self._shard = {plan.name: number % DESK for number, plan in enumerate(where.plans)}
        self._tables: dict[str, str] = {}
        self._balances: dict[str, int] = {}
        self._versions: dict[str, int] = {}
        self._holds = 0
        self._paid = 0

    def of_round(
        self, about: Mapping[str, Any], parts: tuple[Funded, ...], opened_at: datetime, closed_at: datetime
    ) -> Iterator[Published]:
        """Yield the facts of a round with electronic wagers: buy-ins as needed, holds, capture, and results."""
        table, round_id = about["table"], about["round_id"]
        holds, results = [], []
        for number, part in enumerate(parts, 1):
            account = part.account.replace(self._slot, table)
            yield from self._ready(account, table, part.cents, opened_at)
            self._holds += 1
            hold = {"by": TABLE, "account": account, "hold": self._holds, "cents": part.cents}
            where = {"property": self._property, "table": table, "round_id": round_id}
            moved = self._moved(account, available_cents=-part.cents, held_cents=part.cents)
            said: dict[str, Any] = {**where, **hold, "seat": part.seat, "wager": part.wager}
            said |= {"round_version": number, "movements": (moved,)}
            yield self._entry(table, WagerAuthorized.construct_unvalidated(said), opened_at)
            holds.append(CapturedHold(account=account, hold=self._holds, cents=part.cents))
            results.append(
                AccountResult(
                    account=account,
                    staked_cents=part.staked,
                    credited_cents=part.credited,
                    released_cents=part.cents,
                )
            )
            self._balances[account] += part.credited - part.staked
        captured = tuple(self._moved(one.account, held_cents=-one.cents, staked_cents=one.cents) for one in holds)
        version = len(holds) + 1
        said = {"property": self._property, "by": TABLE, "table": table, "round_id": round_id, "round_version": version}
        said |= {"holds": tuple(holds), "movements": captured}
        yield self._entry(table, RoundCaptured.construct_unvalidated(said), opened_at + (closed_at - opened_at) / 4)
        ended = tuple(EndedHold(account=one.account, hold=one.hold, status="settled") for one in holds)
        movements = tuple(
            AccountMovement(
                account=one.account,
                table=table,
                available_cents=one.released_cents - one.staked_cents + one.credited_cents,
                staked_cents=-one.released_cents,
            )
            for one in results
        )
        said = {**about, "round_version": version + 1, "holds": ended, "accounts": tuple(results)}
        said |= {"movements": movements, "revision": 1}
        yield self._entry(table, WagersSettled.construct_unvalidated(said), closed_at + RECORDED)

    def pay_out(self, gaming_day: date, at: datetime) -> Iterator[Published]:
        """Yield the payments at the end of a day: every account is paid out, except each table's newest."""
        last = {table: account for account, table in self._tables.items()}
        for account, table in self._tables.items():
            cents = self._balances[account]
            if not cents or last[table] == account:
                continue
            self._paid += 1
            voucher = self._paid % _VOUCHERS == 0
            money: dict[str, Any] = {"instrument": "voucher" if voucher else "cash", "cents": cents, "closed": False}
            money["reference"] = f"V-{account}-{gaming_day:%Y%m%d}" if voucher else None
            moved = self._moved(account, available_cents=-cents)
            self._balances[account] = 0
            yield self._entry(
                table, AccountCashedOut.construct_unvalidated(self._at_cashier(account, money, moved)), at
            )

    def _ready(self, account: str, table: str, cents: int, at: datetime) -> Iterator[Published]:
        """Yield the facts that open an account at its first wager, and buy in if the balance is too small."""
        if account not in self._tables:
            self._tables[account], self._balances[account] = table, 0
            patron = f"P-{account}" if len(self._tables) % _PATRONS == 0 else None
            opened = {"property": self._property, "by": CASHIER, "account": account, "table": table, "patron": patron}
            yield self._journal.entry(
                DESK, AccountOpened.construct_unvalidated(opened), at, source=self._stream(account)
            )
        short = cents - self._balances[account]
        if short > 0:
            bought = -(-short // BUY_IN_CENTS) * BUY_IN_CENTS
            self._balances[account] += bought
            money = {"instrument": "cash", "cents": bought, "reference": None}
            moved = self._moved(account, available_cents=bought)
            yield self._entry(table, AccountBoughtIn.construct_unvalidated(self._at_cashier(account, money, moved)), at)

    def _at_cashier(self, account: str, money: Mapping[str, Any], moved: AccountMovement) -> dict[str, Any]:
        return {"property": self._property, "by": CASHIER, "account": account, **money, "movements": (moved,)}

    def _moved(self, account: str, **cents: int) -> AccountMovement:
        self._versions[account] = version = self._versions.get(account, 0) + 1
        return AccountMovement(account=account, table=self._tables[account], version=version, **cents)

    def _entry(self, table: str, fact: AccountsFact, at: datetime) -> Published:
        source = self._stream(fact.account) if isinstance(fact, AboutAccount) else None
        return self._journal.entry(self._shard[table], fact, at, source=source)

    def _stream(self, account: str) -> str:
        return f"/properties/{self._property}/accounts/{account}"
