"""All routes of reporting."""

from fastapi import APIRouter

from services.reporting.api import business, floor, reports
from shared.runtime.service.context import ServiceContext
from shared.runtime.web.routing import joined


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    return joined(floor.routes(context), reports.routes(context), business.routes(context))
