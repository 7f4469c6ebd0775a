"""Commands on properties: file, approve and return a version."""

from typing import Annotated

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain import properties
from services.paytable_registry.domain.history import History
from services.paytable_registry.domain.properties import PropertyVersion
from services.paytable_registry.queries import properties as queries
from shared.contracts.envelope import Name, Reason
from shared.contracts.properties import PropertyDocument
from shared.contracts.topics import PROPERTIES
from shared.contracts.versions import VersionNumber
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded

COMMANDS = Commands(shards=PROPERTIES.name)


class FileProperty(Command, PropertyDocument):
    """File the next version of a property.

    Another person approves it before it takes effect.
    """


class _OfVersion(Command):
    property: Annotated[Name, Field(description="the property")]
    version: VersionNumber


class ApproveProperty(_OfVersion, Approving):
    """Approve a version.

    It is in effect from `effective_from`.
    """


class ReturnProperty(_OfVersion):
    """Return a version to its filer.

    It never takes effect.
    """

    reason: Reason


async def _find(connection: AsyncConnection, command: _OfVersion) -> PropertyVersion:
    return await queries.find(connection, command.property, command.version)


async def _history(connection: AsyncConnection, command: FileProperty) -> History:
    return await queries.history(connection, command.property)


async def _version_and_history(
    connection: AsyncConnection, command: ApproveProperty
) -> tuple[PropertyVersion, History]:
    return await _find(connection, command), await queries.history(connection, command.property)


@COMMANDS.handles(FileProperty, load=_history)
def _file(command: FileProperty, history: History, now: Now) -> Accepted:
    fact = properties.file(command, history, by=now.by, at=now.at)
    location = f"/properties/{fact.property}/{fact.version}"
    return Accepted(recording=FactWithPostings(fact=fact), answer=properties.after(fact, fact), location=location)


@COMMANDS.handles(ApproveProperty, load=_version_and_history, subject=first_loaded)
def _approve(command: ApproveProperty, state: tuple[PropertyVersion, History], now: Now) -> Accepted:
    del command
    version, history = state
    fact = properties.approve(version, history, by=now.by, at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=properties.after(version, fact))


@COMMANDS.handles(ReturnProperty, load=_find)
def _return(command: ReturnProperty, version: PropertyVersion, now: Now) -> Accepted:
    fact = properties.give_back(version, by=now.by, at=now.at, reason=command.reason)
    return Accepted(recording=FactWithPostings(fact=fact), answer=properties.after(version, fact))
