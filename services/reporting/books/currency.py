"""Movements of currency: of persons in accounts, at the cage and at tables, and large amounts of nobody known."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal

from sqlalchemy import text

from services.reporting.books.patrons import patrons_of
from services.reporting.books.reading import Books
from services.reporting.domain.federal.currency import CashMovement, Department, Direction
from services.reporting.kit.figures import EntryRef, Figure

ACCOUNT_MEASURES: Final[dict[str, Direction]] = {"bought_in_cents": "in", "cashed_out_cents": "out"}
"""The measures of currency into accounts and out of them (services.reporting.books.accounts)."""

CAGE_MEASURES: Final[dict[str, Direction]] = {
    "cage_in_cents": "in",
    "cage_out_cents": "out",
    "instruments_in_cents": "in",
    "instruments_out_cents": "out",
}
"""The measures of what is moved at the cage, by person (services.reporting.books.cage)."""

BOUGHT: Final = "patron_bought_cents"
"""The measure of chips that known persons bought at tables for currency."""

CASH: Final = "cash"
"""The instrument of accounts that is currency."""

_AT_TABLES: Final = "sold_for_currency_cents"

_MOVED: Final = text("""
    SELECT a.measure, a.value, a.item, a.gaming_day, a.table_name, a.service, a.shard, a.seq, f.kind, f.occurred_at,
           f.data ->> 'account' AS account, f.data ->> 'kind' AS what, f.data ->> 'window' AS "window",
           CAST(coalesce(f.data ->> 'number', f.data ->> 'step') AS bigint) AS number,
           CAST(f.data ->> 'voids' AS bigint) AS voids
    FROM reporting.amounts a JOIN reporting.facts f USING (service, shard, seq)
    WHERE a.property = :property AND a.gaming_day BETWEEN :first AND :last AND a.recorded_at <= :known_at
      AND (a.measure = ANY(:of_accounts) AND a.item = :cash OR a.measure = ANY(:of_persons)
           OR a.measure = :at_tables AND a.value >= :least_cents AND f.data #>> '{data,patron}' IS NULL)
    ORDER BY f.occurred_at, a.service, a.shard, a.seq""")


_SOLD_TO_NOBODY_KNOWN: Final = text("""
    SELECT a.gaming_day, count(*) AS movements, sum(a.value) AS cents,
           array_agg(a.service) AS services, array_agg(a.shard) AS shards, array_agg(a.seq) AS seqs
    FROM unnest(CAST(:days AS date[]), CAST(:least_cents AS bigint[])) AS t(gaming_day, least_cents)
    JOIN reporting.amounts a ON a.property = :property AND a.gaming_day = t.gaming_day AND a.measure = :at_tables
        AND a.value >= t.least_cents AND a.value < :below_cents AND a.recorded_at <= :known_at
    WHERE NOT EXISTS (  -- the same entry says who bought, where that is known
        SELECT FROM reporting.amounts b
        WHERE b.property = a.property AND b.gaming_day = a.gaming_day AND b.measure = :bought
          AND b.service = a.service AND b.shard = a.shard AND b.seq = a.seq)
    GROUP BY a.gaming_day ORDER BY a.gaming_day""")


@dataclass(frozen=True, slots=True)
class Moved:
    """A movement of currency, and the entry that records it."""

    movement: CashMovement
    entry: EntryRef


@dataclass(frozen=True, slots=True)
class MovedCurrency:
    """Movements of currency by moment, and what the question's days come to by measure, what is void taken off; cents.

    Movements are those of persons who moved a large amount in a gaming day, in or out; the sums are of all.
    """

    moved: tuple[Moved, ...]
    sums_cents: Mapping[str, int]


async def sold_to_nobody_known(
    books: Books, least_cents: Mapping[date, int], *, below_cents: int
) -> dict[date, tuple[Figure, Figure]]:
    """Return how many sales of chips for currency to nobody known there were at tables, and what they come to, by day.

    Those of `least_cents` of their gaming day or more are added up, and below `below_cents`.
    """
    asked = {"days": list(least_cents), "least_cents": list(least_cents.values()), "below_cents": below_cents}
    found = {}
    for row in await books.read(_SOLD_TO_NOBODY_KNOWN, at_tables=_AT_TABLES, bought=BOUGHT, **asked):
        because = tuple(map(EntryRef, row.services, row.shards, row.seqs))
        found[row.gaming_day] = Figure(row.movements, because), Figure(int(row.cents), because)
    return found


async def moved_in_days(books: Books) -> dict[tuple[date, Department], dict[Direction, Figure]]:
    """Return the currency that moved in and out on each of the question's gaming days, by department."""
    sides: dict[str, tuple[Department, Direction]] = {
        "cage_in_cents": ("cage", "in"),
        "cage_out_cents": ("cage", "out"),
        _AT_TABLES: ("table", "in"),
        **{name: ("account", way) for name, way in ACCOUNT_MEASURES.items()},
    }
    known = [await books.amounts(tuple(ACCOUNT_MEASURES), ("gaming_day", "item"), items=(CASH,))]
    known.append(await books.amounts(("cage_in_cents", "cage_out_cents", _AT_TABLES), ("gaming_day",)))
    found: dict[tuple[date, Department], dict[Direction, Figure]] = {}
    for by, measures in (each for one in known for each in one.items()):
        for name, figure in measures.items():
            department, direction = sides[name]
            found.setdefault((date.fromisoformat(by[0]), department), {})[direction] = figure
    return found


async def moved_currency(books: Books, first: date, *, person_cents: int, table_cents: int) -> MovedCurrency:
    """Return what moved from a gaming day to the last of the question, as far as it is large.

    A person's gaming day is, where it comes to `person_cents` in or out, over accounts, cage and tables. Where nobody
    is known, each amount stands alone, and is large from `table_cents` on. An account of no known patron stands for
    whoever moves currency in it. What is void was no movement.
    """
    persons = [*CAGE_MEASURES, BOUGHT]
    measures = {"of_accounts": list(ACCOUNT_MEASURES), "of_persons": persons, "cash": CASH, "at_tables": _AT_TABLES}
    rows = await books.read(_MOVED, first=first, last=books.question.last, least_cents=table_cents, **measures)
    patrons = await patrons_of(books, (row.account for row in rows if row.account))
    sums_cents: Counter[str] = Counter()
    for row in rows:
        if row.gaming_day >= books.question.first:
            sums_cents[row.measure] += int(row.value)
    standing = [(row, _whose(row, patrons)) for row in _standing(rows)]
    days: Counter[tuple[str, date, str, Direction]] = Counter()
    for row, person in standing:
        if person is not None:
            days[person, row.gaming_day, _medium(row), _direction(row)] += int(row.value)
    large = {(person, day) for (person, day, _, _), cents in days.items() if cents >= person_cents}
    found = (
        _moved(books.question.property, row, person)
        for row, person in standing
        if (row.value >= table_cents if person is None else (person, row.gaming_day) in large)
    )
    return MovedCurrency(tuple(found), sums_cents)


def _standing(rows: Iterable[Any]) -> Iterator[Any]:
    """Give the movements that are not void."""
    listed = list(rows)
    void = {(row.kind.partition(".")[0], row.voids) for row in listed if row.voids is not None}
    for row in listed:
        if row.voids is None and (row.kind.partition(".")[0], row.number) not in void:
            yield row


def _whose(row: Any, patrons: Mapping[str, str]) -> str | None:
    """Return the person of a movement; None where nobody is known."""
    if row.measure in ACCOUNT_MEASURES:
        return patrons.get(row.account) or f"account {row.account}"
    return row.item or None


_DIRECTIONS: Final[Mapping[str, Direction]] = {**ACCOUNT_MEASURES, **CAGE_MEASURES}


def _direction(row: Any) -> Direction:
    return _DIRECTIONS.get(row.measure, "in")


def _medium(row: Any) -> Literal["currency", "instrument"]:
    return "instrument" if row.measure.startswith("instruments_") else "currency"


def _moved(property_name: str, row: Any, person: str | None) -> Moved:
    entry = EntryRef(row.service, row.shard, row.seq)
    department, direction = _department(row), _direction(row)
    movement = CashMovement(
        patron=person,
        property=property_name,
        gaming_day=row.gaming_day,
        moment=row.occurred_at,
        direction=direction,
        cents=int(row.value),
        kind=_kind(row, department, direction),
        department=department,
        place=row.table_name or row.window or ("wallet" if department == "account" else "cage"),
        reference=f"{entry.service}/{entry.shard}/{entry.seq}",
        medium=_medium(row),
    )
    return Moved(movement, entry)


def _department(row: Any) -> Department:
    if row.measure in ACCOUNT_MEASURES:
        return "account"
    return "cage" if row.measure in CAGE_MEASURES else "table"


def _kind(row: Any, department: Department, direction: Direction) -> str:
    match department:
        case "account":
            return "buy-in" if direction == "in" else "cash-out"
        case "cage":
            return "counter check" if row.what is None else str(row.what).replace("_", " ")
        case "table":
            return "chips for currency"
