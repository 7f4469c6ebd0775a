"""All routes of the registry."""

from fastapi import APIRouter

from services.paytable_registry.api import catalogue, ledger_mappings, paybacks, properties, sheets, submissions, tables
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return all routes of the service."""
    parts = (
        *(submissions.routes, paybacks.routes, sheets.routes, properties.routes, tables.routes),
        *(ledger_mappings.routes, catalogue.routes),
    )
    return merge_routers(*(part(context) for part in parts))
