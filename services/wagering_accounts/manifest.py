"""The manifest of the wagering accounts: patrons' wallets, and game accounts for wagers at electronic tables."""

from services.wagering_accounts.api import routes
from services.wagering_accounts.api.roles import (
    ADJUST,
    APPROVE,
    APPROVE_ERASURE,
    ERASE,
    EXCLUDE,
    MANAGE,
    PROMOTE,
    WAGER,
)
from services.wagering_accounts.commands import COMMANDS
from services.wagering_accounts.handlers import ApprovedProperties, Settlements
from services.wagering_accounts.projector import PROJECTOR
from services.wagering_accounts.queries.patron_keys import compare_patron_keys
from services.wagering_accounts.tables import journal, patron_keys
from services.wagering_accounts.watch import watch
from shared.contracts.topics import ACCOUNTS
from shared.runtime.service.manifest import Manifest

MANIFEST = Manifest(
    name="wagering-accounts",
    title="Wagering accounts: wallets, game accounts, wagers on hold and in play",
    port=8106,
    roles=(ADJUST, APPROVE, APPROVE_ERASURE, ERASE, EXCLUDE, MANAGE, PROMOTE, WAGER),
    journal=journal,
    publishes=ACCOUNTS,
    references=(ApprovedProperties,),  # a property is known when its accounts are asked for
    handlers=(Settlements,),
    commands=COMMANDS,
    projector=PROJECTOR,
    checks={patron_keys: compare_patron_keys},
    routes=routes,
    watch=watch,
)
