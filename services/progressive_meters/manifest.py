"""The manifest of the progressive meters: its topics, handlers, commands, read model and routes."""

from services.progressive_meters.api import routes
from services.progressive_meters.api.parameters import APPROVE_METERS, CHANGE_METERS, READ_SIGNS, RECONCILE_METERS
from services.progressive_meters.commands import COMMANDS
from services.progressive_meters.handlers import ApprovedProperties, ApprovedRules, Settlements
from services.progressive_meters.projector import PROJECTOR
from services.progressive_meters.queries.kept import compare_hours
from services.progressive_meters.tables import compared_hours, journal
from services.progressive_meters.watch import watch
from shared.contracts.topics import METERS
from shared.runtime.service.manifest import Manifest

MANIFEST = Manifest(
    name="progressive-meters",
    title="Progressive meters: pools, contributions, awards, changes",
    port=8107,
    roles=(APPROVE_METERS, CHANGE_METERS, READ_SIGNS, RECONCILE_METERS),
    journal=journal,
    publishes=METERS,
    references=(ApprovedProperties, ApprovedRules),  # loaded first: a round needs the rates
    handlers=(Settlements,),
    commands=COMMANDS,
    projector=PROJECTOR,
    checks={compared_hours: compare_hours},
    routes=routes,
    watch=watch,
)
