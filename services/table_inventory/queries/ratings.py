"""Read ratings: their steps, statements, and what their theoretical win follows from."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.ratings import RecordedStep
from services.table_inventory.tables import rating_steps, ratings_stated, submissions
from shared.contracts.ratings import RatedSpan, RatingRecorded, RatingStated
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import SubmissionApproved
from shared.rules import catalogue, play
from shared.rules.errors import Refused
from shared.rules.submission import select as selected
from shared.runtime.ingest.submission_copies import ApprovedSubmissions
from shared.runtime.rows import rows_of


class RatingKey(NamedTuple):
    """A rating of a property."""

    property: str
    rating: str


async def find_steps(connection: AsyncConnection, key: RatingKey) -> Sequence[RecordedStep]:
    """Return the recorded steps of a rating. Raises: Rejected if there are none."""
    found = (await steps_of(connection, [key])).get(key)
    if found is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no rating {key.rating} at {key.property}")
    return found


async def steps_of(
    connection: AsyncConnection, keys: Iterable[RatingKey]
) -> Mapping[RatingKey, Sequence[RecordedStep]]:
    """Return the recorded steps of ratings, in the order of their entries."""
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
    """Return the ratings of which anything happened on a gaming day, by name."""
    column = rating_steps.c.rating
    query = select(column).distinct().where(rating_steps.c.property == property_name, rating_steps.c.gaming_day == day)
    names = await connection.execute(query.order_by(column))
    return [RatingKey(property_name, name) for name in names.scalars()]


async def read_rating_statements(
    connection: AsyncConnection, keys: Iterable[RatingKey]
) -> Mapping[RatingKey, RatingStated]:
    """Return the last statements of ratings that have one."""
    wanted = list(keys)
    asked = {"properties": [one.property for one in wanted], "ratings": [one.rating for one in wanted]}
    rows = await connection.execute(_STATED, asked)
    return {RatingKey(row.property, row.rating): RatingStated.model_validate(row.said) for row in rows}


_STATED: Final = text("""
    SELECT s.property, s.rating, s.said
    FROM unnest(CAST(:properties AS text[]), CAST(:ratings AS text[])) r (property, rating)
    JOIN table_inventory.ratings_stated s USING (property, rating)""")


async def find_rating_statement(connection: AsyncConnection, key: RatingKey) -> RatingStated | None:
    """Return the last statement of a rating, or None if it was never closed."""
    row = (await connection.execute(rows_of(ratings_stated, **key._asdict()))).one_or_none()
    return None if row is None else RatingStated.model_validate(row.said)


# --- what may have to be stated again ---


async def read_positions(connection: AsyncConnection) -> Mapping[int, int]:
    """Return the last entry of each shard of the journal, as of the transaction's snapshot."""
    rows = await connection.execute(text("SELECT shard, next_seq - 1 AS seq FROM table_inventory.shards"))
    return {row.shard: row.seq for row in rows}


async def ratings_since(connection: AsyncConnection, reached: Mapping[int, int] | None) -> set[RatingKey]:
    """Return the ratings that entries after these positions may change; None: after the last statements.

    They are those with a new step, and closed ones at whose table a round of their time was settled or taken back.
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

# After a start it is not known what was looked at.
_UNSTATED: Final = text("""
    SELECT DISTINCT property, rating FROM table_inventory.rating_steps
    WHERE gaming_day > current_date - 8
       OR recorded_at > (SELECT max(stated_at) - interval '1 minute' FROM table_inventory.ratings_stated)
       OR NOT EXISTS (SELECT FROM table_inventory.ratings_stated)""")


async def rounds_of(connection: AsyncConnection, property_name: str, span: RatedSpan) -> int:
    """Return how many settled rounds were closed at the table of a span during it, those taken back left out."""
    asked = {"property": property_name, "table": span.table, "begins": span.begins, "ends": span.ends}
    return int((await connection.execute(_ROUNDS, asked)).scalar_one())


_ROUNDS: Final = text("""
    SELECT coalesce(sum(rounds), 0) FROM table_inventory.movements
    WHERE property = :property AND "table" = :table AND at > :begins AND at <= :ends AND cause = 'round'""")


class BaseEdge(NamedTuple):
    """The house edge of the wager that all players of a game make under a rules submission, and how it is counted."""

    wager: str
    house_edge: Fraction
    counted: Literal["exact", "model", "sample"]
    version: int
    submission: str


class BaseEdges:
    """The approved rules submissions, with the base edge of each, counted when it is first asked for."""

    def __init__(self) -> None:
        self._approved: ApprovedSubmissions[SubmissionApproved] = ApprovedSubmissions(submissions, lambda one: one)
        self._edges: dict[str, BaseEdge | None] = {}

    async def refresh(self, connection: AsyncConnection) -> None:
        """Read what was approved since."""
        await self._approved.refresh(connection)

    async def at(self, property_name: str, game: str, table: str, moment: datetime) -> BaseEdge | None:
        """Return the base edge at a table at a moment; None without a submission, or where none was ever counted.

        Counting takes up to some seconds, once for each submission, in a thread.
        """
        approved = self._approved.in_effect(property_name, game, table, moment)
        if approved is None:
            return None
        if approved.hash not in self._edges:
            self._edges[approved.hash] = await asyncio.to_thread(base_edge, approved)
        return self._edges[approved.hash]


def base_edge(approved: SubmissionApproved) -> BaseEdge | None:
    """Return the edge of the first wager that is required of all players, as played; None where it was never counted.

    It is of what is staked on that wager: what is added to it by the best decisions is counted with it.
    """
    offers = selected(catalogue(approved.regulation), approved.submission).offers
    wager = next((name for name, offer in offers.items() if offer.wager.offered == "required"), None)
    if wager is None:
        return None
    try:
        played = play(approved.regulation, wager, approved.submission)
    except Refused:
        return None  # the property may state one
    counted: Literal["exact", "model", "sample"] = "sample" if played.standard_error else "exact"
    how = "model" if played.by_model else counted
    return BaseEdge(wager, played.house_edge, how, approved.version, approved.hash)
