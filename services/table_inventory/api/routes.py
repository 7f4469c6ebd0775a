"""All routes of the ledger."""

from fastapi import APIRouter

from services.table_inventory.api import (
    alarms,
    cage,
    checks,
    contests,
    counts,
    days,
    investigations,
    slips,
    tables,
)
from shared.runtime.service.context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, working for a running service."""
    router = APIRouter()
    for part in (
        *(slips.routes, counts.routes, days.variance_routes, days.day_routes, contests.routes, checks.routes),
        *(alarms.routes, investigations.routes, cage.routes, tables.routes),
    ):
        router.include_router(part(context))
    return router
