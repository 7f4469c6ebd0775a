"""Read ratings: their steps and statements, and the rounds and house edges of their theoretical win."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.tables import rating_steps, ratings_stated, submissions
from shared.contracts.derived_rating import RecordedStep, rating_of
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.ratings import RatedSpan, RatingRecorded, RatingStated
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import SubmissionApproved
from shared.rules import catalogue, play
from shared.rules.errors import Refused
from shared.rules.submission import select as selected
from shared.runtime.ingest.submission_copies import ApprovedSubmissions
from shared.runtime.reference_search import FOUND_MAX, matches_reference, reversed_reference
from shared.runtime.rows import rows_of


class RatingKey(NamedTuple):
    """The key of a rating: property and name."""

    property: str
    rating: str


async def ratings_like(connection: AsyncConnection, property_name: str, typed: str) -> dict[str, date]:
    """Return at most 20 ratings (name to last gaming day) whose name equals or ends with `typed`, ignoring case."""
    c = rating_steps.c
    key = reversed_reference(c.rating)
    query = (
        select(c.rating, func.max(c.gaming_day).label("last_day"))
        .where(c.property == property_name, matches_reference(c.rating, typed))
        .group_by(key, c.rating)
        .order_by(key)
        .limit(FOUND_MAX)
    )
    return {row.rating: row.last_day for row in await connection.execute(query)}


async def find_steps(connection: AsyncConnection, key: RatingKey) -> Sequence[RecordedStep]:
    """Return the recorded steps of a rating. Raises: Rejected if the rating does not exist."""
    found = (await steps_of(connection, [key])).get(key)
    if found is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no rating {key.rating} at {key.property}")
    return found


async def steps_of(
    connection: AsyncConnection, keys: Iterable[RatingKey]
) -> Mapping[RatingKey, Sequence[RecordedStep]]:
    """Return the recorded steps of ratings by rating, in the order of their entries."""
    wanted = list(keys)
    asked = {"properties": [one.property for one in wanted], "ratings": [one.rating for one in wanted]}
    found: dict[RatingKey, list[RecordedStep]] = {}
    for row in await connection.execute(_STEPS, asked):
        step = RecordedStep(row.shard, row.seq, RatingRecorded.model_validate(row.said))
        found.setdefault(RatingKey(row.property, row.rating), []).append(step)
    return found


_STEPS: Final = text("""
    SELECT s.shard, s.seq, s.property, s.rating, s.said
    FROM unnest(CAST(:properties AS text[]), CAST(:ratings AS text[])) r (property, rating)
    JOIN table_inventory.rating_steps s USING (property, rating) ORDER BY s.shard, s.seq""")


async def ratings_of_day(connection: AsyncConnection, property_name: str, day: date) -> Sequence[RatingKey]:
    """Return the ratings with a step on a gaming day, by name."""
    column = rating_steps.c.rating
    query = select(column).distinct().where(rating_steps.c.property == property_name, rating_steps.c.gaming_day == day)
    names = await connection.execute(query.order_by(column))
    return [RatingKey(property_name, name) for name in names.scalars()]


async def rated_tables(connection: AsyncConnection, place: PropertySnapshot, day: date) -> set[str]:
    """Return the tables at which patrons are rated as playing on a gaming day."""
    begins, ends = place.begins_at(day), place.begins_at(day + timedelta(days=1))
    found: set[str] = set()
    for steps in (await steps_of(connection, await ratings_of_day(connection, place.document.property, day))).values():
        rating = rating_of(steps)
        found |= {span.table for span in rating.spans if begins < span.ends and span.begins < ends}
        if rating.since is not None and rating.since < ends and rating.table is not None:
            found.add(rating.table)
    return found


async def read_rating_statements(
    connection: AsyncConnection, keys: Iterable[RatingKey]
) -> Mapping[RatingKey, RatingStated]:
    """Return the last statement of each rating that has one, by rating."""
    wanted = list(keys)
    asked = {"properties": [one.property for one in wanted], "ratings": [one.rating for one in wanted]}
    rows = await connection.execute(_STATED, asked)
    return {RatingKey(row.property, row.rating): RatingStated.model_validate(row.said) for row in rows}


_STATED: Final = text("""
    SELECT s.property, s.rating, s.said
    FROM unnest(CAST(:properties AS text[]), CAST(:ratings AS text[])) r (property, rating)
    JOIN table_inventory.ratings_stated s USING (property, rating)""")


async def find_rating_statement(connection: AsyncConnection, key: RatingKey) -> RatingStated | None:
    """Return the last statement of a rating, or None if it was never stated."""
    row = (await connection.execute(rows_of(ratings_stated, **key._asdict()))).one_or_none()
    return None if row is None else RatingStated.model_validate(row.said)


# --- ratings that may need a new statement ---


async def read_positions(connection: AsyncConnection) -> Mapping[int, int]:
    """Return the sequence of the last entry of each shard of the journal, as of the transaction's snapshot."""
    rows = await connection.execute(text("SELECT shard, next_seq - 1 AS seq FROM table_inventory.shards"))
    return {row.shard: row.seq for row in rows}


async def ratings_since(connection: AsyncConnection, reached: Mapping[int, int] | None) -> set[RatingKey]:
    """Return the ratings that entries after the read positions `reached` may affect.

    These are ratings with a new step, and closed ratings during which a round was settled or reversed at a table of the
    property. If `reached` is None, return recent ratings, and those with a step after the last statement.
    """
    if reached is None:
        return {RatingKey(*row) for row in await connection.execute(_UNSTATED)}
    asked = {"shards": list(reached), "seqs": list(reached.values())}
    found = {RatingKey(*row) for row in await connection.execute(_STEPPED, asked)}
    return found | {RatingKey(*row) for row in await connection.execute(_PLAYED, asked)}


_SINCE: Final = """
    (SELECT DISTINCT shard FROM table_inventory.shards) s
    LEFT JOIN unnest(CAST(:shards AS integer[]), CAST(:seqs AS bigint[])) r (shard, seq) USING (shard)"""

_STEPPED: Final = text(f"""
    SELECT DISTINCT t.property, t.rating FROM {_SINCE}
    JOIN table_inventory.rating_steps t ON t.shard = s.shard AND t.seq > coalesce(r.seq, 0)""")  # noqa: S608 - our own

_PLAYED: Final = text(f"""
    SELECT DISTINCT d.property, d.rating FROM {_SINCE}
    JOIN table_inventory.movements m ON m.shard = s.shard AND m.seq > coalesce(r.seq, 0) AND m.cause = 'round'
    JOIN table_inventory.ratings_stated d
      ON d.property = m.property AND d.closed_at >= m.at AND d.opened_at < m.at""")  # noqa: S608 - our own text

# After a start, the read positions are unknown, so that recent ratings are checked again.
_UNSTATED: Final = text("""
    SELECT DISTINCT property, rating FROM table_inventory.rating_steps
    WHERE gaming_day > current_date - 8
       OR recorded_at > (SELECT max(stated_at) - interval '1 minute' FROM table_inventory.ratings_stated)
       OR NOT EXISTS (SELECT FROM table_inventory.ratings_stated)""")


async def rounds_of(connection: AsyncConnection, property_name: str, span: RatedSpan) -> int:
    """Return the number of settled rounds that closed at a span's table during the span, less reversed rounds."""
    asked = {"property": property_name, "table": span.table, "begins": span.begins, "ends": span.ends}
    return int((await connection.execute(_ROUNDS, asked)).scalar_one())


_ROUNDS: Final = text("""
    SELECT coalesce(sum(rounds), 0) FROM table_inventory.movements
    WHERE property = :property AND "table" = :table AND at > :begins AND at <= :ends AND cause = 'round'""")


class BaseEdge(NamedTuple):
    """The house edge of the wager that all players must make under a rules submission, and how it was computed."""

    wager: str
    house_edge: Fraction
    counted: Literal["exact", "model", "sample"]
    version: int
    submission: str


class BaseEdges:
    """The approved rules submissions, and the base edge of each, computed on first use."""

    def __init__(self) -> None:
        self._approved: ApprovedSubmissions[SubmissionApproved] = ApprovedSubmissions(submissions, lambda one: one)
        self._edges: dict[str, BaseEdge | None] = {}

    async def refresh(self, connection: AsyncConnection) -> None:
        """Read submissions approved since the last call."""
        await self._approved.refresh(connection)

    def beginnings(self, property_name: str, game: str, table: str) -> list[datetime]:
        """Return the moments at which submissions of a game take effect at a table."""
        return self._approved.beginnings(property_name, game, table)

    async def at(self, property_name: str, game: str, table: str, moment: datetime) -> BaseEdge | None:
        """Return the base edge at a table at a moment; None without a submission, or if the edge cannot be computed.

        The first computation for a submission runs in a thread and may take several seconds.
        """
        approved = self._approved.in_effect(property_name, game, table, moment)
        if approved is None:
            return None
        if approved.hash not in self._edges:
            self._edges[approved.hash] = await asyncio.to_thread(base_edge, approved)
        return self._edges[approved.hash]


def base_edge(approved: SubmissionApproved) -> BaseEdge | None:
    """Return the house edge of the first wager that all players must make; None if it cannot be computed.

    The edge assumes the best decisions and is a fraction of the wager's initial stake. It includes the edge on further
    stakes that these decisions add.
    """
    offers = selected(catalogue(approved.regulation), approved.submission).offers
    wager = next((name for name, offer in offers.items() if offer.wager.offered == "required"), None)
    if wager is None:
        return None
    try:
        played = play(approved.regulation, wager, approved.submission)
    except Refused:
        return None  # the property may state a house edge instead
    counted: Literal["exact", "model", "sample"] = "sample" if played.standard_error else "exact"
    how = "model" if played.by_model else counted
    return BaseEdge(wager, played.house_edge, how, approved.version, approved.hash)
