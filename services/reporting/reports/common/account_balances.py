"""Accounts with money (balance, last movement, table), and outstanding vouchers."""

from datetime import date, timedelta
from typing import Final

from services.reporting.framework.document import Column, Filled, Mark, Section, fill
from services.reporting.read_model.reading import Books

WALLET: Final = "wallet"
GAME_ACCOUNT: Final = "game account"


def kind_of(table: str) -> str:
    """Return the kind of an account: a game account if it has a table, else a wallet."""
    return GAME_ACCOUNT if table else WALLET


DORMANT: Final = Section(
    name="dormant",
    title="Dormant accounts",
    key=("account",),
    columns=(
        Column(name="account", title="Account", formula="account name; only the accounts service knows the owner"),
        Column(name="kind", title="Kind"),
        Column(name="table", title="Table"),
        Column(name="balance_cents", title="Balance", unit="cents", added=True),
        Column(name="last_moved", title="Last movement", unit="day"),
        Column(name="idle_days", title="Idle days", unit="count", formula="days since the last movement"),
    ),
)


async def dormant(books: Books) -> Filled:
    """Return the accounts with money that had no movement during the property's dormancy period."""
    days, day = books.place.document.account_dormant_days, books.question.last
    if days is None:
        return fill(DORMANT, ())
    since = day - timedelta(days=days)
    balances = await books.amounts(("account_balance_cents",), ("item", "table_name"), first=date.min)
    names = [account for account, _ in balances]
    active = await books.amounts(("account_movements",), ("item",), first=since + timedelta(days=1), items=names)
    idle = [account for account in names if (account,) not in active]
    moved = await books.amounts(("account_movements",), ("item", "gaming_day"), first=date.min, last=since, items=idle)
    last = {account: date.fromisoformat(moved_on) for account, moved_on in sorted(moved)}
    return fill(
        DORMANT,
        (
            {
                "account": account,
                "kind": kind_of(table),
                "table": table or None,
                "balance_cents": measures["account_balance_cents"],
                "last_moved": last[account],
                "idle_days": (day - last[account]).days,
            }
            for (account, table), measures in sorted(balances.items(), key=lambda one: one[0])
            if account in last
        ),
    )


def marks_of_dormancy(books: Books) -> tuple[Mark, ...]:
    """Return a remark if the property does not define when accounts become dormant."""
    if books.place.document.account_dormant_days is not None:
        return ()
    note = "the property sets no number of days after which an account is dormant, so none is listed"
    return (Mark("dormant accounts", "account_dormant_days of the property", note),)


VOUCHERS: Final = Section(
    name="vouchers",
    title="Vouchers outstanding",
    key=("reference",),
    columns=(
        Column(name="issued_on", title="Issued on", unit="day"),
        Column(name="reference", title="Voucher", formula="empty: all vouchers issued without a reference"),
        Column(
            name="outstanding_cents",
            title="Outstanding",
            unit="cents",
            added=True,
            formula="paid out of accounts by the voucher - redeemed into accounts",
        ),
        Column(name="age_days", title="Age in days", unit="count"),
    ),
)


async def vouchers(books: Books) -> Filled:
    """Return the section of outstanding vouchers issued by accounts, ordered by issue day and reference."""
    found = await books.amounts(("voucher_cents",), ("item",), first=date.min)
    out = {
        item: measures["voucher_cents"] for (item,), measures in found.items() if measures["voucher_cents"].value > 0
    }
    days = await books.amounts(("voucher_cents",), ("item", "gaming_day"), first=date.min, items=list(out))
    issued: dict[str, date] = {}
    for reference, day in sorted(days):
        issued.setdefault(reference, date.fromisoformat(day))
    return fill(
        VOUCHERS,
        (
            {
                "issued_on": day,
                "reference": reference,
                "outstanding_cents": out[reference],
                "age_days": (books.question.last - day).days,
            }
            for reference, day in sorted(issued.items(), key=lambda one: (one[1], one[0]))
        ),
    )
