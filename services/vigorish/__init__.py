"""Vigorish: assessed by settled rounds, collected, waived and returned at the tables, and what is still outstanding."""

from services.vigorish.processing import PitEvents, Settlements
from services.vigorish.routes import routes
from services.vigorish.tables import journal, submissions
from shared.contracts import vigorish_events
from shared.runtime.consume.submissions import RulesSubmissions
from shared.runtime.service.run import Service

__all__ = ["SERVICE"]

SERVICE = Service(
    name="vigorish",
    tables=journal,
    references=lambda parts: (RulesSubmissions(submissions, parts.clock),),
    processors=lambda parts: (Settlements(), PitEvents()),  # noqa: ARG005
    publishes=vigorish_events.TOPIC,
    router=routes,
)
"""The submissions are read before the rest: how a round's vigorish is rounded is known when it comes."""
