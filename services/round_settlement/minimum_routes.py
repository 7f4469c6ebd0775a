"""Route for the what-if of table minimums: recorded rounds under another minimum. Nothing is recorded."""

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Final, Literal, NamedTuple

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from pydantic_core import from_json
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.minimums import Rates, Spread, as_document
from services.round_settlement.domain.what_if import TableDay
from services.round_settlement.tables import properties, submissions
from services.round_settlement.what_if import posted, require_period, table_days
from services.round_settlement.what_if_routes import ROUNDS_MAX
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.database import snapshot
from shared.runtime.http import Day, PropertyQuery, problems, require_role
from shared.runtime.http.roles import Role
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.ingest.submission_copies import ApprovedSubmissions
from shared.runtime.service.service_context import ServiceContext

MINIMUMS_MAX: Final = 8
"""The maximum number of minimums in one request."""


class Wagered(BaseModel):
    """Seats (counted once per round), handle, and the theoretical win of wagers with a house edge; cents."""

    seats: int
    handle_cents: int
    rated_handle_cents: int
    theoretical_win_cents: int


class UnderMinimum(BaseModel):
    """Figures as recorded, and if the seats below the minimum had raised their wagers, or had left."""

    seats_below: int
    recorded: Wagered
    raised: Wagered
    left: Wagered


class HourUnderMinimum(UnderMinimum):
    """The result for one hour of the property's clock, at tables with this minimum on their signs (null: none)."""

    sign_cents: int | None
    hour: str


class OtherMinimum(BaseModel):
    """The result for another minimum: in total, and by hour."""

    minimum_cents: int
    total: UnderMinimum
    hours: list[HourUnderMinimum]


class SizeOfStake(BaseModel):
    """A main wager in cents, and the number of seats with that main wager, counted once per round."""

    main_cents: int
    seats: int


class EdgeOfWager(BaseModel):
    """The house edge of a wager under a version of the submission.

    The house edge is exact, or else 1 less the licensee's stated payback. Without either, there is no theoretical win.
    """

    version: int
    wager: str
    house_edge: str | None
    source: Literal["exact", "stated"] | None


class Assumed(BaseModel):
    """The assumptions about seats that wagered less than the minimum."""

    raised: str
    left: str


class MinimumsDocument(BaseModel):
    """The what-if of table minimums: recorded figures, assumptions, and the result for each minimum."""

    property: str
    game: str
    first: date
    last: date
    rounds: int
    books: str
    assumed: Assumed
    stakes: list[SizeOfStake]
    edges: list[EdgeOfWager]
    minimums: list[OtherMinimum]


class _Game(NamedTuple):
    property: str
    game: str


def minimum_routes(context: ServiceContext, reader: Role) -> APIRouter:
    """Return the route of the what-if of minimums, for people with the role `reader`."""
    router = APIRouter(tags=["what-if"])
    asking = asyncio.Semaphore(1)
    person = Annotated[str, require_role(reader)]
    day = Annotated[Day, Query()]
    asked = Annotated[
        list[Annotated[int, Field(ge=1, le=10**12)]],
        Query(min_length=1, max_length=MINIMUMS_MAX, description="the other minimums, cents"),
    ]
    only = Annotated[list[Name] | None, Query(max_length=1000, description="only these tables")]

    @router.get(
        "/minimums",
        summary="Run a what-if over table minimums",
        responses=problems(Reason.NOT_FOUND, Reason.NOT_ALLOWED),
    )
    async def minimums(
        by: person,
        property_name: PropertyQuery,
        game: Annotated[Name, Query(description="the game, as in submissions")],
        first: day,
        last: day,
        minimum_cents: asked,
        table: only = None,
    ) -> MinimumsDocument:
        """Return handle and theoretical win by minimum and hour, had the seats below the minimum raised or left."""
        del by
        wanted = _Game(property_name, game)
        async with asking, snapshot(context.pools.readers) as connection:
            places = await known_places(connection, properties)
            require_period(places, property_name, first, last)
            days = await table_days(connection, wanted, table, first, last)
            _check(wanted, days, first, last)
            spread = Spread(await _rates(connection))
            for of in days:
                await asyncio.to_thread(_add, spread, places, wanted, of, await posted(connection, wanted, of))
        found: dict[str, Any] = {**wanted._asdict(), "first": first, "last": last, **as_document(spread, minimum_cents)}
        return MinimumsDocument.model_validate(found)

    return router


def _check(wanted: _Game, days: Sequence[TableDay], first: date, last: date) -> None:
    """Raise Rejected if there are no rounds, or too many."""
    rounds = sum(of.rounds for of in days)
    if not days:
        raise Rejected(
            Reason.NOT_FOUND, f"no round of {wanted.game} at {wanted.property} stands from {first} to {last}"
        )
    if rounds > ROUNDS_MAX:
        detail = f"{rounds} rounds: one question reads {ROUNDS_MAX} at most; ask for fewer days or tables"
        raise Rejected(Reason.NOT_ALLOWED, detail)


async def _rates(connection: AsyncConnection) -> "_RatesByHash":
    known = connection.info.setdefault((submissions, Rates), ApprovedSubmissions(submissions, Rates.of))
    await known.refresh(connection)
    return _RatesByHash(known)


class _RatesByHash(dict[str, Rates]):
    """The rates of submissions by hash, computed when first needed."""

    def __init__(self, known: ApprovedSubmissions[Rates]) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, digest: str) -> Rates:
        found = self._known.under(digest)
        if found is None:
            raise Rejected(Reason.NOT_FOUND, f"submission {digest} has not come from the registry")
        self[digest] = found
        return found


def _add(spread: Spread, places: Places, wanted: _Game, of: TableDay, rounds: Sequence[str]) -> None:
    place = places.of_day(wanted.property, of.gaming_day)
    if place is None:
        raise Rejected(Reason.NOT_FOUND, f"{wanted.property} has no version for {of.gaming_day}")
    signs = {table.table: table.minimum_cents for table in place.tables_on(of.gaming_day)}
    for data in rounds:
        spread.add(from_json(data), signs.get(of.table), place.zone)
