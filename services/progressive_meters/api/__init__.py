"""The HTTP interface of the meters: signs read them, people file, approve, change and reconcile them."""

from fastapi import APIRouter

from services.progressive_meters.api import commands, pools, reconciliations
from shared.runtime.service.context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, working on the database of a running service."""
    router = APIRouter()
    for room in (commands, pools, reconciliations):
        router.include_router(room.routes(context))
    return router
