"""All routes of reporting."""

from fastapi import APIRouter

from services.reporting.api import exceptions, reports
from shared.runtime.service.context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes: that of one list before those of any report."""
    router = APIRouter()
    router.include_router(exceptions.routes(context))
    router.include_router(reports.routes(context))
    return router
