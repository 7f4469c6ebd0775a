"""Routes of the sheets for patrons: a version's sign of payout odds, and its gaming guide."""

from hashlib import sha256
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response

from services.paytable_registry.api.access import SUBMISSIONS_READER
from services.paytable_registry.api.submissions import GameName
from services.paytable_registry.domain.sheets import sheet_of
from services.paytable_registry.queries import submissions
from services.paytable_registry.rendering import MEDIA_TYPES, FormName, render
from shared.contracts.rejection import Reason
from shared.contracts.versions import VersionNumber
from shared.rules.signs.sheet import Kind
from shared.runtime.cancellation import in_thread
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, PropertyPath, problems
from shared.runtime.http.admission import FULL, AdmissionQueue
from shared.runtime.http.conditional_requests import entity_tag, respond
from shared.runtime.service.service_context import ServiceContext

_PAGES_AT_ONCE: Final = 2
_WAITING_MAX: Final = 16

Form = Annotated[FormName, Query(alias="as", description="the form")]
Version = Annotated[VersionNumber, Path()]

_CONTENT: Final[dict[str, Any]] = {"content": {media_type: {} for media_type in MEDIA_TYPES.values()}}
_ANSWERS: Final = {
    200: _CONTENT,
    **UNCHANGED,
    **problems(Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.DOCUMENT_TOO_LARGE),
    **FULL,
}


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, which read the database of the running service."""
    router = APIRouter(prefix="/submissions", tags=["submissions"], dependencies=[SUBMISSIONS_READER])
    setting = AdmissionQueue("sheets", at_once=_PAGES_AT_ONCE, waiting_max=_WAITING_MAX)
    path = "/{property}/{game}/{version}"

    async def answer(request: Request, named: tuple[str, str, int], kind: Kind, form: FormName) -> Response:
        async with snapshot(context.pools.readers) as connection:
            found = await submissions.find(connection, *named)
        sheet = sheet_of(found, kind)
        async with setting.taken(request):
            content = await in_thread(lambda go_on: render(sheet, form, go_on))
        return respond(request, content, MEDIA_TYPES[form], entity_tag(sha256(content).hexdigest()))

    @router.get(
        path + "/sign", response_class=Response, summary="Read the sign of payout odds of a version", responses=_ANSWERS
    )
    async def read_sign(
        request: Request, property_name: PropertyPath, game: GameName, version: Version, form: Form = "html"
    ) -> Response:
        """Return the sign of payout odds: every wager on offer with its paying rows, and the paragraph of each."""
        return await answer(request, (property_name, game, version), "sign", form)

    @router.get(
        path + "/guide", response_class=Response, summary="Read the gaming guide of a version", responses=_ANSWERS
    )
    async def read_guide(
        request: Request, property_name: PropertyPath, game: GameName, version: Version, form: Form = "html"
    ) -> Response:
        """Return the gaming guide: how the game is played, how each wager wins and what it pays, with paragraphs."""
        return await answer(request, (property_name, game, version), "guide", form)

    return router
