"""Currency transactions of known persons at accounts, cage and tables, and large ones of unknown persons."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import text

from services.reporting.domain.federal.currency import CashMovement, Department
from services.reporting.framework.figures import EntryRef, Figure
from services.reporting.read_model.derived import stands
from services.reporting.read_model.patrons import OWNERS
from services.reporting.read_model.reading import Books
from services.reporting.read_model.statements import AMOUNTS, added_up
from shared.contracts.cage import INSTRUMENTS, Direction
from shared.contracts.instruments import Instrument, PassedInstrument

CASH_MEASURES: Final[dict[str, Direction]] = {"bought_in_cents": "in", "cashed_out_cents": "out"}
"""The measures of payments into and out of accounts, by instrument (services.reporting.read_model.accounts)."""

ACCOUNT_MEASURES: Final[dict[str, Direction]] = {"account_in_cents": "in", "account_out_cents": "out"}
"""The measures of currency paid into and out of accounts, by account."""

CAGE_MEASURES: Final[dict[str, Direction]] = {
    "cage_in_cents": "in",
    "cage_out_cents": "out",
    "instruments_in_cents": "in",
    "instruments_out_cents": "out",
}
"""The measures of transactions at the cage, by person (services.reporting.read_model.cage)."""

BOUGHT: Final = "patron_bought_cents"
"""The measure of chips that known persons bought at tables for currency."""

OTHERS_MEASURES: Final[dict[str, Direction]] = {"others_in_cents": "in", "others_out_cents": "out"}
"""The measures of currency that is also attributed to another person: to a beneficiary, or to the conductor."""

CASH: Final = "cash"
"""The instrument of accounts that is currency."""

_AT_TABLES: Final = "sold_for_currency_cents"

OF_PERSONS: Final[Mapping[str, Direction]] = {**ACCOUNT_MEASURES, **CAGE_MEASURES, BOUGHT: "in", **OTHERS_MEASURES}
"""The measures of persons' transactions, by account or person."""

_DAY_SIDES: Final[Mapping[str, tuple[Department, Direction]]] = {
    **{name: ("account", way) for name, way in CASH_MEASURES.items()},
    **{name: ("cage", way) for name, way in CAGE_MEASURES.items()},
    _AT_TABLES: ("table", "in"),
}
"""Department and direction of each measure that `moved_in_days` reads."""

_DEPARTMENTS: Final[Mapping[str, Department]] = {
    "account": "account",
    "cage": "cage",
    "counter_check": "cage",
    "pit": "table",
}
"""The department of a fact, by the first part of its kind."""

_UNKNOWN: Final = """NOT EXISTS (  -- the same entry says who bought, where that is known
        SELECT FROM reporting.amounts b
        WHERE b.property = a.property AND b.gaming_day = a.gaming_day AND b.measure = :bought
          AND b.service = a.service AND b.shard = a.shard AND b.seq = a.seq)"""

_MOVED: Final = text(
    """
    WITH owners AS ({owners}),
    days AS MATERIALIZED (  -- what is void is taken off
        SELECT d.gaming_day, d.measure, d.item, d.value, d.measure = ANY(:inward) AS inward,
               d.measure = ANY(:by_instrument) AS by_instrument,
               CASE WHEN d.measure = ANY(:of_accounts) THEN coalesce(o.patron, 'account ' || d.item)
                    ELSE d.item END AS person
        FROM ({amounts}) d
        LEFT JOIN owners o ON o.account = d.item AND d.measure = ANY(:of_accounts)
        WHERE d.item <> ''),
    large AS (
        SELECT DISTINCT person, gaming_day FROM (
            SELECT person, gaming_day FROM days GROUP BY person, gaming_day, inward, by_instrument
            HAVING sum(value) >= :person_cents OR person = ANY(:persons)) sums),
    wanted AS MATERIALIZED (
        SELECT DISTINCT gaming_day, measure, item, person FROM days JOIN large USING (person, gaming_day))
    SELECT m.service, m.shard, m.seq, m.measure, m.person, m.gaming_day, f.occurred_at, CAST(m.value AS bigint),
           m.table_name, f.data ->> 'window', f.data ->> 'kind', split_part(f.kind, '.', 1),
           CAST(coalesce(f.data ->> 'number', f.data ->> 'step') AS bigint), CAST(f.data ->> 'voids' AS bigint),
           f.who ->> 'conducted_by', coalesce(f.who ->> 'patron', f.who ->> 'drawer'), f.who -> 'on_behalf_of',
           f.is_money_play, coalesce(f.data ->> 'purpose', f.data ->> 'foreign_country'), f.data ->> 'by',
           f.data -> 'instrument'
    FROM (
        SELECT a.measure, a.value, a.gaming_day, a.table_name, a.service, a.shard, a.seq, w.person
        FROM (
            SELECT * FROM reporting.amounts
            WHERE property = :property AND gaming_day BETWEEN :first AND :last AND recorded_at <= :known_at
              AND measure = ANY(:measures) OFFSET 0) a
        LEFT JOIN wanted w USING (gaming_day, measure, item)
        WHERE w.person IS NOT NULL OR item = '' AND abs(a.value) >= :nobody_cents
        UNION ALL
        SELECT a.measure, a.value, a.gaming_day, a.table_name, a.service, a.shard, a.seq, NULL
        FROM reporting.amounts a
        WHERE a.property = :property AND a.gaming_day BETWEEN :first AND :last
          AND a.recorded_at <= :known_at AND a.measure = :at_tables AND {unknown}
          AND a.value >= CAST(:table_cents AS bigint)) m
    CROSS JOIN LATERAL (  -- OFFSET 0: few of all facts are looked up
        SELECT kind, occurred_at, CASE WHEN event IS NULL THEN data END AS data,
               coalesce(event = 'chips.sold' AND (data #>> '{data,money_play}')::boolean, false) AS is_money_play,
               CASE WHEN event IS NULL THEN data  -- what the pit reports is read only where others have a part in it
                    WHEN EXISTS (
                        SELECT FROM reporting.amounts b
                        WHERE b.service = m.service AND b.shard = m.shard AND b.seq = m.seq
                          AND b.measure = ANY(:of_others)) THEN data -> 'data' END AS who
        FROM reporting.facts
        WHERE service = m.service AND shard = m.shard AND seq = m.seq AND voids IS NULL AND {stands} OFFSET 0) f
    ORDER BY f.occurred_at, m.service, m.shard, m.seq""".replace("{owners}", OWNERS)
    .replace("{amounts}", added_up(AMOUNTS, ("gaming_day", "item")))
    .replace("{unknown}", _UNKNOWN)
    .replace("{stands}", stands())
)

_SUMS: Final = text("""
    SELECT measure, sum(value) AS cents FROM reporting.amounts
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND measure = ANY(:measures)
      AND recorded_at <= :known_at
    GROUP BY measure""")

_ALIKE: Final = text(
    """
    WITH owners AS ({owners}),
    persons AS (  -- of what is void nothing is left
        SELECT CASE WHEN a.measure = ANY(:of_accounts) THEN coalesce(o.patron, 'account ' || a.item)
                    ELSE a.item END AS person
        FROM reporting.amounts a LEFT JOIN owners o ON o.account = a.item AND a.measure = ANY(:of_accounts)
        WHERE a.property = :property AND a.gaming_day BETWEEN :first AND :last AND a.measure = ANY(:measures)
          AND a.recorded_at <= :known_at AND a.item <> ''
        GROUP BY 1, a.measure HAVING sum(a.value) <> 0)
    SELECT array_agg(DISTINCT person ORDER BY person) AS names FROM persons
    GROUP BY lower(person) HAVING count(DISTINCT person) > 1 ORDER BY names""".replace("{owners}", OWNERS)
)

_SOLD_TO_NOBODY_KNOWN: Final = text(
    """
    SELECT a.gaming_day, count(*) AS movements, sum(a.value) AS cents,
           array_agg(a.service) AS services, array_agg(a.shard) AS shards, array_agg(a.seq) AS seqs
    FROM unnest(CAST(:days AS date[]), CAST(:least_cents AS bigint[])) AS t(gaming_day, least_cents)
    JOIN reporting.amounts a ON a.property = :property AND a.gaming_day = t.gaming_day AND a.measure = :at_tables
        AND a.value >= t.least_cents AND a.recorded_at <= :known_at
    JOIN reporting.facts f ON f.service = a.service AND f.shard = a.shard AND f.seq = a.seq
    WHERE {unknown} AND {stands}
    GROUP BY a.gaming_day ORDER BY a.gaming_day""".replace("{unknown}", _UNKNOWN).replace("{stands}", stands("f"))
)


class _Row(NamedTuple):
    """A row of the query `_MOVED`; `patron` is the owner of the account, or the person at the cage or the table.

    `specified` and `by` are set for the cage only. `instrument` is the description of a monetary instrument at the
    cage, or the name of the means of payment at an account. `voids` is the number of the voided entry in the row's
    `series`; None if the row is not a void.
    """

    service: str
    shard: int
    seq: int
    measure: str
    person: str | None
    gaming_day: date
    moment: datetime
    cents: int
    table: str
    window: str | None
    what: str | None
    series: str
    number: int | None
    voids: int | None
    conducted_by: str | None
    patron: str | None
    on_behalf_of: list[str] | None
    is_money_play: bool
    specified: str | None
    by: str | None
    instrument: dict[str, Any] | str | None


async def sold_to_nobody_known(books: Books, least_cents: Mapping[date, int]) -> dict[date, tuple[Figure, Figure]]:
    """Return number and sum (cents) of chip sales for currency to unknown persons at tables, keyed by gaming day.

    Only sales of at least the day's `least_cents` are included.
    """
    asked = {"days": list(least_cents), "least_cents": list(least_cents.values())}
    found = {}
    for row in await books.read(_SOLD_TO_NOBODY_KNOWN, at_tables=_AT_TABLES, bought=BOUGHT, **asked):
        because = tuple(map(EntryRef, row.services, row.shards, row.seqs))
        found[row.gaming_day] = Figure(row.movements, because), Figure(int(row.cents), because)
    return found


async def moved_in_days(books: Books) -> dict[tuple[date, Department], dict[Direction, Figure]]:
    """Return the currency moved in and out, in cents, keyed by queried gaming day and department."""
    known = [await books.amounts(tuple(CASH_MEASURES), ("gaming_day", "item"), items=(CASH,))]
    known.append(await books.amounts(("cage_in_cents", "cage_out_cents", _AT_TABLES), ("gaming_day",)))
    found: dict[tuple[date, Department], dict[Direction, Figure]] = {}
    for by, measures in (each for one in known for each in one.items()):
        for name, figure in measures.items():
            department, direction = _DAY_SIDES[name]
            found.setdefault((date.fromisoformat(by[0]), department), {})[direction] = figure
    return found


async def moved_currency(
    books: Books,
    first: date,
    *,
    person_cents: int,
    nobody_cents: int,
    table_cents: int | None,
    persons: Collection[str] = (),
) -> list[CashMovement]:
    """Return the large currency transactions from the gaming day `first` to the last queried day, ordered by time.

    All transactions of a person on a gaming day are large if their total in or out, over accounts, cage and tables,
    reaches `person_cents`, or if the person is one of `persons`. A transaction conducted for others counts for each of
    them and for the conductor.

    A single transaction of an unknown person is large if it reaches `nobody_cents` or, at a table, `table_cents` (None:
    it is never large). An account without a known patron counts as a person. Voided transactions are left out.
    """
    found = await books.read(
        _MOVED,
        late=await books.late_days(first, books.question.last),
        first=first,
        last=books.question.last,
        person_cents=person_cents,
        nobody_cents=nobody_cents,
        measures=list(OF_PERSONS),
        of_accounts=list(ACCOUNT_MEASURES),
        inward=[name for name, direction in OF_PERSONS.items() if direction == "in"],
        by_instrument=[name for name in OF_PERSONS if _medium(name) == "instrument"],
        table_cents=table_cents,
        persons=list(persons),
        at_tables=_AT_TABLES,
        bought=BOUGHT,
        of_others=list(OTHERS_MEASURES),
        table=None,
        items=None,
    )
    rows = [_Row._make(row) for row in found]
    void = {(row.series, row.voids) for row in rows if row.voids is not None}
    return [
        _moved(books.question.property, row)
        for row in rows
        if row.voids is None and (row.series, row.number) not in void
    ]


async def persons_alike(books: Books) -> list[list[str]]:
    """Return groups of references that differ only in case, among persons with transactions on the queried days."""
    days = {"first": books.question.first, "last": books.question.last}
    rows = await books.read(_ALIKE, measures=list(OF_PERSONS), of_accounts=list(ACCOUNT_MEASURES), **days)
    return [row.names for row in rows]


def entry_of(movement: CashMovement) -> EntryRef:
    """Return the entry that records a transaction returned by `moved_currency`."""
    service, shard, seq = movement.reference.split("/")
    return EntryRef(service, int(shard), int(seq))


async def moved_by_measure(books: Books) -> dict[str, int]:
    """Return the sum of the currency transactions on the queried gaming days, in cents, keyed by measure."""
    days = {"first": books.question.first, "last": books.question.last}
    return {row.measure: int(row.cents) for row in await books.read(_SUMS, measures=list(OF_PERSONS), **days)}


def _medium(measure: str) -> Literal["currency", "instrument"]:
    return "instrument" if measure.startswith("instruments_") else "currency"


def _moved(property_name: str, row: _Row) -> CashMovement:
    department, direction = _DEPARTMENTS[row.series], OF_PERSONS.get(row.measure, "in")
    conductor, others = _agency(row)
    return CashMovement(
        patron=row.person,
        property=property_name,
        gaming_day=row.gaming_day,
        moment=row.moment,
        direction=direction,
        cents=row.cents,
        kind=_kind(row, department, direction),
        department=department,
        place=row.table or row.window or ("wallet" if department == "account" else "cage"),
        reference=f"{row.service}/{row.shard}/{row.seq}",
        medium=_medium(row.measure),
        conductor=conductor,
        on_behalf_of=others,
        specified=row.specified or "",
        by=row.by or "",
        instrument=_instrument(row, direction),
    )


def _instrument(row: _Row, direction: Direction) -> Instrument | None:
    """Return the description of the instrument that moved in `direction` (in or out); None if there is none.

    In an exchange of instruments, a different instrument moved in the other direction.
    """
    if not isinstance(row.instrument, dict):
        return None
    described = PassedInstrument.model_validate(row.instrument)
    return described if INSTRUMENTS.get(row.what or "", direction) == direction else described.exchanged_for


def _agency(row: _Row) -> tuple[str | None, tuple[str, ...]]:
    """Return (conductor, beneficiaries) of a transaction for others; (None, ()) for a transaction on one's own behalf.

    A person who moves money into or out of another patron's account acts for that patron.
    """
    others = tuple(row.on_behalf_of or ())
    if row.conducted_by is not None and row.patron is not None:
        return row.conducted_by, (row.patron, *others)
    return (row.patron, others) if others else (None, ())


def _kind(row: _Row, department: Department, direction: Direction) -> str:
    match department:
        case "account":
            return "buy-in" if direction == "in" else "cash-out"
        case "cage":
            return "counter check" if row.what is None else row.what.replace("_", " ")
        case "table":
            return "currency wager" if row.is_money_play else "chips for currency"
