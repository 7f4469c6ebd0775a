"""The HTTP interface of the ledger: what the pit, the cage, the count team, revenue audit and readers do."""

from fastapi import APIRouter

from services.table_inventory.routes_close import day_routes, variance_routes
from services.table_inventory.routes_desk import count_routes, slip_routes
from services.table_inventory.routes_reports import report_routes
from shared.runtime.service.run import Parts


def routes(parts: Parts) -> APIRouter:
    """The routes, working on the parts of a running service."""
    router = APIRouter()
    for part in (slip_routes, count_routes, variance_routes, day_routes, report_routes):
        router.include_router(part(parts))
    return router
