"""The route of the tables' business metrics. They contain money, so unlike /metrics they require a role."""

from typing import Annotated, Final

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from shared.runtime.http import declare_role, require_role
from shared.runtime.service.service_context import ServiceContext

READ_METRICS: Final = declare_role("metrics.read", "Read what tables come to as metrics, for monitoring.")

Monitor = Annotated[str, require_role(READ_METRICS, whose="every")]


def routes(context: ServiceContext) -> APIRouter:
    """Return the route of the business metrics, with the values that the background job `watch` set last."""
    router = APIRouter(prefix="/metrics", tags=["operations"])

    @router.get("/business", summary="Read the business metrics", response_class=PlainTextResponse)
    async def business(monitor: Monitor) -> Response:
        """Return business metrics of all properties in Prometheus text format; the caller must work for all of them."""
        del monitor
        return Response(generate_latest(context.metrics.business), media_type=CONTENT_TYPE_LATEST)

    return router
