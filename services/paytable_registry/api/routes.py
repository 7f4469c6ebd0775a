"""All routes of the registry."""

from fastapi import APIRouter

from services.paytable_registry.api import catalogue, paybacks, properties, sheets, submissions, tables
from shared.runtime.service.context import ServiceContext
from shared.runtime.web.routing import joined


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, working for a running service."""
    parts = (submissions.routes, paybacks.routes, sheets.routes, properties.routes, tables.routes, catalogue.routes)
    return joined(*(part(context) for part in parts))
