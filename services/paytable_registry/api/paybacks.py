"""Routes of paybacks: the computed and stated paybacks of a version, which are checked at its approval."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from services.paytable_registry.api.access import SUBMISSIONS_READER
from services.paytable_registry.api.submissions import GameName
from services.paytable_registry.domain.paybacks import ComparedPayback, compared, counted
from services.paytable_registry.queries import properties, submissions
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import VersionNumber
from shared.runtime.database import snapshot
from shared.runtime.http import PropertyPath, problems
from shared.runtime.service.service_context import ServiceContext

_COUNTS_AT_ONCE = 2

Meters = Annotated[
    list[str] | None, Query(alias="meter", description="a meter reading, as WAGER=CENTS; default: the reset amount")
]


class Paybacks(BaseModel):
    """The paybacks of each wager of a version, computed and stated."""

    property: Name
    game: Name
    version: VersionNumber
    wagers: list[ComparedPayback]
    counted: list[dict[str, Any]] = Field(
        description="as in the output of `pitledger payback show --json`: exact fractions, and every row"
    )


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, which read the database of the running service."""
    router = APIRouter(prefix="/submissions", tags=["submissions"], dependencies=[SUBMISSIONS_READER])
    counting = asyncio.Semaphore(_COUNTS_AT_ONCE)

    @router.get(
        "/{property}/{game}/{version}/paybacks",
        response_model_exclude_none=True,
        summary="Read the paybacks of a version",
        responses=problems(Reason.NOT_FOUND, Reason.NOT_ALLOWED),
    )
    async def read_paybacks(
        property_name: PropertyPath,
        game: GameName,
        version: Annotated[VersionNumber, Path()],
        meters: Meters = None,
    ) -> Paybacks:
        """Return paybacks computed from stored frequencies, even for a draft, and findings that need an override."""
        readings = dict(map(_reading, meters or ()))
        async with snapshot(context.pools.readers) as connection:
            found = await submissions.find(connection, property_name, game, version)
            place = (await properties.places_at(connection, property_name))(property_name, found.effective_from)
        async with counting:
            plays = await asyncio.to_thread(counted, found, readings)
        document = None if place is None else place.document
        return Paybacks(
            property=property_name,
            game=game,
            version=version,
            wagers=compared(found, plays, document),
            counted=[play.as_document() for play in plays],
        )

    return router


def _reading(text: str) -> tuple[str, int]:
    wager, _, cents = text.partition("=")
    if not wager or not (cents.isascii() and cents.isdigit()):
        raise Rejected(Reason.MALFORMED, f"'meter' {text!r}: give WAGER=CENTS, such as progressive_payout=1234500")
    return wager, int(cents)
