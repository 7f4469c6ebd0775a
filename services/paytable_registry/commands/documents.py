"""The commands that every kind of document has: file, approve and return a version."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain.documents import DocumentKind, DocumentT, History, VersionT
from services.paytable_registry.queries.documents import Versions
from shared.contracts.envelope import Name, Reason
from shared.contracts.topics import PROPERTIES
from shared.contracts.versions import VersionNumber
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded


class OfVersion(Command):
    """A command on one version of a document."""

    property: Annotated[Name, Field(description="the property")]
    version: VersionNumber


class ApproveVersion(OfVersion, Approving):
    """Approve a version of a document."""


class ReturnVersion(OfVersion):
    """Return a version of a document to its filer."""

    reason: Reason


def document_commands(
    kind: DocumentKind[DocumentT, VersionT],
    versions: Versions[VersionT],
    path: str,
    *,
    file: type[Command],
    approve: type[ApproveVersion],
    give_back: type[ReturnVersion],
    require: Callable[[AsyncConnection, str], Awaitable[None]] | None = None,
) -> Commands:
    """Return the commands that file, approve and return one kind of document; `path` is the URL path of its versions.

    `file` is the command whose fields are the document. `require`, if given, is called before filing; it raises
    Rejected if the property may not have such a document.
    """
    commands = Commands(shards=PROPERTIES.name)

    async def find(connection: AsyncConnection, command: OfVersion) -> VersionT:
        return await versions.find(connection, command.property, command.version)

    async def history(connection: AsyncConnection, command: Any) -> History[VersionT]:
        return await versions.history(connection, command.property)

    async def filing(connection: AsyncConnection, command: Any) -> History[VersionT]:
        if require is not None:
            await require(connection, command.property)
        return await history(connection, command)

    async def version_and_history(
        connection: AsyncConnection, command: OfVersion
    ) -> tuple[VersionT, History[VersionT]]:
        return await find(connection, command), await history(connection, command)

    @commands.handles(file, load=filing)
    def _file(command: Command, history: History[VersionT], now: Now) -> Accepted:
        fact = kind.file(command, history, by=now.by, at=now.at)
        filed = kind.after(fact, fact)
        location = f"{path}/{filed.property}/{filed.version}"
        return Accepted(recording=FactWithPostings(fact=fact), answer=filed, location=location)

    @commands.handles(approve, load=version_and_history, subject=first_loaded)
    def _approve(command: ApproveVersion, state: tuple[VersionT, History[VersionT]], now: Now) -> Accepted:
        del command
        version, history = state
        fact = kind.approve(version, history, by=now.by, at=now.at)
        return Accepted(recording=FactWithPostings(fact=fact), answer=kind.after(version, fact))

    @commands.handles(give_back, load=find)
    def _return(command: ReturnVersion, version: VersionT, now: Now) -> Accepted:
        fact = kind.give_back(version, by=now.by, at=now.at, reason=command.reason)
        return Accepted(recording=FactWithPostings(fact=fact), answer=kind.after(version, fact))

    return commands
