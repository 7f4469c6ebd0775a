"""Commands on general-ledger mappings: file, approve and return a version."""

from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.commands.documents import ApproveVersion, ReturnVersion, document_commands
from services.paytable_registry.domain.ledger_mappings import LEDGER_MAPPINGS
from services.paytable_registry.queries import properties
from services.paytable_registry.queries.ledger_mappings import VERSIONS
from shared.contracts.general_ledger import LedgerMappingDocument
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.command import Command

PATH: Final = "/ledger-mappings"


class FileLedgerMapping(Command, LedgerMappingDocument):
    """File the next version of a property's general-ledger mapping.

    Another person approves it before it takes effect.
    """


class ApproveLedgerMapping(ApproveVersion):
    """Approve a version of a general-ledger mapping.

    The version is in effect for the gaming days that begin at `effective_from` or later.
    """


class ReturnLedgerMapping(ReturnVersion):
    """Return a version of a general-ledger mapping to its filer.

    The version never takes effect.
    """


async def _require_property(connection: AsyncConnection, name: str) -> None:
    """Raise Rejected unless the property is approved; a mapping of an unknown property would never be used."""
    if not await properties.VERSIONS.approved(connection, name):
        detail = f"there is no approved property {name!r}: file it and have it approved, then file its ledger mapping"
        raise Rejected(Reason.NOT_FOUND, detail)


COMMANDS = document_commands(
    LEDGER_MAPPINGS,
    VERSIONS,
    PATH,
    file=FileLedgerMapping,
    approve=ApproveLedgerMapping,
    give_back=ReturnLedgerMapping,
    require=_require_property,
)
