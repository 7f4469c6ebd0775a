"""The manifest of the wagering accounts: patrons' wallets, game accounts and filings."""

from services.wagering_accounts.api import routes
from services.wagering_accounts.api.roles import (
    ADJUST,
    APPROVE,
    APPROVE_ERASURE,
    ERASE,
    EXCLUDE,
    MANAGE,
    PREPARE_FILINGS,
    PROMOTE,
    RELEASE_FILINGS,
    WAGER,
)
from services.wagering_accounts.commands import COMMANDS, filings
from services.wagering_accounts.filings_projector import FILINGS
from services.wagering_accounts.handlers import ApprovedProperties, Settlements
from services.wagering_accounts.projector import PROJECTOR
from services.wagering_accounts.queries.filings import compare_files
from services.wagering_accounts.queries.patron_keys import compare_patron_keys
from services.wagering_accounts.tables import filing_files, journal, patron_keys
from services.wagering_accounts.watch import watch
from shared.contracts.topics import ACCOUNTS
from shared.runtime.service.manifest import Manifest

MANIFEST = Manifest(
    name="wagering-accounts",
    title="Wagering accounts: wallets, game accounts, wagers on hold and in play",
    port=8106,
    roles=(
        *(ADJUST, APPROVE, APPROVE_ERASURE, ERASE, EXCLUDE, MANAGE, PROMOTE, WAGER),
        *(PREPARE_FILINGS, RELEASE_FILINGS),
    ),
    journal=journal,
    publishes=ACCOUNTS,
    references=(ApprovedProperties,),  # a property is known when its accounts are asked for
    handlers=(Settlements,),
    commands=COMMANDS.extended_with(filings.COMMANDS),
    projector=PROJECTOR.extended_with(FILINGS),
    checks={patron_keys: compare_patron_keys, filing_files: compare_files},
    routes=routes,
    watch=watch,
)
