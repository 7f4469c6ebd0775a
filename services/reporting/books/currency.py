"""Movements of currency: what persons paid into accounts and were paid from them, and large amounts at tables."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import text

from services.reporting.books.patrons import patrons_of
from services.reporting.books.reading import Books
from services.reporting.domain.federal.currency import CashMovement, Direction
from services.reporting.kit.figures import EntryRef

ACCOUNT_MEASURES: Final[dict[str, Direction]] = {"bought_in_cents": "in", "cashed_out_cents": "out"}
"""The measures of currency into accounts and out of them (services.reporting.books.accounts)."""

CASH: Final = "cash"
"""The instrument of accounts that is currency."""

_AT_TABLES: Final = "sold_for_currency_cents"

_MOVED: Final = text("""
    SELECT a.measure, a.value, a.gaming_day, a.table_name, a.service, a.shard, a.seq, f.occurred_at,
           f.data ->> 'account' AS account
    FROM reporting.amounts a JOIN reporting.facts f USING (service, shard, seq)
    WHERE a.property = :property AND a.gaming_day BETWEEN :first AND :last AND a.recorded_at <= :known_at
      AND (a.measure = ANY(:of_accounts) AND a.item = :cash OR a.measure = :at_tables AND a.value >= :least_cents)
    ORDER BY f.occurred_at, a.service, a.shard, a.seq""")


@dataclass(frozen=True, slots=True)
class Moved:
    """A movement of currency, and the entry that records it."""

    movement: CashMovement
    entry: EntryRef


@dataclass(frozen=True, slots=True)
class MovedCurrency:
    """Movements of currency by moment, and what went into accounts and out of them in the question's days, cents.

    Movements are those of persons who moved a large amount in a gaming day, in or out; the sums are of all.
    """

    moved: tuple[Moved, ...]
    accounts_cents: Mapping[Direction, int]


async def moved_currency(books: Books, first: date, *, person_cents: int, table_cents: int) -> MovedCurrency:
    """Return what moved from a gaming day to the last of the question, as far as it is large.

    A person's gaming day is, where it comes to `person_cents` in or out. At tables nobody is known who buys chips:
    each amount stands alone, and is large from `table_cents` on. An account of no known patron stands for whoever moves
    currency in it.
    """
    measures = {"of_accounts": list(ACCOUNT_MEASURES), "cash": CASH, "at_tables": _AT_TABLES}
    rows = await books.read(_MOVED, first=first, last=books.question.last, least_cents=table_cents, **measures)
    patrons = await patrons_of(books, (row.account for row in rows if row.account))
    sums: Counter[tuple[str, date, Direction]] = Counter()
    accounts_cents: Counter[Direction] = Counter()
    for row in rows:
        if row.account is not None:
            direction = ACCOUNT_MEASURES[row.measure]
            sums[_person(row, patrons), row.gaming_day, direction] += int(row.value)
            if row.gaming_day >= books.question.first:
                accounts_cents[direction] += int(row.value)
    large = {(person, day) for (person, day, _), cents in sums.items() if cents >= person_cents}
    moved = (
        _moved(books.question.property, row, None if row.account is None else _person(row, patrons))
        for row in rows
        if row.account is None or (_person(row, patrons), row.gaming_day) in large
    )
    return MovedCurrency(tuple(moved), accounts_cents)


def _person(row: Any, patrons: Mapping[str, str]) -> str:
    return patrons.get(row.account) or f"account {row.account}"


def _moved(property_name: str, row: Any, person: str | None) -> Moved:
    entry = EntryRef(row.service, row.shard, row.seq)
    direction = ACCOUNT_MEASURES.get(row.measure, "in")
    movement = CashMovement(
        patron=person,
        property=property_name,
        gaming_day=row.gaming_day,
        moment=row.occurred_at,
        direction=direction,
        cents=int(row.value),
        kind="chips for currency" if person is None else "buy-in" if direction == "in" else "cash-out",
        department="table" if person is None else "account",
        place=row.table_name or "wallet",
        reference=f"{entry.service}/{entry.shard}/{entry.seq}",
    )
    return Moved(movement, entry)
