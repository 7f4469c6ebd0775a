"""The route of the tables' business metrics, which contain money and so, unlike /metrics, require a role."""

from typing import Annotated, Final

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from shared.runtime.http import declare_role, require_role
from shared.runtime.service.service_context import ServiceContext

READ_METRICS: Final = declare_role("metrics.read", "Read what tables come to as metrics, for monitoring.")

Monitor = Annotated[str, require_role(READ_METRICS, whose="every")]


def routes(context: ServiceContext) -> APIRouter:
    """Return the router that serves the business metrics as last set by the background job `watch`."""
    router = APIRouter(prefix="/metrics", tags=["operations"])

    @router.get("/business", summary="Read the business metrics", response_class=PlainTextResponse)
    async def business(monitor: Monitor) -> Response:
        """Return all properties' metrics in Prometheus text format; the caller must have access to every property."""
        del monitor
        return Response(generate_latest(context.metrics.business), media_type=CONTENT_TYPE_LATEST)

    return router
