"""Reporting: the daily win, the win to date and the exceptions, from what round settlement publishes."""

from services.reporting.processing import SERVICE_NAME, RulesSubmissions, Settlements
from services.reporting.routes import routes
from services.reporting.tables import journal
from shared.runtime.service.run import Service

__all__ = ["SERVICE"]


SERVICE = Service(
    name=SERVICE_NAME,
    tables=journal,
    references=lambda parts: (RulesSubmissions(parts.clock),),
    processors=lambda parts: (Settlements(),),  # noqa: ARG005
    router=routes,
)
