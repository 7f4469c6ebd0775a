"""All routes of reporting."""

from fastapi import APIRouter

from services.reporting.api import reports, wins
from shared.runtime.service.context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes: those of one report before those of any."""
    router = APIRouter()
    router.include_router(wins.routes(context))
    router.include_router(reports.routes(context))
    return router
