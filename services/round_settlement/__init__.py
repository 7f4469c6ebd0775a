"""Round settlement: every round of play, settled as its regulation and rules submission say, and posted once."""

from services.round_settlement.processing import TableEvents
from services.round_settlement.tables import journal, submissions
from shared.contracts import settlement_events
from shared.runtime.consume.submissions import RulesSubmissions
from shared.runtime.service.run import Service

SERVICE = Service(
    name="round-settlement",
    tables=journal,
    references=lambda parts: (RulesSubmissions(submissions, parts.clock),),
    processors=lambda parts: (TableEvents(),),  # noqa: ARG005
    publishes=settlement_events.TOPIC,
)
"""The submissions are read before the tables: a round is never refused for a submission that was there."""
