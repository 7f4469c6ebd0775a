"""Read a property's read model as of a given time: sums and facts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, Final, Literal, Self, TypeVar

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef, Part
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.derived import stands
from services.reporting.read_model.stages import Restatement, played_days, stage_of
from services.reporting.read_model.statements import (
    FACTS,
    LAST_OF_PIT,
    OPEN_EXCEPTIONS,
)
from services.reporting.read_model.sums import Sums
from shared.contracts.facts import KINDS, Fact
from shared.contracts.inventory import PitRecorded
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.pit import PitData
from shared.contracts.properties import PropertyTable, Sales
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.topic_reader import kind_of
from shared.runtime.snapshot_reader import SnapshotReader

FactT = TypeVar("FactT", bound=Fact)


def entries_of(*summed: str) -> str:
    """Return SQL for a column `entries` that lists the entries behind a sum, in order of occurrence.

    `summed` are the SQL expressions that are summed; `parts_of` reads each entry's contribution from this column.
    """
    place = ("service", "CAST(shard AS text)", "CAST(seq AS text)", *(f"CAST({one} AS text)" for one in summed))
    return f", array_agg(ARRAY[{', '.join(place)}] ORDER BY occurred_at, service, shard, seq) AS entries"


def parts_of(entries: Iterable[Sequence[str]], summed: int = 0) -> tuple[Part, ...]:
    """Return the provenance of the sum at index `summed`, read from a column that `entries_of` selected."""
    places = ((EntryRef(service, int(shard), int(seq)), values) for service, shard, seq, *values in entries)
    return tuple(Part(entry, 1, int(values[summed])) for entry, values in places)


_Kept = Literal["facts", "documents"]
_TABLES: Final[tuple[_Kept, ...]] = ("facts", "documents")


@dataclass(frozen=True, slots=True)
class Listed:
    """A fact with its entry, its time of occurrence and its time of recording."""

    entry: EntryRef
    kind: str
    fact: Any
    gaming_day: date | None
    occurred_at: datetime
    recorded_at: datetime

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        """Return the fact of a row, which begins with the columns of FACTS."""
        service, shard, seq, kind, gaming_day, occurred_at, recorded_at, data = row[:8]
        fact = (_document if len(data) >= _DOCUMENT_CHARACTERS else _said)(kind, data)
        return cls(EntryRef(service, shard, seq), kind, fact, gaming_day, occurred_at, recorded_at)


_DOCUMENT_CHARACTERS: Final = 8_192
"""The length from which documents (properties, rules submissions, counts of a day) are cached only in small numbers."""


def _read(kind: str, data: str) -> Any:
    return KINDS[kind].model.model_validate_json(data)


_said: Final = lru_cache(maxsize=4_096)(_read)
_document: Final = lru_cache(maxsize=64)(_read)
"""The cached parser of long documents: the reports of a day read the same documents, which never change."""


PIT: Final[Callable[[PropertyTable], str]] = attrgetter("pit")
"""The function that returns the pit of a table, for `Books.stretches`."""


def _said_of(tables: Mapping[str, PropertyTable], said: Callable[[PropertyTable], object]) -> Mapping[str, object]:
    return {name: said(table) for name, table in tables.items()}


class Books(Sums):
    """A property's read model as of a time; by default, for the queried gaming days."""

    def __init__(
        self, reader: SnapshotReader, question: ReportQuery, places: Sequence[PropertySnapshot], *, explain: bool = True
    ) -> None:
        super().__init__(reader, question, places, explain=explain)

    def asked(self, **otherwise: Any) -> "Books":
        """Return this read model for a modified query, for example with other gaming days or without a table."""
        return Books(self._reader, replace(self.question, **otherwise), self._places, explain=self.explains)

    # --- the property ---

    def dated(self, listed: Iterable[Listed]) -> list[Listed]:
        """Return the given facts, each with the gaming day on which it occurred by the property's clock."""
        return [replace(one, gaming_day=self.place.gaming_day(one.occurred_at)) for one in listed]

    @cached_property
    def place(self) -> PropertySnapshot:
        """Return the version of the property in effect on the last queried gaming day."""
        return self.place_on(self.question.last)

    def pit_of(self, table: str, day: date) -> str:
        """Return the pit of a table on a gaming day; if the property does not list the table then, its last known pit.

        The result is empty for a table that the property never listed.
        """
        found = self.tables_of(day).get(table) or self._tables.get(table)
        return "" if found is None else found.pit

    def pits_of(self, table: str) -> str:
        """Return a table's pits on the queried gaming days up to today, in order of time, as a comma-separated text."""
        first, today = self.question.first, self.place.gaming_day(self.question.known_at)
        stretches = self.stretches(first, max(first, min(self.question.last, today)), PIT)
        return ", ".join(dict.fromkeys(self.pit_of(table, begin) for begin, _ in stretches))

    def tables_of(self, day: date) -> Mapping[str, PropertyTable]:
        """Return the tables that the property lists as of a gaming day, by name."""
        if day not in self._listed:
            self._listed[day] = self._listed_in[self.place_on(day).document.version]
        return self._listed[day]

    def stretches(
        self, first: date, last: date, said: Callable[[PropertyTable], object]
    ) -> Sequence[tuple[date, date]]:
        """Return consecutive ranges of gaming days (first and last day) in which no table's attribute changes.

        `said` returns an attribute of a table in the property document, such as its pit.
        """
        if (first, last, said) not in self._stretches:
            self._stretches[first, last, said] = list(self._stretches_of(first, last, said))
        return self._stretches[first, last, said]

    def _stretches_of(
        self, first: date, last: date, said: Callable[[PropertyTable], object]
    ) -> Iterator[tuple[date, date]]:
        begin, tables, known = first, self.tables_of(first), _said_of(self.tables_of(first), said)
        for number in range(1, (last - first).days + 1):
            day = first + timedelta(days=number)
            if self.tables_of(day) is tables:
                continue
            tables, before = self.tables_of(day), known
            known = _said_of(tables, said)
            if known != before:
                yield begin, day - timedelta(days=1)
                begin = day
        yield begin, last

    @cached_property
    def _stretches(self) -> dict[tuple[date, date, Callable[[PropertyTable], object]], Sequence[tuple[date, date]]]:
        return {}

    @cached_property
    def _listed(self) -> dict[date, Mapping[str, PropertyTable]]:
        return {}

    @cached_property
    def _listed_in(self) -> Mapping[int, Mapping[str, PropertyTable]]:
        """Return the tables that the property document lists, keyed by version of the document and table name."""
        return {
            place.document.version: {table.table: table for table in place.document.tables} for place in self._places
        }

    def game_of(self, table: str) -> str:
        """Return the game that a table offers, according to the property document."""
        return self._tables[table].game if table in self._tables else ""

    def kind_of(self, table: str) -> str | None:
        """Return the kind of game at a counted table in words, such as craps or roulette; None if there is none."""
        kind = self.place.kind_of(self.game_of(table))
        return None if kind is None else kind.replace("-", " ")

    def sales_of(self, table: str, day: date) -> Sales | None:
        """Return the sales that a counted table reports on a gaming day; None for a table that reports rounds."""
        return self._sales_on(day).get(table)

    def _sales_on(self, day: date) -> Mapping[str, Sales | None]:
        """Return the tables in use on a gaming day, each with the sales that it reports if it is a counted table."""
        if day not in self._of_days:
            place = self.place_on(day)
            counted = place.counted_on(day)
            self._of_days[day] = {one.table: counted.get(one.table) for one in place.tables_on(day)}
        return self._of_days[day]

    def play_of(self, table: str) -> str | None:
        """Return how a table's win is determined on the queried gaming days: `rounds`, `counted`, or `counted, rounds`.

        Days on which the table is not in use are ignored. Return None for a table that is not in use on any of them,
        and for a non-banking table, which has no win.
        """
        if table not in self._tables or self._tables[table].non_banking:
            return None
        question = self.question
        days = (question.first + timedelta(days=one) for one in range((question.last - question.first).days + 1))
        in_use = [sales[table] for sales in map(self._sales_on, days) if table in sales]
        return ", ".join(sorted({"rounds" if sales is None else "counted" for sales in in_use})) or None

    @cached_property
    def _of_days(self) -> dict[date, Mapping[str, Sales | None]]:
        return {}

    @property
    def tables_asked(self) -> list[str] | None:
        """Return the tables of the requested game in the property's document; None for all games."""
        game = self.question.game
        return None if game is None else [name for name, table in self._tables.items() if table.game == game]

    @cached_property
    def _tables(self) -> Mapping[str, PropertyTable]:
        return {table.table: table for place in (*self._places, self.place) for table in place.document.tables}

    # --- facts ---

    async def facts(self, *kinds: type[FactT], first: date | None = None, last: date | None = None) -> list[Listed]:
        """Return the facts of these kinds on the queried days, or from `first` to `last`, in the order of recording."""
        return await self._facts(kinds, first or self.question.first, last or self.question.last)

    async def facts_since(
        self, moment: datetime, *kinds: type[Fact], first: date | None = None, last: date | None = None
    ) -> list[Listed]:
        """Return the facts of these kinds and gaming days recorded after a given time, in the order of recording."""
        days = (first or self.question.first, last or self.question.last)
        return await self._facts(kinds, *days, "AND recorded_at > :moment", moment=moment)

    async def all_facts(self, *kinds: type[FactT]) -> list[Listed]:
        """Return the facts of these kinds on any gaming day, including facts without a gaming day."""
        return await self._facts(kinds, None, None)

    async def pit(self, *events: type[PitData], first: date | None = None, last: date | None = None) -> list[Listed]:
        """Return the PitRecorded facts with pit events of these kinds on gaming days, in the order of recording."""
        names = [kind_of(event) for event in events]
        days = (first or self.question.first, last or self.question.last)
        return await self._facts([PitRecorded], *days, "AND event = ANY(:events)", events=names)

    async def other_days(self) -> list[Listed]:
        """Return the pit events on the queried gaming days whose message claimed a different gaming day."""
        claimed = "AND kind = 'pit.recorded' AND data ->> 'claimed_day' IS NOT NULL"  # the condition of the index
        return await self._facts([PitRecorded], self.question.first, self.question.last, claimed)

    async def refusals(self) -> list[Listed]:
        """Return the commands refused on the queried gaming days, including those without a property."""
        first, after = self.question.first, self.question.last + timedelta(days=1)
        begins, ends = self.place_on(first).begins_at(first), self.place_on(after).begins_at(after)
        during = "AND occurred_at >= :begins AND occurred_at < :ends"
        placed = "(property = :property OR property IS NULL)"
        found: list[Listed] = []
        for table in _TABLES:
            found += await self._facts(
                [CommandRefused], None, None, during, of_property=placed, table=table, begins=begins, ends=ends
            )
        return self.dated(sorted(found, key=lambda one: one.recorded_at))

    async def documents(self, *kinds: type[FactT]) -> list[Listed]:
        """Return filings and decisions about the property document, in the order of recording."""
        return await self._facts(kinds, None, None, table="documents")

    async def restatements(self) -> Sequence[Restatement]:
        """Return the restatements of the queried gaming days: the entries that changed a day after its seal."""
        played = await played_days(self._reader, self.question)
        return (await stage_of(self._reader, self.question, played)).restatements

    async def last_pit(self, tables: Iterable[str], *events: type[PitData], day: date) -> dict[str, Listed]:
        """Return each table's last pit event of these kinds before a gaming day, keyed by table, no matter how old."""
        asked = {"tables": list(tables), "events": [kind_of(event) for event in events], "day": day}
        return {row.table_name: Listed.of(row) for row in await self.read(text(LAST_OF_PIT), **asked)}

    async def _facts(
        self,
        kinds: Iterable[type[Fact]],
        first: date | None,
        last: date | None,
        more: str = "",
        *,
        of_property: str = "property = :property",
        table: _Kept = "facts",
        **asked: Any,
    ) -> list[Listed]:
        parameters = {
            "property": self.question.property,
            "kinds": [kind.KIND.name for kind in kinds],
            "first": first,
            "last": last,
            "table": self.question.table,
            "known_at": self.question.known_at,
            **asked,
        }
        if table == "facts":
            more += f" AND {stands()}"
        query = FACTS.replace("{table}", table).replace("{more}", more).replace("{of_property}", of_property)
        return [Listed.of(row) for row in await self._reader.execute(text(query), parameters)]

    def known_at(self, moment: datetime) -> "Books":
        """Return this read model as of an earlier time."""
        places = [place for place in self._places if place.document.approved_at <= moment]
        return Books(self._reader, replace(self.question, known_at=moment), places, explain=self.explains)

    async def open_exceptions(self, *kinds: str) -> Sequence[Any]:
        """Return the open exceptions of these kinds, of the property or of no known property, oldest first."""
        question = self.question
        parameters = {"property": question.property, "table": question.table, "known_at": question.known_at}
        return (await self._reader.execute(text(OPEN_EXCEPTIONS), parameters | {"kinds": list(kinds)})).all()
