"""The manifest of the vigorish ledger: assessed by settled rounds; collected, waived, returned at tables."""

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
    references=(ApprovedProperties, Submissions),  # a round's rate and rounding are known when it comes
    handlers=(Settlements, PitEvents, PitChanges),
    projector=PROJECTOR,
    routes=routes,
)
