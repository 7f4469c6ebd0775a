"""The HTTP API of the meters: signs read them; people file, approve, change and reconcile them."""

from fastapi import APIRouter

from services.progressive_meters.api import commands, pools, reconciliations
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of a running service."""
    return merge_routers(*(room.routes(context) for room in (commands, pools, reconciliations)))
