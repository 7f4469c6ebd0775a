"""Movements of currency: what persons paid into accounts and were paid from them, and large amounts at tables."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from services.reporting.books.patrons import patrons_of
from services.reporting.books.reading import Books
from services.reporting.domain.federal.currency import CashMovement, Department, Direction
from services.reporting.kit.figures import EntryRef

ACCOUNT_MEASURES: Final[dict[str, Direction]] = {"bought_in_cents": "in", "cashed_out_cents": "out"}
"""The measures of currency into accounts and out of them (services.reporting.books.accounts)."""

CASH: Final = "cash"
"""The instrument of accounts that is currency."""

_AT_TABLES: Final = "sold_for_currency_cents"

_MOVED: Final = """
    SELECT a.measure, a.value, a.gaming_day, a.table_name, a.service, a.shard, a.seq, f.occurred_at,
           f.data ->> 'account' AS account
    FROM reporting.amounts a JOIN reporting.facts f USING (service, shard, seq)
    WHERE a.property = :property AND a.gaming_day BETWEEN :first AND :last AND a.recorded_at <= :known_at
      AND (a.measure = ANY(:of_accounts) AND a.item = :cash OR a.measure = :at_tables AND a.value >= :least_cents)
    ORDER BY f.occurred_at, a.service, a.shard, a.seq"""


@dataclass(frozen=True, slots=True)
class Moved:
    """A movement of currency, and the entry that records it."""

    movement: CashMovement
    entry: EntryRef


async def moved_currency(books: Books, first: date, least_cents: int) -> list[Moved]:
    """Return what moved from a gaming day to the last of the question, by moment.

    At tables nobody is known who buys chips: those amounts stand alone, and only from `least_cents` on they are read.
    An account that is no known patron's stands for whoever moves currency in it.
    """
    measures = {"of_accounts": list(ACCOUNT_MEASURES), "cash": CASH, "at_tables": _AT_TABLES}
    rows = await books.rows(_MOVED, first=first, least_cents=least_cents, **measures)
    patrons = await patrons_of(books, (row.account for row in rows if row.account))
    found = []
    for row in rows:
        entry = EntryRef(row.service, row.shard, row.seq)
        direction: Direction = ACCOUNT_MEASURES.get(row.measure, "in")
        department: Department = "table" if row.account is None else "account"
        movement = CashMovement(
            patron=None if row.account is None else patrons.get(row.account, f"account {row.account}"),
            property=books.question.property,
            gaming_day=row.gaming_day,
            moment=row.occurred_at,
            direction=direction,
            cents=int(row.value),
            kind="chips for currency" if row.account is None else "buy-in" if direction == "in" else "cash-out",
            department=department,
            place=row.table_name or "wallet",
            reference=f"{entry.service}/{entry.shard}/{entry.seq}",
        )
        found.append(Moved(movement, entry))
    return found
