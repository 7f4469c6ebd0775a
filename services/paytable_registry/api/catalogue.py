"""Routes of the catalogue: the selections that a regulation allows in a submission."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel

from services.paytable_registry.api.access import RULES_READER
from shared.contracts.rejection import Reason, Rejected
from shared.rules.catalogue import Catalogue, catalogue, known_regulations
from shared.runtime.http import problems
from shared.runtime.service.service_context import ServiceContext


class Regulation(BaseModel):
    """A regulation under which a submission may be filed."""

    id: str
    title: str
    game: str
    source: str
    href: str


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes; they read no database."""
    del context
    router = APIRouter(prefix="/catalogue", tags=["catalogue"], dependencies=[RULES_READER])

    @router.get("", summary="List the regulations")
    def list_regulations() -> list[Regulation]:
        """List the regulations under which a submission may be filed."""
        catalogues = map(catalogue, known_regulations())
        return [
            Regulation(id=it.id, title=it.title, game=it.game, source=it.source, href=f"/catalogue/{it.id}")
            for it in catalogues
        ]

    @router.get(
        "/{regulation}",
        response_model_exclude_none=True,
        summary="Read the options of a regulation",
        responses=problems(Reason.NOT_FOUND),
    )
    def read_catalogue(regulation: Annotated[str, Path(max_length=100)]) -> Catalogue:
        """Return every wager, paytable, option, limit and minimum that a submission may select, with paragraphs."""
        if regulation not in known_regulations():
            known = ", ".join(known_regulations())
            raise Rejected(Reason.NOT_FOUND, f"regulation {regulation!r} is not known; known are {known}")
        return catalogue(regulation)

    return router
