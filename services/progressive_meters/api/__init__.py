"""The HTTP API of the meters: read signs, pools and days; file and approve terms; request changes; reconcile days."""

from fastapi import APIRouter

from services.progressive_meters.api import commands, pools, reconciliations
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return all routes of the service."""
    return merge_routers(*(room.routes(context) for room in (commands, pools, reconciliations)))
