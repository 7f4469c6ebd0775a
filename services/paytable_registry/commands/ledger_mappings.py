"""Commands on general-ledger mappings: file, approve and return a version."""

from typing import Final

from services.paytable_registry.commands.documents import ApproveVersion, ReturnVersion, document_commands
from services.paytable_registry.domain.ledger_mappings import LEDGER_MAPPINGS
from services.paytable_registry.queries.ledger_mappings import VERSIONS
from shared.contracts.general_ledger import LedgerMappingDocument
from shared.runtime.commands.command import Command

PATH: Final = "/ledger-mappings"


class FileLedgerMapping(Command, LedgerMappingDocument):
    """File the next version of a property's general-ledger mapping.

    Another person approves it before it takes effect.
    """


class ApproveLedgerMapping(ApproveVersion):
    """Approve a version.

    It is in effect for the gaming days that begin at `effective_from` or later.
    """


class ReturnLedgerMapping(ReturnVersion):
    """Return a version to its filer.

    It never takes effect.
    """


COMMANDS = document_commands(
    LEDGER_MAPPINGS, VERSIONS, PATH, file=FileLedgerMapping, approve=ApproveLedgerMapping, give_back=ReturnLedgerMapping
)
