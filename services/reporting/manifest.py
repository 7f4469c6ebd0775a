"""The service manifest of reporting: its handlers, projector, routes, roles and background job."""

from services.reporting.api.business import READ_METRICS
from services.reporting.api.routes import routes
from services.reporting.ingest.journals import Accounts, Inventory, Meters, Ratings, Settlements, Vigorish
from services.reporting.ingest.reference_data import ApprovedProperties, Submissions
from services.reporting.projector import PROJECTOR
from services.reporting.read_model.evidence import compare_evidence
from services.reporting.tables import evidence_days, journal
from services.reporting.watch import watch
from shared.runtime.service.manifest import Manifest

MANIFEST = Manifest(
    name="reporting",
    title="Reporting: revenue, tax and audit",
    port=8103,
    journal=journal,
    references=(ApprovedProperties,),  # every report is about a property and applies its law
    handlers=(Submissions, Settlements, Inventory, Vigorish, Meters, Accounts, Ratings),
    projector=PROJECTOR,
    checks={evidence_days: compare_evidence},
    routes=routes,
    roles=(READ_METRICS,),
    watch=watch,
)
