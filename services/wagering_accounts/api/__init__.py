"""The HTTP API of the wagering accounts: idempotent commands, and queries."""

from fastapi import APIRouter

from services.wagering_accounts.api.commands import add_commands
from services.wagering_accounts.api.filings import filing_routes
from services.wagering_accounts.api.identities import identity_routes
from services.wagering_accounts.api.reading import reading_routes
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext

__all__ = ["routes"]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of a running service."""
    router = APIRouter()
    # Commands first: routes are matched one after the other.
    add_commands(router, context)
    return merge_routers(router, identity_routes(context), filing_routes(context), reading_routes(context))
