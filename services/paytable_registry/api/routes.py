"""All routes of the registry."""

from fastapi import APIRouter

from services.paytable_registry.api import catalogue, properties, submissions, tables
from shared.runtime.service.context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, working for a running service."""
    router = APIRouter()
    for part in (submissions.routes, properties.routes, tables.routes, catalogue.routes):
        router.include_router(part(context))
    return router
