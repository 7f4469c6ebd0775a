"""The rows that a batch of facts writes, with one SQL statement for each table and set of columns."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date
from functools import cache
from typing import Any, Final

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.domain.denominations import stacks
from services.table_inventory.domain.locations import held
from shared.contracts import inventory
from shared.contracts.chips import Contents, value_of
from shared.contracts.facts import Fact
from shared.journal import bulk
from shared.journal.entry import Entry

Write = Callable[[Table, tuple[str, ...]], bulk.Statement]
"""A function from a table and its columns to the statement that writes rows with these columns."""

Row = dict[str, Any]
Said = Iterable[tuple[str, Any]]
"""Names and values, for example the fields of a fact."""


Kept = Mapping[type[Fact], tuple[Write, Table, Row]]
"""By type of fact that is written as one row: the function for its statement, its table, and additional columns."""


def _values(table: Table, columns: tuple[str, ...]) -> list[str]:
    key = bulk.primary_key(table)
    return [one for one in columns if one not in key]


@cache
def insert(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    """Insert rows that are recorded only once."""
    return bulk.insert(table, columns)


@cache
def merge(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    """Insert rows, or update existing ones, if several shards contribute columns to the same row."""
    return bulk.insert(table, columns, on_conflict=bulk.replaced(table, *_values(table, columns)))


@cache
def refuse(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    """Insert quarantined records. If a record is already on file as closed, add only its source and reason."""
    return bulk.insert(table, columns, on_conflict=bulk.replaced(table, "property", "source", "sequence", "reason"))


@cache
def update(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    """Update rows written by an earlier entry of the same shard."""
    return bulk.update(table, _values(table, columns))


_ADDED: Final = bulk.excluded(t.moved)
_ADD_MOVED: Final = bulk.insert(
    t.moved, on_conflict={name: t.moved.c[name] + _ADDED[name] for name in ("cents", "rounds", "unknown", "coupons")}
)
_BRING_FORWARD: Final = bulk.insert(t.brought_forward, on_conflict=bulk.added(t.brought_forward, "cents"))
_HOLD: Final = bulk.insert(t.cage_book, on_conflict=bulk.added(t.cage_book, "cents"))
_TOUCH: Final = bulk.insert(t.touched, on_conflict=bulk.replaced(t.touched, "seq", "recorded_at"))


class Rows:
    """A collector of the rows of a batch of facts, which are written together."""

    def __init__(self) -> None:
        self._movements: list[Row] = []
        self._brought: dict[tuple[str, str], int] = {}
        self._held: dict[tuple[Any, ...], int] = {}
        self._moved: dict[tuple[Any, ...], list[int]] = {}
        self._kept: dict[Write, dict[tuple[Table, tuple[str, ...]], list[Row]]] = {
            insert: {},
            merge: {},
            refuse: {},
            update: {},
        }
        self._touched: dict[tuple[Any, ...], Entry] = {}

    def keep(self, write: Write, table: Table, said: Said, /, **more: Any) -> None:
        """Add a row of `table`: the fields of a fact that are columns of the table, and additional columns (`more`)."""
        row = {name: value for name, value in said if name in table.c} | more
        self._kept[write].setdefault((table, tuple(row)), []).append(row)

    def touch(self, entry: Entry, table_days: Iterable[tuple[str, str, date]]) -> None:
        """Mark the table days (property, table, gaming day) whose win an entry may have changed."""
        for key in table_days:
            self._touched[*key, entry.shard] = entry

    def move(
        self, entry: Entry, fact: Any, moved: inventory.Moved, cause: str, ref: str | None, *, stands: bool = True
    ) -> None:
        """Add a movement of a table inventory.

        A movement that is not in force (`stands` is false) is only added to the hourly sums, as is its reversal.
        """
        rounds: int = getattr(fact, "rounds", 0)
        if stands:
            place = {"shard": entry.shard, "seq": entry.seq, "at": entry.draft.occurred_at}
            of_fact = {"property": fact.property, "table": fact.table, "gaming_day": fact.gaming_day}
            of_round = {"rounds": rounds, "revision": getattr(fact, "revision", None) if rounds else None}
            self._movements.append({**place, **of_fact, **of_round, **dict(moved), "cause": cause, "ref": ref})
        hour = entry.draft.occurred_at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        sums = self._moved.setdefault((fact.property, fact.table, hour, cause, entry.shard), [0, 0, 0, 0])
        sums[0] += moved.cents
        sums[1] += rounds
        is_unknown = moved.contents is None and moved.cents != 0
        sign = -1 if rounds < 0 or isinstance(fact, inventory.PitVoided) else 1
        sums[2] += sign * is_unknown
        sums[3] += sign * (cause == "coupon")

    def bring_forward(self, entry: Entry) -> None:
        """Add the opening balance that an entry posts for a table."""
        for account, cents in entry.draft.postings:
            if account.leg == "brought_forward":
                key = (account.property, account.table)
                self._brought[key] = self._brought.get(key, 0) - cents

    def hold(self, entry: Entry, fact: Fact) -> None:
        """Add an entry's changes to the money at the cage's locations."""
        for place, cause, cents in held(fact, entry.draft.postings):
            key = (*place, cause, entry.shard)
            self._held[key] = self._held.get(key, 0) + cents

    async def write(self, connection: AsyncConnection) -> None:
        """Write all rows. If the batch changes a row several times, the last change wins."""
        await bulk.copy(connection, t.movements, self._movements)
        added = ((*key, *sums) for key, sums in sorted(self._moved.items()))
        await _ADD_MOVED.write(connection, bulk.keyed(_ADD_MOVED, added))
        brought = ((*key, cents) for key, cents in sorted(self._brought.items()))
        await _BRING_FORWARD.write(connection, bulk.keyed(_BRING_FORWARD, brought))
        in_book = ((*key, cents) for key, cents in sorted(self._held.items()))
        await _HOLD.write(connection, bulk.keyed(_HOLD, in_book))
        latest = ((*key, entry.seq, entry.recorded_at) for key, entry in sorted(self._touched.items()))
        await _TOUCH.write(connection, bulk.keyed(_TOUCH, latest))
        for write, tables in self._kept.items():
            for (table, columns), rows in tables.items():
                key = bulk.primary_key(table)
                last = {tuple(row[name] for name in key): row for row in rows}
                written = await write(table, columns).read(connection, rows if write is insert else last.values())
                assert write is insert or written.rowcount == len(last), f"{written.rowcount} of {len(last)} in {table}"


def transfer(contents: Contents, sign: int = 1) -> inventory.Moved:
    """Return the transfer of chips to a table (`sign` 1) or from it (`sign` -1), in cents."""
    cents = sign * value_of(contents)
    return inventory.Moved(movement="transfer", cents=cents, contents=stacks(contents, sign))
