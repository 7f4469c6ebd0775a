"""The manifest of round settlement: it reads table events, settles rounds and posts them."""

from services.round_settlement.api import READ_ROUNDS, routes
from services.round_settlement.commands import COMMANDS
from services.round_settlement.correction_routes import APPROVE_CORRECTIONS, CORRECT_ROUNDS
from services.round_settlement.desk import watch
from services.round_settlement.handlers import KnownProperties, Submissions, TableEvents
from services.round_settlement.projector import PROJECTOR
from services.round_settlement.rederiving import TableEventsAgain
from services.round_settlement.tables import journal
from shared.contracts.topics import SETTLEMENTS
from shared.runtime.rederivation.replay_spec import ReplaySpec
from shared.runtime.service.manifest import Manifest

MANIFEST = Manifest(
    name="round-settlement",
    title="Round settlement: every round of play settled, posted once, and shown",
    port=8102,
    roles=(READ_ROUNDS, CORRECT_ROUNDS, APPROVE_CORRECTIONS),
    journal=journal,
    publishes=SETTLEMENTS,
    references=(KnownProperties, Submissions),  # loaded first: no round is refused for a published document
    handlers=(TableEvents,),
    commands=COMMANDS,
    projector=PROJECTOR,
    rederived=lambda: (ReplaySpec(KnownProperties()), ReplaySpec(Submissions()), TableEventsAgain()),
    routes=routes,
    watch=watch,
)
