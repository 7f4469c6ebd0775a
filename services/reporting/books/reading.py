"""Read the books, as they were known at a moment: measures, rounds, lines, facts, and how far days have come.

A figure is what was recorded up to the moment of the question. Days on which nothing was recorded after that moment are
read as they are added up. Of the others, amounts are read as they are added up, less what was recorded after it; and of
rounds, the entries themselves are added up. Everything is read in one snapshot.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, Final, Literal, Self, TypeVar

from sqlalchemy import Row, TextClause, text

from services.reporting.books.reader import Reader
from services.reporting.books.rounds import LINE_FIGURES, PLAYED, STAKES
from services.reporting.books.stages import Restatement, played_days, stage_of
from services.reporting.books.statements import (
    AMOUNTS,
    DEALERS,
    FACTS,
    FIRST_DAY,
    FIRST_RECORDED,
    HOUSE_EDGES,
    LAST_OF_PIT,
    LATE,
    LINES,
    OPEN_EXCEPTIONS,
    ROUNDS,
    added_up,
    of_rounds,
    sums_of,
)
from services.reporting.books.statements import PLAYED as PLAYED_ROUNDS
from services.reporting.books.weights import WEIGHED, WEIGHTS, Weighed, Weight, given_weights
from services.reporting.domain.house_edges import HouseEdge, returns_of_text
from services.reporting.kit.figures import AddedUp, Because, EntryRef, Figure
from services.reporting.kit.question import Question
from shared.contracts.facts import KINDS, Fact
from shared.contracts.inventory import PitRecorded
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.pit import PitData
from shared.contracts.places import Place, place_of_day
from shared.contracts.reading import kind_of
from shared.contracts.wager_totals import FIGURES

FactT = TypeVar("FactT", bound=Fact)

ENTRIES: Final = """, array_agg(ARRAY[service, CAST(shard AS text), CAST(seq AS text)]
                                 ORDER BY occurred_at, service, shard, seq) AS entries"""
"""The entries of what a statement adds up, as a further column (see `refs_of`), in the order in which it happened."""


def refs_of(entries: Iterable[Sequence[str]]) -> tuple[EntryRef, ...]:
    """Return the entries that a column `ENTRIES` has."""
    return tuple(EntryRef(service, int(shard), int(seq)) for service, shard, seq in entries)


By = tuple[str, ...]
"""The values of the dimensions that something was added up by."""

AMOUNT_DIMENSIONS: Final = ("gaming_day", "table_name", "shift", "item")
ROUND_DIMENSIONS: Final = ("gaming_day", "table_name", "game", "shift", "version", "submission", "wager")
DEALER_DIMENSIONS: Final = ("gaming_day", "dealer", "game", "version", "submission", "wager")
PLAYED_DIMENSIONS: Final = ROUND_DIMENSIONS[:-1]
LINE_DIMENSIONS: Final = ("gaming_day", "table_name", "game", "version", "submission", "wager", "category")


_Kept = Literal["facts", "documents"]
_TABLES: Final[tuple[_Kept, ...]] = ("facts", "documents")


@dataclass(frozen=True, slots=True)
class Listed:
    """A fact with its entry, when it happened and when it was recorded."""

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
        fact = KINDS[kind].model.model_validate_json(data)
        return cls(EntryRef(service, shard, seq), kind, fact, gaming_day, occurred_at, recorded_at)


class Books:
    """The books of a property as known at a moment, for the gaming days of a question or for others.

    Unless they `explain`, what is added up does not say where it comes from: nobody asks that of a report as it is
    read, and saying it of ten thousands of figures takes as long as adding them up.
    """

    def __init__(self, reader: Reader, question: Question, places: Sequence[Place], *, explain: bool = True) -> None:
        self._reader = reader
        self.question = question
        self._places = places
        self.explains = explain
        """Whether figures say where they come from."""
        self._late: dict[tuple[date, date, bool], list[date]] = {}

    def asked(self, **otherwise: Any) -> "Books":
        """Return the same books for a question that is otherwise: of another moment, or of the property as a whole."""
        return Books(self._reader, replace(self.question, **otherwise), self._places, explain=self.explains)

    # --- the property ---

    def place_on(self, day: date) -> Place:
        """Return the property as it is on a gaming day; before its first version, as that has it."""
        found = place_of_day(self._places, day)
        return found or min(self._places, key=lambda place: place.document.effective_from)

    def dated(self, listed: Iterable[Listed]) -> list[Listed]:
        """Return facts that belong to no gaming day, each with that of its moment by the property's clock."""
        return [replace(one, gaming_day=self.place.gaming_day(one.occurred_at)) for one in listed]

    @cached_property
    def place(self) -> Place:
        """Return the property as it is on the last gaming day of the question."""
        return self.place_on(self.question.last)

    def pit_of(self, table: str) -> str:
        """Return the pit in which a table stands."""
        return self._tables[table].pit if table in self._tables else ""

    def game_of(self, table: str) -> str:
        """Return what a table offers."""
        return self._tables[table].game if table in self._tables else ""

    @property
    def tables_asked(self) -> list[str] | None:
        """Return the tables of the game that is asked for, as the property lists them; None where all games are."""
        game = self.question.game
        return None if game is None else [name for name, table in self._tables.items() if table.game == game]

    @cached_property
    def _tables(self) -> Mapping[str, Any]:
        return {table.table: table for place in (*self._places, self.place) for table in place.document.tables}

    # --- what was added up ---

    async def amounts(
        self,
        measures: Sequence[str],
        by: Sequence[str] = (),
        *,
        first: date | None = None,
        last: date | None = None,
        table: str | None = None,
        items: Sequence[str] | None = None,
        explained: bool = True,
    ) -> dict[By, dict[str, Figure]]:
        """Return measures added up by dimensions, each with where it comes from; what comes to nothing is left out.

        Dimensions are those of AMOUNT_DIMENSIONS; days are those of the question unless they are given. `items` are
        the only ones that are wanted, where it is added up by item. Not `explained`, figures do not say where they come
        from: thousands of them are read in less time.
        """
        assert items is None or "item" in by, "figures of some items are added up by item"
        first, last, table = first or self.question.first, last or self.question.last, table or self.question.table
        wanted: dict[str, Any] = {"measures": list(measures), "items": None if items is None else list(items)}
        rows = await self._read(AMOUNTS, by, AMOUNT_DIMENSIONS, first, last, table, **wanted)
        found: dict[By, dict[str, Figure]] = {}
        for row in rows:
            key = tuple(map(str, row[: len(by)]))
            because: Because = ()
            if explained and self.explains:
                where = tuple(zip(by, key, strict=True)) + self._table_of(by, table)
                because = (AddedUp("amounts", (row.measure,), first, last, where),)
            found.setdefault(key, {})[row.measure] = Figure(int(row.value), because)
        return found

    async def since(self, measures: Sequence[str], items: Iterable[str]) -> dict[tuple[str, str], datetime]:
        """Return when something was first added to measures of items, whatever the gaming day, by table and item."""
        days = await self.amounts(measures, ("item", "gaming_day"), first=date.min, items=list(items))
        parameters = {
            "property": self.question.property,
            "known_at": self.question.known_at,
            "measures": list(measures),
            "items": list({item for item, _ in days}),
            "days": [date.fromisoformat(day) for day in {day for _, day in days}],
        }
        rows = await self._reader.execute(text(FIRST_RECORDED), parameters)
        return {(row.table_name, row.item): row.at for row in rows}

    async def rounds(
        self,
        by: Sequence[str] = (),
        *,
        figures: Sequence[str] = (*FIGURES, *STAKES),
        first: date | None = None,
        last: date | None = None,
    ) -> dict[By, dict[str, Figure]]:
        """Return FIGURES and STAKES of settled rounds, or some of them, added up by dimensions (ROUND_DIMENSIONS)."""
        return await self._added_up(ROUNDS, "rounds", figures, by, ROUND_DIMENSIONS, first, last)

    async def dealers(self, by: Sequence[str], *, figures: Sequence[str]) -> dict[By, dict[str, Figure]]:
        """Return some figures of DEALT of settled rounds, added up by dimensions (DEALER_DIMENSIONS)."""
        every = self._every(by)
        return await self._added_up(DEALERS, "rounds", figures, by, DEALER_DIMENSIONS, None, None, every=every)

    async def round_sums(
        self, by: Sequence[str], *, first: date | None = None, last: date | None = None
    ) -> dict[By, tuple[int, ...]]:
        """Return the same as numbers alone, in the order of FIGURES and STAKES: for what is added up further."""
        first, last, table = first or self.question.first, last or self.question.last, self.question.table
        query = of_rounds(ROUNDS, sums_of((*FIGURES, *STAKES)))
        rows = await self._read(query, by, ROUND_DIMENSIONS, first, last, table, game=self.question.game)
        return {tuple(map(str, row[: len(by)])): tuple(map(int, row[len(by) :])) for row in rows}

    async def weighed(self, by: Sequence[str], weights: Iterable[Weight]) -> dict[By, Weighed]:
        """Return what rounds of wagers that have weights come to, by ROUND_DIMENSIONS and `earner`, or by `dealer`."""
        query, dimensions = (DEALERS, DEALER_DIMENSIONS) if "dealer" in by else (ROUNDS, (*ROUND_DIMENSIONS, "earner"))
        query, first, last = of_rounds(query, WEIGHED, WEIGHTS), self.question.first, self.question.last
        every, more = self._every(by), {"game": self.question.game, "weights": given_weights(weights)}
        rows = await self._read(query, by, dimensions, first, last, self.question.table, every=every, **more)
        return {tuple(map(str, row[: len(by)])): Weighed(*map(int, row[len(by) :])) for row in rows}

    def _every(self, by: Sequence[str]) -> bool:
        """Return whether entries are added up of all days: dealers move from table to table."""
        return "dealer" in by and self.question.table is not None

    async def played(
        self, by: Sequence[str] = (), *, first: date | None = None, last: date | None = None
    ) -> dict[By, dict[str, Figure]]:
        """Return how many rounds were posted, corrected and reversed (PLAYED) by dimensions (PLAYED_DIMENSIONS)."""
        return await self._added_up(PLAYED_ROUNDS, "played", PLAYED, by, PLAYED_DIMENSIONS, first, last)

    async def lines(
        self, by: Sequence[str] = (), *, first: date | None = None, last: date | None = None
    ) -> dict[By, dict[str, Figure]]:
        """Return LINE_FIGURES of settlement lines added up by dimensions (LINE_DIMENSIONS)."""
        return await self._added_up(LINES, "lines", LINE_FIGURES, by, LINE_DIMENSIONS, first, last)

    async def _added_up(
        self,
        query: str,
        book: Any,
        figures: Sequence[str],
        by: Sequence[str],
        dimensions: Sequence[str],
        first: date | None,
        last: date | None,
        **more: Any,
    ) -> dict[By, dict[str, Figure]]:
        first, last, table = first or self.question.first, last or self.question.last, self.question.table
        found: dict[By, dict[str, Figure]] = {}
        query = of_rounds(query, sums_of(figures))
        for row in await self._read(query, by, dimensions, first, last, table, game=self.question.game, **more):
            key = tuple(map(str, row[: len(by)]))
            values = [int(value or 0) for value in row[len(by) :]]  # None: of no rows at all
            if self.explains:
                where = tuple(zip(by, key, strict=True)) + self._table_of(by, table)
                because = [(AddedUp(book, (name,), first, last, where),) for name in figures]
                found[key] = dict(zip(figures, map(Figure, values, because), strict=True))
            else:
                found[key] = dict(zip(figures, map(Figure, values), strict=True))
        return found

    @staticmethod
    def _table_of(by: Sequence[str], table: str | None) -> tuple[tuple[str, str], ...]:
        return () if table is None or "table_name" in by else (("table_name", table),)

    async def _read(
        self,
        query: str,
        by: Sequence[str],
        dimensions: Sequence[str],
        first: date,
        last: date,
        table: str | None,
        *,
        every: bool = False,
        **more: Any,
    ) -> Sequence[Any]:
        if unknown := set(by) - set(dimensions):
            raise ValueError(f"{', '.join(sorted(unknown))}: not among {', '.join(dimensions)}")
        parameters = {
            "property": self.question.property,
            "first": first,
            "last": last,
            "table": table,
            "known_at": self.question.known_at,
            "late": await self.late_days(first, last, every=every),
            **more,
        }
        return (await self._reader.execute(text(added_up(query, by)), parameters)).all()

    async def late_days(self, first: date, last: date, *, every: bool = False) -> list[date]:
        """Return the gaming days of which entries are read, and not their sums alone: some came after the moment.

        `every` day's, where what was added up does not say what is asked. Of the others, sums are read as they are.
        """
        key = (first, last, every)
        if key not in self._late:
            rows = await self.read(text(LATE), first=first, last=last, every=every)
            self._late[key] = [row.gaming_day for row in rows]
        return self._late[key]

    async def house_edges(self, submissions: Iterable[str]) -> dict[tuple[str, str], HouseEdge]:
        """Return what wagers bring back, by submission (its hash) and wager; nothing of a submission not come yet."""
        parameters = {"submissions": list(submissions), "known_at": self.question.known_at}
        return {
            (row.submission, row.wager): HouseEdge(
                submission=row.submission,
                wager=row.wager,
                offered=row.offered,
                paytable=row.paytable,
                returns=None if row.returns is None else returns_of_text(row.returns),
                reason=row.reason,
                bonus_lines=tuple(row.bonus_lines),
            )
            for row in await self._reader.execute(text(HOUSE_EDGES), parameters)
        }

    async def first_day(self) -> date | None:
        """Return the first gaming day of the property of which anything is known."""
        parameters = {"property": self.question.property, "known_at": self.question.known_at}
        found: date | None = (await self._reader.execute(text(FIRST_DAY), parameters)).scalar_one()
        return found

    # --- facts ---

    async def facts(self, *kinds: type[FactT], first: date | None = None, last: date | None = None) -> list[Listed]:
        """Return facts of the property's gaming days, in the order of recording; `date.min` and `max` ask for all."""
        return await self._facts(kinds, first or self.question.first, last or self.question.last)

    async def facts_since(self, moment: datetime, *kinds: type[Fact]) -> list[Listed]:
        """Return facts of the property's gaming days that were recorded after a moment, in the order of recording."""
        days = (self.question.first, self.question.last)
        return await self._facts(kinds, *days, "AND recorded_at > :moment", moment=moment)

    async def all_facts(self, *kinds: type[FactT]) -> list[Listed]:
        """Return facts of the property whatever their gaming day, those that have none included."""
        return await self._facts(kinds, None, None)

    async def pit(self, *events: type[PitData], first: date | None = None, last: date | None = None) -> list[Listed]:
        """Return what the pit reported of these kinds on gaming days, as PitRecorded, in the order of recording."""
        names = [kind_of(event) for event in events]
        days = (first or self.question.first, last or self.question.last)
        return await self._facts([PitRecorded], *days, "AND event = ANY(:events)", events=names)

    async def other_days(self) -> list[Listed]:
        """Return what the pit reported on the question's gaming days and claimed to be of another day."""
        claimed = "AND kind = 'pit.recorded' AND data ->> 'claimed_day' IS NOT NULL"  # as the index has it
        return await self._facts([PitRecorded], self.question.first, self.question.last, claimed)

    async def refusals(self) -> list[Listed]:
        """Return the commands that were refused on the question's gaming days, those of no property included."""
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
        """Return what was filed and decided about the property document, in the order of recording."""
        return await self._facts(kinds, None, None, table="documents")

    async def restatements(self) -> Sequence[Restatement]:
        """Return the entries that changed the question's gaming days after their seal."""
        played = await played_days(self._reader, self.question)
        return (await stage_of(self._reader, self.question, played)).restatements

    async def last_pit(self, tables: Iterable[str], *events: type[PitData], day: date) -> dict[str, Listed]:
        """Return the last event of these kinds before a gaming day at each of these tables, however long ago."""
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
        query = FACTS.replace("{table}", table).replace("{more}", more).replace("{of_property}", of_property)
        return [Listed.of(row) for row in await self._reader.execute(text(query), parameters)]

    async def read(self, statement: TextClause, **parameters: Any) -> Sequence[Row[Any]]:
        """Return the rows of a statement about the property as known at the moment of the question."""
        asked = {"property": self.question.property, "known_at": self.question.known_at}
        return (await self._reader.execute(statement, {**asked, **parameters})).all()

    def known_at(self, moment: datetime) -> "Books":
        """Return the books as they were known at an earlier moment."""
        places = [place for place in self._places if place.document.approved_at <= moment]
        return Books(self._reader, replace(self.question, known_at=moment), places, explain=self.explains)

    async def open_exceptions(self, *kinds: str) -> Sequence[Any]:
        """Return the exceptions of the property, or of none that is known, that were open, oldest first: rows."""
        question = self.question
        parameters = {"property": question.property, "table": question.table, "known_at": question.known_at}
        return (await self._reader.execute(text(OPEN_EXCEPTIONS), parameters | {"kinds": list(kinds)})).all()
