"""The HTTP interface of the meters: signs read them, people file, approve, change and reconcile them."""

from fastapi import APIRouter

from services.progressive_meters.api import commands, pools, reconciliations
from shared.runtime.service.context import ServiceContext
from shared.runtime.web.routing import joined


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, working on the database of a running service."""
    return joined(*(room.routes(context) for room in (commands, pools, reconciliations)))
