"""All routes of reporting."""

from fastapi import APIRouter

from services.reporting.api import business, floor, reports
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    return merge_routers(floor.routes(context), reports.routes(context), business.routes(context))
