"""Record statements of the theoretical win of closed ratings, and new ones whenever later records change it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.ratings import Basis, decisions_of, parts_of, stated_as, statement
from services.table_inventory.queries.ratings import (
    BaseEdges,
    ratings_since,
    read_positions,
    read_rating_statements,
    rounds_of,
    steps_of,
)
from services.table_inventory.statement_shard import StatementShard
from services.table_inventory.tables import properties
from shared.contracts.derived_rating import Rating, rating_of
from shared.contracts.properties import RatingTerms
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.ratings import RatedDecisions, RatedEdge, RatedSpan, RatingStated
from shared.contracts.topics import RATINGS
from shared.journal.entry import EntryDraft
from shared.journal.recording import Causation, FactWithPostings, draft
from shared.journal.shard import Shard
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.service.service_context import ServiceContext

SHARD: Final = f"{RATINGS.name}/stated"


class _Day(NamedTuple):
    """A gaming day, its end, and the property as of its beginning."""

    place: PropertySnapshot
    day: date
    ends: datetime


class RatingStatements:
    """A background job that records statements of ratings, continuing at its last read position in the journal."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._shard = StatementShard(context, SHARD)
        self._edges = BaseEdges()
        self._reached: Mapping[int, int] | None = None

    async def state(self) -> int:
        """Record a statement of each rating that differs from its last one; return the number of statements."""
        async with self._context.pools.background.connect() as connection:
            if not await ratings_since(connection, self._reached):
                return 0
        reached = self._reached

        async def due(connection: AsyncConnection, shard: Shard) -> Sequence[EntryDraft]:
            nonlocal reached
            reached = await read_positions(connection)
            return self._drafts(shard, await self._unstated(connection))

        stated = await self._shard.record(due)
        self._reached = reached
        return stated

    async def _unstated(self, connection: AsyncConnection) -> list[RatingStated]:
        """Return the statements that are due for all ratings changed since the last read position."""
        keys = await ratings_since(connection, self._reached)
        places = await known_places(connection, properties)
        await self._edges.refresh(connection)
        last = await read_rating_statements(connection, keys)
        facts: list[RatingStated] = []
        for key, steps in sorted((await steps_of(connection, keys)).items()):
            facts += await self._statements(connection, places, rating_of(steps), last.get(key))
        return facts

    async def _statements(
        self, connection: AsyncConnection, places: Places, rating: Rating, last: RatingStated | None
    ) -> Sequence[RatingStated]:
        """Return the statements of a rating that are due."""
        opened_at = rating.opened_at
        place = None if opened_at is None else places.place(rating.property, opened_at)
        if place is None or opened_at is None:  # never opened: the earlier statement is withdrawn
            return stated_as(statement(rating, {}, None), last)
        rating = replace(rating, spans=[part for span in rating.spans for part in self._parts(places, rating, span)])
        bases = {
            number: await self._basis(connection, _day_at(places, rating, part.begins), part)
            for number, part in enumerate(rating.spans)
        }
        return stated_as(statement(rating, bases, place.gaming_day(opened_at)), last)

    def _parts(self, places: Places, rating: Rating, span: RatedSpan) -> Iterator[RatedSpan]:
        """Yield the parts of a span, each with one basis: in one gaming day, and under one rules submission."""
        borders = [span.begins]
        while borders[-1] < span.ends:
            borders.append(_day_at(places, rating, borders[-1]).ends)
        for of_day in parts_of(span, borders):
            place, day, _ = _day_at(places, rating, of_day.begins)
            table = place.table_on(span.table, day)
            if table is None or table.play == "counted":
                yield of_day
            else:
                yield from parts_of(of_day, self._edges.beginnings(rating.property, table.game, table.table))

    async def _basis(self, connection: AsyncConnection, of: _Day, span: RatedSpan) -> Basis:
        """Return a span's game, decisions and house edge, from rounds and submissions or as stated by the property."""
        place = of.place
        table = place.table_on(span.table, of.day)
        if table is None:
            return Basis()
        terms = place.rating_terms(table.game, of.day)
        if table.play == "counted":
            return Basis(table.game, _stated_decisions(span, terms), _stated_edge(terms))
        name = place.document.property
        rounds = await rounds_of(connection, name, span)
        decisions = RatedDecisions(basis="rounds", number=str(rounds), rounds=rounds)
        exact = await self._edges.at(name, table.game, span.table, span.begins)
        if exact is None:
            return Basis(table.game, decisions, _stated_edge(terms))
        said = exact._asdict() | {"house_edge": str(exact.house_edge)}
        return Basis(table.game, decisions, RatedEdge(basis="submission", **said))

    def _drafts(self, shard: Shard, facts: Sequence[RatingStated]) -> list[EntryDraft]:
        """Return the entry drafts of statements; they have no postings, because a statement moves no money."""
        context, at = self._context, self._context.clock()
        drafts = []
        for number, fact in enumerate(facts, start=shard.next_seq):
            name = f"{fact.property}/{fact.rating}/{fact.revision}"
            caused_by = Causation(f"/{context.service}/{SHARD}", number, name, None, at)
            drafts.append(draft(FactWithPostings(fact=fact), caused_by))
        return drafts


def _day_at(places: Places, rating: Rating, moment: datetime) -> _Day:
    """Return the gaming day of a moment of play.

    On the day on which the property's first version takes effect, that version applies to the whole day.
    """
    now = places.place(rating.property, moment)
    assert now is not None, "the property existed when the rating was opened"
    day = now.gaming_day(moment)
    return _Day(places.place(rating.property, now.begins_at(day)) or now, day, now.begins_at(day + timedelta(days=1)))


def _stated_decisions(span: RatedSpan, terms: RatingTerms | None) -> RatedDecisions | None:
    return None if terms is None else decisions_of(span, terms.decisions_an_hour, terms.source)


def _stated_edge(terms: RatingTerms | None) -> RatedEdge | None:
    if terms is None:
        return None
    return RatedEdge(basis="stated", house_edge=str(Fraction(terms.house_edge) / 100), source=terms.source)
