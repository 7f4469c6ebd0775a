"""Routes of suspicious activity reports, open only to the roles of this service.

The manifest makes the whole service confidential, so that no other role reaches any route.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final
from uuid import uuid4

from fastapi import APIRouter, Path, Query, Request, Response

from services.suspicious_activity import queries
from services.suspicious_activity.commands import (
    DestroySarFile,
    PrepareSar,
    RecordSarAcknowledgement,
    RecordSarFiled,
    ReleaseSar,
    WithdrawSar,
)
from services.suspicious_activity.domain.sar_files import SarFileWrong, SarInFile, read_sar
from services.suspicious_activity.domain.sars import DueSar, SarDocument
from services.suspicious_activity.tables import properties, sars
from shared.contracts.filings import FilingStatus
from shared.contracts.property_snapshot import place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.suspicions import SarSeen, SarSeenBy
from shared.journal.entry import EntryDraft
from shared.journal.recording import Causation, FactWithPostings, draft
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
    command_route,
    document_response,
    problems,
    require_role,
)
from shared.runtime.http.audit_log import append_audit_entry
from shared.runtime.http.roles import declare_role
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.sealing import WrappingKeys, wrapping_keys
from shared.runtime.service.service_context import ServiceContext

PREPARE: Final = declare_role(
    "sar.prepare",
    "Prepare suspicious activity reports, withdraw them, and record that they were sent and what came back.",
)
RELEASE: Final = declare_role("sar.prepare.approve", "Release suspicious activity reports that somebody else prepared.")

_SARS: Final = TableListing(sars, "property", "sar")
_PATH: Final = "/sars/{property}/{sar}"
_LOOKS: Final = "looks"
"""The shard with the audit entries of who read which report."""

SarReader = Annotated[str, require_role(PREPARE, RELEASE)]
_Numbered = Annotated[int, Path(ge=1, le=2**53, description="the report")]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of a running service."""
    router = APIRouter(tags=["suspicious activity"])
    _add_commands(router, context)

    @router.get("/sars", response_model_exclude_none=True, summary="List suspicious activity reports")
    async def list_sars(
        reader: SarReader,
        property_name: PropertyQuery,
        asked: Asked,
        from_end: FromEnd = False,
        status: Annotated[FilingStatus | None, Query(description="only reports with this status")] = None,
    ) -> Page[SarDocument]:
        """List the reports of a property with their status, oldest first unless requested from the end.

        The access to each listed report is recorded.
        """
        async with snapshot(context.pools.readers) as connection:
            named = {"property": property_name, "status": status}
            found = await _SARS.read(connection, asked, queries.document_of, from_end, **named)
        await _record(context, found.items, "report", reader)
        return found

    @router.get(
        "/due-sars",
        response_model_exclude_none=True,
        summary="List suspicious activity reports that are still to be sent",
        responses=problems(Reason.NOT_FOUND),
    )
    async def list_due(reader: SarReader, property_name: PropertyQuery) -> list[DueSar]:
        """Return the reports of a property that are still to be sent: earliest deadline first, amendments last."""
        del reader
        now = context.clock()
        async with snapshot(context.pools.readers) as connection:
            place = place_for_command((await known_places(connection, properties)).place, property_name, now)
            return await queries.due_sars(connection, property_name, now.astimezone(place.zone).date())

    @router.get(
        _PATH,
        response_model=SarDocument,
        summary="Read a suspicious activity report",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND)},
    )
    async def read_report(request: Request, reader: SarReader, property_name: PropertyPath, sar: _Numbered) -> Response:
        """Return a report's record; its narrative is in its file. The access is recorded."""
        async with snapshot(context.pools.readers) as connection:
            found = await queries.find(connection, property_name, sar)
        await _record(context, [found], "report", reader)
        return document_response(request, found)

    @router.get(
        _PATH + "/file",
        response_class=Response,
        summary="Read the file of a suspicious activity report",
        responses={
            200: {"content": {"application/xml": {}}, "description": "the file, as it was prepared"},
            **problems(Reason.NOT_FOUND, Reason.NOT_READY, Reason.NOT_AS_RECORDED),
        },
    )
    async def read_file(reader: SarReader, property_name: PropertyPath, sar: _Numbered) -> Response:
        """Return the file as prepared, with narrative and personal data. The access is recorded."""
        keys = wrapping_keys(context.settings.patron_keys_file)
        async with snapshot(context.pools.readers) as connection:
            found = await queries.find(connection, property_name, sar)
            content = await queries.FILES.open(connection, keys, found, sar)
        await _record(context, [found], "file", reader)
        return Response(content, media_type="application/xml", headers={"Cache-Control": "no-store"})

    return router


def _add_commands(router: APIRouter, context: ServiceContext) -> None:
    add = partial(command_route, router, context.commands, answers=SarDocument)
    decided = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    add(
        PrepareSar,
        "/sars",
        role=PREPARE,
        status=201,
        rejects=(*decided, Reason.CONTRADICTS, Reason.NOT_ALLOWED, Reason.NOT_READY),
        prepare=partial(_read, context),
    )
    add = partial(add, subject=_PATH)
    add(ReleaseSar, _PATH + "/release", role=RELEASE, rejects=(*decided, Reason.SAME_PERSON, Reason.CONTRADICTS))
    add = partial(add, role=PREPARE)
    add(WithdrawSar, _PATH + "/withdraw", rejects=decided)
    sent = (*decided, Reason.TOO_EARLY, Reason.CONTRADICTS)
    add(RecordSarFiled, _PATH + "/filed", rejects=sent)
    add(RecordSarAcknowledgement, _PATH + "/acknowledgement", rejects=sent)
    add(DestroySarFile, _PATH + "/destruction", rejects=(*decided, Reason.TOO_EARLY, Reason.NOT_ALLOWED))


async def _read(context: ServiceContext, command: PrepareSar, person: str, key: str) -> PrepareSar:
    """Read the file, and encrypt it with a key of its own. Raises: Rejected if it is not a valid report."""
    del person, key
    keys = wrapping_keys(context.settings.patron_keys_file)
    return command.read(await asyncio.to_thread(_read_file, keys, command.property, command.file))


def _read_file(keys: WrappingKeys, property_name: str, text: str) -> SealedFile[SarInFile]:
    try:
        return queries.FILES.seal(keys, property_name, text, read_sar(text))
    except SarFileWrong as error:
        raise Rejected(Reason.CONTRADICTS, str(error)) from error


async def _record(context: ServiceContext, found: Sequence[SarDocument], what: SarSeen, reader: str) -> None:
    """Record the access to reports or to a report's file, with one entry per report, before the answer is sent."""
    now = context.clock()
    facts = [SarSeenBy(property=one.property, sar=one.sar, what=what, by=reader, at=now) for one in found]
    if facts:
        await append_audit_entry(context, _LOOKS, *(_entry(context.service, fact) for fact in facts))


def _entry(service: str, fact: SarSeenBy) -> EntryDraft:
    key = f"look.{uuid4()}"
    return draft(FactWithPostings(fact=fact), Causation(f"/{service}/looks/{key}", 1, key, None, fact.at))
