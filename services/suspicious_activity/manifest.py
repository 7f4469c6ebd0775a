"""The manifest of suspicious activity reports: a confidential service with roles of its own."""

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
    references=(ApprovedProperties,),  # the filing deadline follows from the law of the report's property
    commands=COMMANDS,
    projector=PROJECTOR,
    checks={sar_files: compare_files},
    routes=routes,
)
