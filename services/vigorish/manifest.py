"""The manifest of the vigorish ledger: its topics, handlers, read model and routes."""

from services.vigorish.api import routes
from services.vigorish.handlers import ApprovedProperties, PitChanges, PitEvents, Settlements, Submissions
from services.vigorish.projector import PROJECTOR
from services.vigorish.tables import journal
from shared.contracts.topics import VIGORISH
from shared.runtime.service.manifest import Manifest

MANIFEST = Manifest(
    name="vigorish",
    title="Vigorish: assessed, collected, waived, returned, outstanding",
    port=8105,
    journal=journal,
    publishes=VIGORISH,
    references=(ApprovedProperties, Submissions),  # loaded first: a round needs its rate and rounding when it arrives
    handlers=(Settlements, PitEvents, PitChanges),
    projector=PROJECTOR,
    routes=routes,
)
