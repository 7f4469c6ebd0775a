"""Sums as of a time: measures, rounds, lines.

A figure covers everything recorded up to the query's as-of time. For gaming days without later records, the stored sums
are read. For other days, amounts are the stored sums less the later records, and rounds are summed from their entries.
Everything is read in one snapshot.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import Row, TextClause, text

from services.reporting.domain.house_edges import HouseEdge, PlayedEdge, played_of_texts, returns_of_text
from services.reporting.framework.figures import Aggregate, Figure
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.handovers import (
    OPEN_IN_SHIFTS,
    HandedOver,
    handed_over_arrays,
    periods_of_another_shift,
)
from services.reporting.read_model.rounds import LINE_FIGURES, PLAYED, STAKES
from services.reporting.read_model.statements import (
    AMOUNT_BY_PLACE,
    AMOUNTS_BY_PLACE,
    DEALERS,
    FIRST_DAY,
    FIRST_RECORDED,
    HOUSE_EDGES,
    LATE,
    LINES,
    ROUNDS,
    added_up,
    of_rounds,
    sums_of,
)
from services.reporting.read_model.statements import PLAYED as PLAYED_ROUNDS
from services.reporting.read_model.weights import WEIGHED, WEIGHTS, Weighed, Weight, given_weights
from shared.contracts.property_snapshot import PropertySnapshot, place_of_day
from shared.contracts.submissions import StatedHouseEdge
from shared.contracts.wager_totals import FIGURES
from shared.runtime.snapshot_reader import SnapshotReader

By = tuple[str, ...]
"""The key of a sum: the values of the dimensions by which it was grouped."""

AMOUNT_DIMENSIONS: Final = ("gaming_day", "table_name", "shift", "item")
HANDOVER_SHIFT: Final = "handover_shift"
"""The dimension for a round's shift according to its table's hand-overs; `shift` follows the property's clock."""
ROUND_DIMENSIONS: Final = ("gaming_day", "table_name", "game", "shift", "version", "submission", "wager")
DEALER_DIMENSIONS: Final = ("gaming_day", "dealer", "game", "version", "submission", "wager")
PLAYED_DIMENSIONS: Final = ROUND_DIMENSIONS[:-1]
LINE_DIMENSIONS: Final = ("gaming_day", "table_name", "game", "version", "submission", "wager", "category")


@cache
def _statement(query: str, by: tuple[str, ...]) -> TextClause:
    return text(added_up(query, by))


def _narrowed(by: Sequence[str], **asked: str | None) -> tuple[tuple[str, str], ...]:
    """Return the query's conditions as (dimension, value), without dimensions that are grouped by."""
    return tuple((name, value) for name, value in asked.items() if value is not None and name not in by)


class Sums:
    """Queries for the sums of a property, by default for the queried gaming days.

    Without `explain`, figures have no provenance. A report that is only read does not need it, and determining the
    provenance of tens of thousands of figures takes as long as summing them.
    """

    def __init__(
        self, reader: SnapshotReader, question: ReportQuery, places: Sequence[PropertySnapshot], *, explain: bool
    ) -> None:
        self._reader = reader
        self.question = question
        self._places = places
        self.explains = explain
        """Whether figures have provenance."""
        self._late: dict[tuple[date, date, bool], list[date]] = {}
        self._handed: dict[tuple[date, date], dict[str, list[Any]]] = {}

    def place_on(self, day: date) -> PropertySnapshot:
        """Return the property version in effect on a gaming day; before the first version, the first version."""
        found = place_of_day(self._places, day)
        return found or min(self._places, key=lambda place: place.document.effective_from)

    @property
    def versions(self) -> Sequence[PropertySnapshot]:
        """Return the property's versions that were approved by the as-of time."""
        return self._places

    async def read(self, statement: TextClause, **parameters: Any) -> Sequence[Row[Any]]:
        """Return the rows of an SQL statement about the property, as of the query's as-of time."""
        asked = {"property": self.question.property, "known_at": self.question.known_at}
        return (await self._reader.execute(statement, {**asked, **parameters})).all()

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
        """Return the nonzero sums of measures, with provenance, keyed by the values of the dimensions and by measure.

        The dimensions `by` are among AMOUNT_DIMENSIONS; by default, the queried gaming days are summed. `items` selects
        items and requires the dimension `item`. Without `explained`, figures have no provenance, which is faster for
        thousands of them.
        """
        assert items is None or "item" in by, "figures of some items are added up by item"
        first, last, table = first or self.question.first, last or self.question.last, table or self.question.table
        wanted: dict[str, Any] = {"measures": list(measures), "items": None if items is None else list(items)}
        query = AMOUNT_BY_PLACE if len(measures) == 1 else AMOUNTS_BY_PLACE
        rows = await self._read(query, by, AMOUNT_DIMENSIONS, first, last, table, **wanted)
        found: dict[By, dict[str, Figure]] = {}
        narrowed, known_at = _narrowed(by, table_name=table), self.question.known_at
        for *place, names, texts in rows:
            key, values = tuple(map(str, place)), map(int, texts)
            if explained and self.explains:
                where = tuple(zip(by, key, strict=True)) + narrowed
                because = [(Aggregate("amounts", (name,), first, last, where, known_at=known_at),) for name in names]
                found[key] = dict(zip(names, map(Figure, values, because), strict=True))
            else:
                found[key] = dict(zip(names, map(Figure, values), strict=True))
        return found

    async def since(self, measures: Sequence[str], items: Iterable[str]) -> dict[tuple[str, str], datetime]:
        """Return when the first amount of the measures was recorded on any gaming day, keyed by table and item."""
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
        """Return all or some FIGURES and STAKES of settled rounds, summed by dimensions.

        The dimensions `by` are among ROUND_DIMENSIONS and HANDOVER_SHIFT.
        """
        return await self._added_up(ROUNDS, "rounds", figures, by, ROUND_DIMENSIONS, first, last)

    async def dealers(self, by: Sequence[str], *, figures: Sequence[str]) -> dict[By, dict[str, Figure]]:
        """Return the named DEALT figures of settled rounds, summed by dimensions among DEALER_DIMENSIONS."""
        every = self._every(by)
        return await self._added_up(DEALERS, "rounds", figures, by, DEALER_DIMENSIONS, None, None, every=every)

    async def round_sums(
        self, by: Sequence[str], *, first: date | None = None, last: date | None = None
    ) -> dict[By, tuple[int, ...]]:
        """Return FIGURES and STAKES as plain integers, in that order, keyed by the values of the dimensions `by`."""
        first, last, table = first or self.question.first, last or self.question.last, self.question.table
        query = of_rounds(ROUNDS, sums_of((*FIGURES, *STAKES)))
        rows = await self._read(query, by, ROUND_DIMENSIONS, first, last, table, game=self.question.game)
        given = map(tuple, rows)
        return {tuple(map(str, row[: len(by)])): tuple(map(int, row[len(by) :])) for row in given}

    async def weighed(self, by: Sequence[str], weights: Iterable[Weight]) -> dict[By, Weighed]:
        """Return weighted sums of rounds, keyed by dimensions: those of rounds and `earner`, or those of dealers."""
        query, dimensions = (DEALERS, DEALER_DIMENSIONS) if "dealer" in by else (ROUNDS, (*ROUND_DIMENSIONS, "earner"))
        query, first, last = of_rounds(query, WEIGHED, WEIGHTS), self.question.first, self.question.last
        every, more = self._every(by), {"game": self.question.game, "weights": given_weights(weights)}
        rows = await self._read(query, by, dimensions, first, last, self.question.table, every=every, **more)
        return {tuple(map(str, row[: len(by)])): Weighed(*map(int, row[len(by) :])) for row in rows}

    def _every(self, by: Sequence[str]) -> bool:
        """Return whether entries of all days must be summed: stored sums by dealer cannot be limited to a table."""
        return "dealer" in by and self.question.table is not None

    async def played(
        self, by: Sequence[str] = (), *, first: date | None = None, last: date | None = None
    ) -> dict[By, dict[str, Figure]]:
        """Return the numbers of rounds posted, corrected and reversed, by dimensions among PLAYED_DIMENSIONS."""
        return await self._added_up(PLAYED_ROUNDS, "played", PLAYED, by, PLAYED_DIMENSIONS, first, last)

    async def lines(
        self, by: Sequence[str] = (), *, first: date | None = None, last: date | None = None
    ) -> dict[By, dict[str, Figure]]:
        """Return LINE_FIGURES of settlement lines, summed by dimensions among LINE_DIMENSIONS."""
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
        narrowed, known_at = _narrowed(by, table_name=table, game=self.question.game), self.question.known_at
        query = of_rounds(query, sums_of(figures))
        rows = await self._read(query, by, dimensions, first, last, table, game=self.question.game, **more)
        for row in map(tuple, rows):
            key = tuple(map(str, row[: len(by)]))
            values = [int(value or 0) for value in row[len(by) :]]  # None: there are no rows
            if self.explains:
                where = tuple(zip(by, key, strict=True)) + narrowed
                because = [(Aggregate(book, (name,), first, last, where, known_at=known_at),) for name in figures]
                found[key] = dict(zip(figures, map(Figure, values, because), strict=True))
            else:
                found[key] = dict(zip(figures, map(Figure, values), strict=True))
        return found

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
        if unknown := set(by) - set(dimensions) - {HANDOVER_SHIFT}:
            raise ValueError(f"{', '.join(sorted(unknown))}: not among {', '.join(dimensions)}")
        handed = HANDOVER_SHIFT in by
        if ":handed_days" in query:
            more |= await self.handed_over(first, last) if handed else handed_over_arrays(())
        parameters = {
            "property": self.question.property,
            "first": first,
            "last": last,
            "table": table,
            "known_at": self.question.known_at,
            "late": await self.late_days(first, last, every=every),
            **more,
        }
        columns = tuple("shift" if name == HANDOVER_SHIFT else name for name in by)
        rows = (await self._reader.execute(_statement(query, columns), parameters)).all()
        return [row for row in rows if any(row[len(by) :])] if handed else rows

    async def handed_over(self, first: date, last: date) -> dict[str, list[Any]]:
        """Return query parameters with the periods in which a table's shift differed from the shift of the clock."""
        if (first, last) not in self._handed:
            rows = await self.read(OPEN_IN_SHIFTS, begin=first, end=last, tables=None)
            self._handed[first, last] = handed_over_arrays(
                HandedOver(row.gaming_day, row.table_name, after, until, row.shift)
                for row in rows
                for after, until in periods_of_another_shift(self.place_on(row.gaming_day), row)
            )
        return self._handed[first, last]

    async def late_days(self, first: date, last: date, *, every: bool = False) -> list[date]:
        """Return the gaming days with entries recorded after the as-of time: there, entries must be summed one by one.

        For other days, stored sums are read. With `every`, return all days, because the stored sums lack a needed
        dimension.
        """
        key = (first, last, every)
        if key not in self._late:
            rows = await self.read(text(LATE), first=first, last=last, every=every)
            self._late[key] = [row.gaming_day for row in rows]
        return self._late[key]

    async def house_edges(self, submissions: Iterable[str]) -> dict[tuple[str, str], HouseEdge]:
        """Return house edges keyed by (hash of the submission, wager); unknown submissions are missing."""
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
                played=None
                if row.house_edge is None
                else played_of_texts(*(getattr(row, name) for name in PlayedEdge._fields)),
                lacks=row.lacks,
                stated=None
                if row.stated_percent is None
                else StatedHouseEdge(wager=row.wager, house_edge_percent=row.stated_percent, source=row.stated_source),
            )
            for row in await self._reader.execute(text(HOUSE_EDGES), parameters)
        }

    async def first_day(self) -> date | None:
        """Return the property's first gaming day for which anything was recorded; None if there is none."""
        parameters = {"property": self.question.property, "known_at": self.question.known_at}
        found: date | None = (await self._reader.execute(text(FIRST_DAY), parameters)).scalar_one()
        return found
