"""The manifest of suspicious activity reports: a room of their own, into which nobody else looks."""

from services.suspicious_activity.api import PREPARE, RELEASE, routes
from services.suspicious_activity.commands import COMMANDS
from services.suspicious_activity.handlers import ApprovedProperties
from services.suspicious_activity.projector import PROJECTOR
from services.suspicious_activity.queries import compare_files
from services.suspicious_activity.tables import journal, sar_files
from shared.runtime.service.manifest import Manifest

MANIFEST = Manifest(
    name="suspicious-activity",
    title="Suspicious activity reports: for those who make them alone",
    port=8108,
    confidential=True,
    roles=(PREPARE, RELEASE),
    journal=journal,
    references=(ApprovedProperties,),  # by when a report is filed follows from the law of its property
    commands=COMMANDS,
    projector=PROJECTOR,
    checks={sar_files: compare_files},
    routes=routes,
)
