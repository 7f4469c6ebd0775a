"""What tables come to, as metrics: money, and so behind a role, where /metrics is open to whoever reaches the port."""

from typing import Annotated, Final

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from shared.runtime.http import declare_role, require_role
from shared.runtime.service.service_context import ServiceContext

READ_METRICS: Final = declare_role("metrics.read", "Read what tables come to as metrics, for monitoring.")

Monitor = Annotated[str, require_role(READ_METRICS, whose="every")]


def routes(context: ServiceContext) -> APIRouter:
    """Return the route, which shows what the service has watched last."""
    router = APIRouter(prefix="/metrics", tags=["operations"])

    @router.get("/business", summary="Read the metrics of money", response_class=PlainTextResponse)
    async def business(monitor: Monitor) -> Response:
        """In the text format of Prometheus, of every property: the caller works for all."""
        del monitor
        return Response(generate_latest(context.metrics.business), media_type=CONTENT_TYPE_LATEST)

    return router
