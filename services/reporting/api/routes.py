"""The routes of reporting's HTTP API, merged into one router."""

from fastapi import APIRouter

from services.reporting.api import business, floor, general_ledger, reports
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the router, whose routes read from the database of a running service."""
    parts = (floor.routes, reports.routes, general_ledger.routes, business.routes)
    return merge_routers(*(part(context) for part in parts))
