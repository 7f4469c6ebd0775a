"""Routes of the locations of the cage: transfers, counts, and book balances."""

from functools import partial
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from services.table_inventory.api.access import (
    BY_OTHERS,
    DECIDED,
    TRANSACT,
    CageReader,
    DayReader,
    NumberPath,
)
from services.table_inventory.commands.locations import (
    EnterCageCount,
    IssueCageTransfer,
    ReceiveCageTransfer,
    RejectCageCount,
    ReturnCageTransfer,
    VerifyCageCount,
)
from services.table_inventory.domain.locations import CageCountDocument, CageTransferDocument
from services.table_inventory.domain.locations_in_use import LocationDocument, locations_with_cashiers
from services.table_inventory.queries.locations import (
    books_of,
    find_count,
    find_transfer,
    may_hold,
    who_has,
)
from services.table_inventory.tables import cage_counts, cage_transfers, properties
from shared.contracts.cage_locations import Book
from shared.contracts.property_snapshot import place_for_command
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Day,
    Page,
    PropertyPath,
    TableListing,
    command_route,
    document_response,
    problems,
)
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.rows import thing_of
from shared.runtime.service.service_context import ServiceContext

TRANSFERS: Final = TableListing(cage_transfers, "transfer")
COUNTS: Final = TableListing(cage_counts, "count")

DayOf = Annotated[Day | None, Query(alias="gaming_day", description="only of this gaming day")]


class CageBook(BaseModel):
    """The book balance of a location: `cents` in total, and `by_cause` since its books began."""

    location: str
    cents: int
    by_cause: Annotated[Book, Field(description="inflows, and outflows (negative), by cause, in cents")]


class CageBooks(BaseModel):
    """The book balance of every location of the cage that ever held anything."""

    items: list[CageBook]


class CageLocations(BaseModel):
    """The locations of a property's cage on its current gaming day."""

    items: list[LocationDocument]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/cage/{property}", tags=["cage"])
    command = partial(command_route, router, context.commands, role=TRANSACT)
    transfer = partial(command, answers=CageTransferDocument)
    count = partial(command, answers=CageCountDocument)
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.CONTRADICTS)
    transfer(IssueCageTransfer, "/transfers", status=201, rejects=rejects)
    one, path = "/transfers/{transfer}", router.prefix + "/transfers/{transfer}"
    transfer(ReceiveCageTransfer, one + "/receive", rejects=(*BY_OTHERS, Reason.NOT_ALLOWED), subject=path)
    transfer(ReturnCageTransfer, one + "/return", rejects=(*DECIDED, Reason.SAME_PERSON), subject=path)
    count(EnterCageCount, "/counts", status=201, rejects=rejects)
    counted, path = "/counts/{count}", router.prefix + "/counts/{count}"
    count(VerifyCageCount, counted + "/verify", rejects=BY_OTHERS, subject=path)
    count(RejectCageCount, counted + "/reject", rejects=(*DECIDED, Reason.SAME_PERSON), subject=path)

    @router.get(
        "/transfers",
        response_model_exclude_none=True,
        summary="List transfers at the cage",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_of_transfers(
        reader: CageReader,
        property_name: PropertyPath,
        asked: Asked,
        gaming_day: DayOf = None,
        status: Annotated[
            Literal["issued", "received", "returned"] | None, Query(description="only with this status")
        ] = None,
    ) -> Page[CageTransferDocument]:
        """List transfers between locations of the cage, and to and from outside parties, by number."""
        del reader
        wanted = {"property": property_name, "gaming_day": gaming_day, "status": status}
        async with snapshot(context.pools.readers) as connection:
            return await TRANSFERS.read(connection, asked, partial(thing_of, CageTransferDocument), **wanted)

    @router.get(
        one,
        response_model=CageTransferDocument,
        summary="Read a transfer at the cage",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_transfer(
        request: Request, reader: CageReader, property_name: PropertyPath, transfer: NumberPath
    ) -> Response:
        """Return a transfer as issued, with its current status."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await find_transfer(connection, property_name, transfer))

    @router.get(
        "/counts",
        response_model_exclude_none=True,
        summary="List counts at the cage",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_of_counts(
        reader: CageReader,
        property_name: PropertyPath,
        asked: Asked,
        gaming_day: DayOf = None,
        status: Annotated[
            Literal["entered", "verified", "rejected"] | None, Query(description="only with this status")
        ] = None,
    ) -> Page[CageCountDocument]:
        """List counts of the locations of the cage, by number."""
        del reader
        wanted = {"property": property_name, "gaming_day": gaming_day, "status": status}
        async with snapshot(context.pools.readers) as connection:
            return await COUNTS.read(connection, asked, partial(thing_of, CageCountDocument), **wanted)

    @router.get(
        counted,
        response_model=CageCountDocument,
        summary="Read a count at the cage",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_count(
        request: Request, reader: CageReader, property_name: PropertyPath, count: NumberPath
    ) -> Response:
        """Return a count as entered, with its current status."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found, _ = await find_count(connection, property_name, count)
        return document_response(request, found)

    @router.get(
        "/locations",
        response_model_exclude_none=True,
        summary="List the locations of the cage",
        responses=problems(Reason.NOT_FOUND),
    )
    async def list_of_locations(reader: CageReader, property_name: PropertyPath) -> CageLocations:
        """List the locations in use, and retired ones until a count finds them empty, with each drawer's cashier."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            places, now = await known_places(connection, properties), context.clock()
            place = place_for_command(places.place, property_name, now)
            who, day = await who_has(connection, property_name), place.gaming_day(now)
            holding = await may_hold(connection, property_name, place.retired_cage_locations_on(day))
        return CageLocations(items=locations_with_cashiers(place, day, who, holding))

    @router.get("/books", summary="Read the books of the cage")
    async def read_books(reader: DayReader, property_name: PropertyPath) -> CageBooks:
        """Return the book balance of each location. People who count locations have no access to it."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await books_of(connection, property_name)
        items = [
            CageBook(location=name, cents=sum(by_cause.values()), by_cause=by_cause) for name, by_cause in found.items()
        ]
        return CageBooks(items=items)

    return router
