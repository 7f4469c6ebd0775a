"""File a version of a rules submission, approve it, reject it."""

from typing import Annotated

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain import submissions
from services.paytable_registry.domain.history import History
from services.paytable_registry.domain.submissions import SubmissionVersion
from services.paytable_registry.queries import properties
from services.paytable_registry.queries import submissions as queries
from shared.contracts.envelope import Name, Reason
from shared.contracts.places import PlaceAt
from shared.contracts.submissions import RulesSubmission
from shared.contracts.versions import VersionNumber
from shared.journal.recording import Recording
from shared.runtime.command.command import Accepted, Command, Commands, Now

COMMANDS = Commands()


class FileSubmission(Command, RulesSubmission):
    """File the next version of a rules submission.

    Somebody else approves it before it takes effect.
    """


class _OfVersion(Command):
    property: Annotated[Name, Field(description="the property")]
    game: Annotated[Name, Field(description="the licensee's name for the game")]
    version: VersionNumber


class ApproveSubmission(_OfVersion):
    """Approve a version.

    From `effective_from` on, rounds opened at its tables settle under it.
    """


class RejectSubmission(_OfVersion):
    """Reject a version.

    It never takes effect.
    """

    reason: Reason


async def _find(connection: AsyncConnection, command: _OfVersion) -> SubmissionVersion:
    return await queries.find(connection, command.property, command.game, command.version)


async def _history_and_places(
    connection: AsyncConnection, command: FileSubmission | _OfVersion
) -> tuple[History, PlaceAt]:
    history = await queries.history(connection, command.property, command.game)
    return history, await properties.places_at(connection, command.property)


async def _version_history_and_places(
    connection: AsyncConnection, command: ApproveSubmission
) -> tuple[SubmissionVersion, History, PlaceAt]:
    return await _find(connection, command), *await _history_and_places(connection, command)


@COMMANDS.handles(FileSubmission, load=_history_and_places)
def _file(command: FileSubmission, state: tuple[History, PlaceAt], now: Now) -> Accepted:
    history, places = state
    fact = submissions.file(command, history, places, by=now.by, at=now.at)
    location = f"/submissions/{fact.property}/{fact.game}/{fact.version}"
    return Accepted(recording=Recording(fact=fact), answer=submissions.after(fact, fact), location=location)


@COMMANDS.handles(ApproveSubmission, load=_version_history_and_places)
def _approve(command: ApproveSubmission, state: tuple[SubmissionVersion, History, PlaceAt], now: Now) -> Accepted:
    del command
    version, history, places = state
    fact = submissions.approve(version, history, places, by=now.by, at=now.at)
    return Accepted(recording=Recording(fact=fact), answer=submissions.after(version, fact))


@COMMANDS.handles(RejectSubmission, load=_find)
def _reject(command: RejectSubmission, version: SubmissionVersion, now: Now) -> Accepted:
    fact = submissions.reject(version, by=now.by, at=now.at, reason=command.reason)
    return Accepted(recording=Recording(fact=fact), answer=submissions.after(version, fact))
