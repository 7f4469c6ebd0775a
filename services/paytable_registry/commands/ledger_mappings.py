"""Commands on general-ledger mappings: file, approve and return a version."""

from typing import Annotated

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain import ledger_mappings
from services.paytable_registry.domain.history import History
from services.paytable_registry.domain.ledger_mappings import LedgerMappingVersion
from services.paytable_registry.queries import ledger_mappings as queries
from shared.contracts.envelope import Name, Reason
from shared.contracts.general_ledger import LedgerMappingDocument
from shared.contracts.topics import PROPERTIES
from shared.contracts.versions import VersionNumber
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded

COMMANDS = Commands(shards=PROPERTIES.name)


class FileLedgerMapping(Command, LedgerMappingDocument):
    """File the next version of a property's general-ledger mapping.

    Another person approves it before it takes effect.
    """


class _OfVersion(Command):
    property: Annotated[Name, Field(description="the property")]
    version: VersionNumber


class ApproveLedgerMapping(_OfVersion, Approving):
    """Approve a version.

    It is in effect for the gaming days that begin at `effective_from` or later.
    """


class ReturnLedgerMapping(_OfVersion):
    """Return a version to its filer.

    It never takes effect.
    """

    reason: Reason


async def _find(connection: AsyncConnection, command: _OfVersion) -> LedgerMappingVersion:
    return await queries.find(connection, command.property, command.version)


async def _history(connection: AsyncConnection, command: FileLedgerMapping) -> History:
    return await queries.history(connection, command.property)


async def _version_and_history(
    connection: AsyncConnection, command: ApproveLedgerMapping
) -> tuple[LedgerMappingVersion, History]:
    return await _find(connection, command), await queries.history(connection, command.property)


@COMMANDS.handles(FileLedgerMapping, load=_history)
def _file(command: FileLedgerMapping, history: History, now: Now) -> Accepted:
    fact = ledger_mappings.file(command, history, by=now.by, at=now.at)
    location = f"/ledger-mappings/{fact.property}/{fact.version}"
    return Accepted(recording=FactWithPostings(fact=fact), answer=ledger_mappings.after(fact, fact), location=location)


@COMMANDS.handles(ApproveLedgerMapping, load=_version_and_history, subject=first_loaded)
def _approve(command: ApproveLedgerMapping, state: tuple[LedgerMappingVersion, History], now: Now) -> Accepted:
    del command
    version, history = state
    fact = ledger_mappings.approve(version, history, by=now.by, at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=ledger_mappings.after(version, fact))


@COMMANDS.handles(ReturnLedgerMapping, load=_find)
def _return(command: ReturnLedgerMapping, version: LedgerMappingVersion, now: Now) -> Accepted:
    fact = ledger_mappings.give_back(version, by=now.by, at=now.at, reason=command.reason)
    return Accepted(recording=FactWithPostings(fact=fact), answer=ledger_mappings.after(version, fact))
