"""Routes of the pit: ratings of patrons' play, by reference."""

from datetime import date
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import AMEND_RATINGS, RATE
from services.table_inventory.commands import ratings as commands
from services.table_inventory.domain.rating_documents import RatingDocument, with_others
from services.table_inventory.queries.ratings import (
    RatingKey,
    find_rating_statement,
    find_steps,
    ratings_like,
    ratings_of_day,
    read_rating_statements,
    steps_of,
)
from services.table_inventory.tables import properties
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    DayQuery,
    Listing,
    Page,
    PropertyPath,
    PropertyQuery,
    TypedReference,
    command_route,
    document_response,
    problems,
    require_role,
)
from shared.runtime.http.roles import READ_PATRON_REPORTS
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.service.service_context import ServiceContext

RATINGS: Final[Listing[tuple[str]]] = Listing("ratings", tuple[str])

RatingReader = Annotated[str, require_role(READ_PATRON_REPORTS, RATE, AMEND_RATINGS)]
RatingPath = Annotated[Name, Path(description="the rating")]


class RatingFound(BaseModel):
    """A rating that matches a search, with the gaming day of its last step."""

    rating: str
    gaming_day: date


class RatingsFound(BaseModel):
    """The ratings that match a search, at most 20."""

    items: list[RatingFound]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of ratings."""
    router = APIRouter(prefix="/ratings", tags=["ratings"])
    command = partial(command_route, router, context.commands, answers=RatingDocument)
    when = (Reason.NOT_FOUND, Reason.TOO_EARLY, Reason.TOO_LATE)
    command(commands.OpenRating, "", role=RATE, status=201, rejects=(*when, Reason.NOT_ALLOWED))
    one = "/{property}/{rating}"
    step = partial(command, role=RATE, rejects=(*when, Reason.CONTRADICTS), subject=router.prefix + one)
    step(commands.MoveRating, f"{one}/move", rejects=(*when, Reason.CONTRADICTS, Reason.NOT_ALLOWED))
    step(commands.PauseRating, f"{one}/pause")
    step(commands.ResumeRating, f"{one}/resume")
    step(commands.StateAverageBet, f"{one}/average-bet")
    step(commands.RateBuyIn, f"{one}/buy-in")
    step(commands.CloseRating, f"{one}/close")
    wrong = (Reason.NOT_FOUND, Reason.CONTRADICTS, Reason.TOO_EARLY, Reason.SAME_PERSON, Reason.NOT_ALLOWED)
    step(commands.AmendRating, f"{one}/amend", rejects=wrong)
    step(commands.OverruleRating, f"{one}/overrule", role=AMEND_RATINGS, rejects=wrong)

    @router.get("/find", summary="Search ratings")
    async def find_ratings(reader: RatingReader, property_name: PropertyQuery, typed: TypedReference) -> RatingsFound:
        """Find ratings by reference, without their patrons."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await ratings_like(connection, property_name, typed)
        return RatingsFound(items=[RatingFound(rating=rating, gaming_day=day) for rating, day in found.items()])

    @router.get(
        one,
        response_model=RatingDocument,
        response_model_exclude_none=True,
        summary="Read a rating",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_rating(
        request: Request, reader: RatingReader, property_name: PropertyPath, rating: RatingPath
    ) -> Response:
        """Return a rating with its steps. A closed rating includes its theoretical win and how it was computed."""
        del reader
        key = RatingKey(property_name, rating)
        async with snapshot(context.pools.readers) as connection:
            steps, stated = await find_steps(connection, key), await find_rating_statement(connection, key)
            places = await known_places(connection, properties)
        return document_response(request, RatingDocument.of(steps, stated, places.place))

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List ratings",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_ratings(
        reader: RatingReader, property_name: PropertyQuery, gaming_day: DayQuery, asked: Asked
    ) -> Page[RatingDocument]:
        """List the ratings with a step on a gaming day, by name. Patrons appear only by reference."""
        del reader
        after = RATINGS.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            every = await ratings_of_day(connection, property_name, gaming_day)
            steps = await steps_of(connection, every)
            stated = await read_rating_statements(connection, every)
            places = await known_places(connection, properties)
        found = with_others(RatingDocument.of(steps[key], stated.get(key), places.place) for key in every)
        following = [one for one in found if after is None or one.rating > after[0]][: asked.limit + 1]
        return RATINGS.page(following, asked.limit, lambda one: (one.rating,))

    return router
