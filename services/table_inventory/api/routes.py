"""All routes of the ledger."""

from fastapi import APIRouter

from services.table_inventory.api import cage, checks, contests, counts, days, investigations, reports, slips
from shared.runtime.service.context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, working for a running service."""
    router = APIRouter()
    for part in (
        slips.routes,
        counts.routes,
        days.variance_routes,
        days.day_routes,
        contests.routes,
        checks.routes,
        cage.routes,
        investigations.routes,
        reports.routes,
    ):
        router.include_router(part(context))
    return router
