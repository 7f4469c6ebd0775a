"""The accounts that hold money: how much, since when nothing moved, at which table; and vouchers that are out."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.reporting.books.reading import Books
from services.reporting.kit.document import Column, Filled, Mark, Section, fill
from services.reporting.kit.figures import NOTHING, Cell, Figure, Value


@dataclass(frozen=True, slots=True)
class Account:
    """A wallet, or the game account of a session at a table, with what it holds and when anything last moved it."""

    name: str
    table: str | None
    balance: Figure
    last_moved: date

    @property
    def kind(self) -> str:
        """Return `wallet` or `game account`."""
        return "wallet" if self.table is None else "game account"

    def idle_days(self, day: date) -> int:
        """Return on how many gaming days up to and with one nothing has moved it."""
        return (day - self.last_moved).days


async def tables_of_accounts(books: Books) -> dict[str, str]:
    """Return the table of each game account, whenever it was opened."""
    opened = await books.amounts(("accounts_opened",), ("item", "table_name"), first=date.min)
    return {key[0]: key[1] for key in opened}


async def standing(books: Books) -> list[Account]:
    """Return the accounts that hold money at the end of the question's last gaming day, by name."""
    balances = await books.amounts(("account_balance_cents",), ("item",), first=date.min)
    moved = await books.amounts(("account_movements",), ("item", "gaming_day"), first=date.min)
    last = {account: date.fromisoformat(day) for account, day in sorted(moved)}
    tables = await tables_of_accounts(books)
    return [
        Account(name, tables.get(name), measures["account_balance_cents"], last[name])
        for (name,), measures in sorted(balances.items(), key=lambda one: one[0])
    ]


DORMANT: Final = Section(
    name="dormant",
    title="Dormant accounts",
    key=("account",),
    columns=(
        Column(name="account", title="Account", formula="whose it is, the accounts service says"),
        Column(name="kind", title="Kind"),
        Column(name="table", title="Table"),
        Column(name="balance_cents", title="Balance", unit="cents", added=True),
        Column(name="last_moved", title="Last movement", unit="day"),
        Column(name="idle_days", title="Idle days", unit="count", formula="since the last movement"),
    ),
)


def dormant(books: Books, accounts: Iterable[Account]) -> Filled:
    """Return the accounts that hold money and that nothing has moved for as long as the property says."""
    limit, day = books.place.document.account_dormant_days, books.question.last
    return fill(
        DORMANT,
        (
            {
                "account": one.name,
                "kind": one.kind,
                "table": one.table,
                "balance_cents": one.balance,
                "last_moved": one.last_moved,
                "idle_days": one.idle_days(day),
            }
            for one in accounts
            if limit is not None and one.idle_days(day) >= limit
        ),
    )


def marks_of_dormancy(books: Books) -> tuple[Mark, ...]:
    """Return a mark where the property does not say when an account is dormant."""
    if books.place.document.account_dormant_days is not None:
        return ()
    note = "the property does not say after how many days an account is dormant: none is listed as dormant"
    return (Mark("dormant accounts", "account_dormant_days of the property", note),)


VOUCHERS: Final = Section(
    name="vouchers",
    title="Vouchers outstanding",
    key=("gaming_day", "reference"),
    columns=(
        Column(name="gaming_day", title="Issued on", unit="day"),
        Column(name="reference", title="Voucher"),
        Column(name="issued_cents", title="Issued", unit="cents", added=True),
        Column(
            name="redeemed_cents", title="Redeemed", unit="cents", added=True, formula="into accounts of the tables"
        ),
        Column(name="outstanding_cents", title="Outstanding", unit="cents", added=True, formula="issued - redeemed"),
        Column(name="age_days", title="Age in days", unit="count"),
    ),
)


async def vouchers(books: Books) -> Filled:
    """Return the vouchers that accounts were paid out with and that did not all come back, by issue day and number."""
    issued = await books.amounts(("voucher_issued_cents",), ("item", "gaming_day"), first=date.min)
    redeemed = await books.amounts(("voucher_redeemed_cents",), ("item",), first=date.min)
    rows: list[dict[str, Value | Figure | Cell]] = []
    seen: set[str] = set()
    for (reference, day), measures in sorted(issued.items(), key=lambda one: (one[0][1], one[0][0])):
        out = measures["voucher_issued_cents"]
        back = (
            redeemed.get((reference,), {}).get("voucher_redeemed_cents", NOTHING) if reference not in seen else NOTHING
        )
        seen.add(reference)
        if out.value == back.value:
            continue
        issued_on = date.fromisoformat(day)
        rows.append(
            {
                "gaming_day": issued_on,
                "reference": reference,
                "issued_cents": out,
                "redeemed_cents": back,
                "outstanding_cents": out - back,
                "age_days": (books.question.last - issued_on).days,
            }
        )
    return fill(VOUCHERS, rows)
