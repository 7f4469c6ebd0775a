"""Progressive meters: every pool's exact reading, what fed it, what was paid from it, and who changed it."""

from services.progressive_meters.processing import Settlements
from services.progressive_meters.routes import routes
from services.progressive_meters.tables import journal, submissions
from shared.contracts import meter_events
from shared.runtime.consume.submissions import RulesSubmissions
from shared.runtime.service.run import Service

__all__ = ["SERVICE"]

SERVICE = Service(
    name="progressive-meters",
    tables=journal,
    references=lambda parts: (RulesSubmissions(submissions, parts.clock),),
    processors=lambda parts: (Settlements(),),  # noqa: ARG005
    publishes=meter_events.TOPIC,
    router=routes,
)
"""The submissions are read before the settlements: their rates are known when a round needs them."""
