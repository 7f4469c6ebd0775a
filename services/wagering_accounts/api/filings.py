"""Routes of filings: prepare, release, withdraw, record as sent, record the agency's answer, list and read."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel

from services.wagering_accounts.api.looks import record_looks
from services.wagering_accounts.api.roles import PREPARE_FILINGS, RELEASE_FILINGS
from services.wagering_accounts.commands.filings import (
    PrepareFiling,
    RecordAcknowledgement,
    RecordFiled,
    ReleaseFiling,
    WithdrawFiling,
)
from services.wagering_accounts.domain.filed_batches import read_batch
from services.wagering_accounts.domain.filed_reports import FileWrong, ReportInFile
from services.wagering_accounts.domain.filed_returns import read_returns
from services.wagering_accounts.domain.filings import FilingDocument, FilingSummary, ListedFiling, layout_of
from services.wagering_accounts.domain.today import Todays
from services.wagering_accounts.queries import filings as queries
from services.wagering_accounts.tables import filings, properties
from shared.contracts.filings import FilingForm, FilingPeriod, FilingStatus
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.database import snapshot
from shared.runtime.filing.sealed_files import SealedFile
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    FromEnd,
    Page,
    PropertyPath,
    PropertyQuery,
    TableListing,
    TypedReference,
    command_route,
    document_response,
    problems,
    require_role,
)
from shared.runtime.http.roles import READ_PATRON_REPORTS
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.sealing import WrappingKeys, wrapping_keys
from shared.runtime.service.service_context import ServiceContext

_FILINGS: Final = TableListing(filings, "property", "filing")
_PATH: Final = "/filings/{property}/{filing}"

FilingReader = Annotated[str, require_role(READ_PATRON_REPORTS, PREPARE_FILINGS, RELEASE_FILINGS)]
_Numbered = Annotated[int, Path(ge=1, le=2**53, description="the filing")]


class FilingsFound(BaseModel):
    """The filings that match a search, at most 20, without their reports."""

    items: list[FilingSummary]


def filing_routes(context: ServiceContext) -> APIRouter:
    """Return the routes of filings."""
    router = APIRouter(tags=["filings"])
    _add_commands(router, context)

    @router.get("/filings", response_model_exclude_none=True, summary="List filings")
    async def list_filings(
        reader: FilingReader,
        property_name: PropertyQuery,
        asked: Asked,
        from_end: FromEnd = False,
        status: Annotated[FilingStatus | None, Query(description="only those with this status")] = None,
        form: Annotated[FilingForm | None, Query(description="only those of this form")] = None,
        period: Annotated[FilingPeriod | None, Query(description="only those of this gaming day or tax year")] = None,
    ) -> Page[ListedFiling]:
        """List the filings of a property with their status, oldest first unless requested from the end."""
        del reader
        named = {"property": property_name, "status": status, "form": form, "period": period}
        async with snapshot(context.pools.readers) as connection:
            found = await _FILINGS.read(connection, asked, ListedFiling.model_validate, from_end, **named)
            rejected = [one.filing for one in found.items if one.status == "rejected"]
            again = await queries.filed_again(connection, property_name, rejected)
            amending = await queries.only_amends(connection, property_name, [one.filing for one in found.items])
        for one in found.items:
            one.only_amends = one.filing in amending
            if one.status == "rejected":
                one.filed_again = one.filing in again
        return found

    @router.get("/filings/find", response_model_exclude_none=True, summary="Search filings")
    async def find_filings(reader: FilingReader, property_name: PropertyQuery, typed: TypedReference) -> FilingsFound:
        """Find filings by number, tracking identifier, or the BSA identifier or form number of one of their reports.

        The reports are not returned, so that no access is recorded.
        """
        del reader
        async with snapshot(context.pools.readers) as connection:
            return FilingsFound(items=await queries.filings_like(connection, property_name, typed))

    @router.get(
        _PATH,
        response_model=FilingDocument,
        summary="Read a filing",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND)},
    )
    async def read_filing(
        request: Request, reader: FilingReader, property_name: PropertyPath, filing: _Numbered
    ) -> Response:
        """Return a filing with its reports, each with its person and the agency's answer. The access is recorded."""
        async with snapshot(context.pools.readers) as connection:
            found = await queries.find(connection, property_name, filing)
        await _record(context, found, reader)
        return document_response(request, found)

    @router.get(
        _PATH + "/file",
        response_class=Response,
        summary="Read the file of a filing",
        responses={
            200: {"content": {"application/xml": {}, "text/csv": {}}, "description": "the file, as it was prepared"},
            **problems(Reason.NOT_FOUND, Reason.NOT_READY, Reason.NOT_AS_RECORDED),
        },
    )
    async def read_file(reader: FilingReader, property_name: PropertyPath, filing: _Numbered) -> Response:
        """Return the file as it was prepared, with personal data. The access is recorded."""
        keys = wrapping_keys(context.settings.patron_keys_file)
        async with snapshot(context.pools.readers) as connection:
            found = await queries.find(connection, property_name, filing)
            content = await queries.FILES.open(connection, keys, found, filing)
        await _record(context, found, reader)
        media_type = "application/xml" if found.form == "ctr" else "text/csv"
        return Response(content, media_type=media_type, headers={"Cache-Control": "no-store"})

    return router


def _add_commands(router: APIRouter, context: ServiceContext) -> None:
    add = partial(command_route, router, context.commands, answers=FilingDocument)
    decided = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    add(
        PrepareFiling,
        "/filings",
        role=PREPARE_FILINGS,
        status=201,
        rejects=(*decided, Reason.CONTRADICTS, Reason.NOT_ALLOWED, Reason.NOT_READY, Reason.TOO_EARLY),
        prepare=partial(_read, context),
    )
    add = partial(add, subject=_PATH)
    released = (*decided, Reason.SAME_PERSON, Reason.CONTRADICTS)
    add(ReleaseFiling, _PATH + "/release", role=RELEASE_FILINGS, rejects=released)
    add = partial(add, role=PREPARE_FILINGS)
    add(WithdrawFiling, _PATH + "/withdraw", rejects=decided)
    sent = (*decided, Reason.TOO_EARLY, Reason.CONTRADICTS)
    add(RecordFiled, _PATH + "/filed", rejects=sent)
    add(RecordAcknowledgement, _PATH + "/acknowledgement", rejects=sent)


async def _read(context: ServiceContext, command: PrepareFiling, person: str, key: str) -> PrepareFiling:
    """Return the command with its file parsed and encrypted. Raises: Rejected if the file is not of this form."""
    del person, key
    keys = wrapping_keys(context.settings.patron_keys_file)
    reader = await _reader(context, command)
    return command.read(await asyncio.to_thread(_read_file, keys, command.property, command.file, reader))


async def _reader(context: ServiceContext, command: PrepareFiling) -> Callable[[str], Sequence[ReportInFile]]:
    """Return the parser for files of this form; information returns have the layout of their tax year."""
    if command.form == "ctr":
        return read_batch
    async with snapshot(context.pools.readers) as connection:
        places = await known_places(connection, properties)
    place = Todays(places.place).at(command.property, context.clock()).place
    return partial(read_returns, layout=layout_of(place.reporting, command.form, command.period))


def _read_file(
    keys: WrappingKeys, property_name: str, text: str, reader: Callable[[str], Sequence[ReportInFile]]
) -> SealedFile[Sequence[ReportInFile]]:
    try:
        return queries.FILES.seal(keys, property_name, text, reader(text))
    except FileWrong as error:
        raise Rejected(Reason.CONTRADICTS, str(error)) from error


async def _record(context: ServiceContext, filing: FilingDocument, reader: str) -> None:
    patrons = {patron for one in filing.reports for patron in one.patrons()}
    await record_looks(context, filing.property, patrons, "filing", reader)
