"""The route that exports general-ledger journals as files for accounting programs, hledger and beancount."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from services.reporting.api.reports import AskedReport, question_asked
from services.reporting.ingest.progress import all_read_until
from services.reporting.rendering.ledger_files import LEDGER_FORMATS, LedgerFormatName, write_journals
from services.reporting.report_service import books_of
from services.reporting.reports.general_ledger.exporting import ledger_file
from shared.contracts.rejection import Reason
from shared.runtime.http import require_role
from shared.runtime.http.admission import FULL, AdmissionQueue
from shared.runtime.http.problems import problems
from shared.runtime.http.roles import READ_REPORTS
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.snapshot_reader import read_at_once

Reader = Annotated[str, require_role(READ_REPORTS)]

_READ: Final = {
    200: {
        "content": {
            one.media_type: {"schema": {"type": "string", "format": "binary"}} for one in LEDGER_FORMATS.values()
        }
    },
    **problems(Reason.NOT_FOUND, Reason.TOO_EARLY, Reason.DOCUMENT_TOO_LARGE),
    **FULL,
}


def routes(context: ServiceContext) -> APIRouter:
    """Return the router, whose routes read from the database of a running service."""
    router = APIRouter(prefix="/general-ledger", tags=["general ledger"])
    settings = context.settings
    files = AdmissionQueue("journals as files", at_once=1, waiting_max=settings.reports_waiting_max)

    @router.get("/journals", summary="Read journals as a file", responses=_READ)
    async def read_journals(
        request: Request,
        person: Reader,
        asked: AskedReport,
        form: Annotated[LedgerFormatName, Query(alias="as", description="the format")] = "csv",
        partial: Annotated[
            bool, Query(description="accept a period that is not sealed to its end, up to its last sealed day")
        ] = False,
    ) -> Response:
        """Return the journals of the sealed gaming days of a period, under the general-ledger mapping.

        The export is refused if a day of the period with postings or its last day is not sealed, if a day has no
        mapping, or if the mapping has no rule for a leg. A partial export leaves out what follows the last sealed day.
        It is also refused until reporting has read all entries recorded up to the time of the latest journal.
        """
        async with files.taken(request):
            read_until = await all_read_until(
                context, context.pools.readers
            )  # before the snapshot, which then has all of it
            async with read_at_once(context.pools.readers) as read:
                question = await question_asked(read, person, asked, context.clock())
                file = await ledger_file(await books_of(read, question, explain=False), read_until, partial=partial)
            content = write_journals(file, form)
        named = f"general-ledger-{question.property}-{question.first}.{LEDGER_FORMATS[form].extension}"
        return Response(
            content,
            media_type=LEDGER_FORMATS[form].media_type,
            headers={"Content-Disposition": f'attachment; filename="{named}"'},
        )

    return router
