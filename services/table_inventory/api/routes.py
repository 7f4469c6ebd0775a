"""All HTTP routes of the ledger."""

from fastapi import APIRouter

from services.table_inventory.api import (
    alarms,
    cage,
    check_collection,
    checks,
    chips_in_service,
    contests,
    counts,
    credit_lines,
    days,
    investigations,
    locations,
    pit_changes,
    ratings,
    slips,
    tables,
    tax_invoices,
    tips,
    write_offs,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return all routes, bound to a running service."""
    parts = (
        *(slips.routes, counts.routes, days.variance_routes, days.day_routes, contests.routes, checks.routes),
        *(alarms.routes, investigations.routes, cage.routes, locations.routes, tables.routes, write_offs.routes),
        *(pit_changes.routes, credit_lines.routes, check_collection.routes, ratings.routes, tips.routes),
        *(chips_in_service.routes, tax_invoices.routes),
    )
    return merge_routers(*(part(context) for part in parts))
