"""Commands on rules submissions: draft, file, approve, return and withdraw a version."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain import submissions
from services.paytable_registry.domain.paybacks import (
    ComparedPayback,
    compared,
    counted,
    counted_beside_stated,
    counted_wagers,
)
from services.paytable_registry.domain.submission_checks import of_regulation
from services.paytable_registry.domain.submissions import (
    AboutSubmission,
    SubmissionHistory,
    SubmissionShown,
    SubmissionVersion,
)
from services.paytable_registry.queries import properties
from services.paytable_registry.queries import submissions as queries
from shared.contracts.envelope import Name, Reason
from shared.contracts.property_snapshot import PropertyLookup
from shared.contracts.submissions import RulesSubmission
from shared.contracts.versions import VersionNumber
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now

COMMANDS = Commands()


class DraftSubmission(Command, RulesSubmission):
    """Draft the next version of a rules submission.

    The content can be replaced until the draft is filed. It is validated when it is filed.
    """


class ReplaceDraft(Command, RulesSubmission):
    """Replace the content of a draft."""

    property: Annotated[Name, Field(description="the property")]
    game: Annotated[Name, Field(description="the licensee's name for the game")]
    version: VersionNumber


class FileSubmission(Command, RulesSubmission):
    """File the next version of a rules submission.

    Another person approves it before it takes effect.
    """


class _OfVersion(Command):
    property: Annotated[Name, Field(description="the property")]
    game: Annotated[Name, Field(description="the licensee's name for the game")]
    version: VersionNumber


class FileDraft(_OfVersion):
    """File a draft with its current content.

    Another person approves it before it takes effect.
    """


class ApproveSubmission(_OfVersion, Approving):
    """Approve a version of a rules submission.

    Rounds that open at its tables from `effective_from` on settle under it. An `override` is needed if a wager's
    payback differs from the stated one, is above 100%, or is below a floor of the property.
    """

    override: Annotated[Reason | None, Field(description="the reason for overriding the findings on its paybacks")] = (
        None
    )


class ReturnSubmission(_OfVersion):
    """Return a version of a rules submission to its filer.

    The version never takes effect.
    """

    reason: Reason


class WithdrawSubmission(_OfVersion):
    """Withdraw a version of a rules submission before it takes effect.

    A draft or undecided version is withdrawn at once. The withdrawal of an approved version needs a second person.
    """

    reason: Reason


class ApproveWithdrawal(_OfVersion, Approving):
    """Approve the withdrawal of an approved version.

    This must be done at least an hour before the version takes effect.
    """


class ReturnWithdrawal(_OfVersion):
    """Reject the request to withdraw an approved version.

    The version takes effect as approved.
    """

    reason: Reason


async def _find(connection: AsyncConnection, command: _OfVersion | ReplaceDraft) -> SubmissionVersion:
    return await queries.find(connection, command.property, command.game, command.version)


async def _history(connection: AsyncConnection, command: RulesSubmission | _OfVersion) -> SubmissionHistory:
    return await queries.history(connection, command.property, command.game)


async def _history_and_places(
    connection: AsyncConnection, command: FileSubmission | _OfVersion
) -> tuple[SubmissionHistory, PropertyLookup]:
    return await _history(connection, command), await properties.places_at(connection, command.property)


_Filing = tuple[SubmissionHistory, PropertyLookup, frozenset[str]]


async def _filing(connection: AsyncConnection, command: FileSubmission) -> _Filing:
    return *await _history_and_places(connection, command), await asyncio.to_thread(counted_beside_stated, command)


_Known = tuple[SubmissionVersion, SubmissionHistory]


async def _known(connection: AsyncConnection, command: _OfVersion) -> _Known:
    return await _find(connection, command), await _history(connection, command)


async def _version_history_and_places(
    connection: AsyncConnection, command: FileDraft | ApproveSubmission
) -> tuple[SubmissionVersion, SubmissionHistory, PropertyLookup]:
    return await _find(connection, command), *await _history_and_places(connection, command)


def _shown(command: _OfVersion, state: tuple[Any, ...], now: Now) -> SubmissionShown:
    """Return the loaded version with its current phase: the subject of the approval."""
    del command
    version, history, *_ = state
    shown: SubmissionShown = history.shown(version, now.at)
    return shown


def _accepted(
    fact: AboutSubmission, version: SubmissionVersion | None, history: SubmissionHistory, now: Now
) -> Accepted:
    stands = submissions.after(version, fact)
    location = f"/submissions/{stands.property}/{stands.game}/{stands.version}" if version is None else None
    return Accepted(recording=FactWithPostings(fact=fact), answer=history.shown(stands, now.at), location=location)


@COMMANDS.handles(DraftSubmission, load=_history)
def _draft(command: DraftSubmission, history: SubmissionHistory, now: Now) -> Accepted:
    fact = submissions.draft(command, history.versions + 1, by=now.by, at=now.at)
    return _accepted(fact, None, history, now)


@COMMANDS.handles(ReplaceDraft, load=_find)
def _replace(command: ReplaceDraft, version: SubmissionVersion, now: Now) -> Accepted:
    submissions.require_draft(version)
    fact = submissions.draft(command, version.version, by=now.by, at=now.at)
    return _accepted(fact, version, SubmissionHistory(), now)


@COMMANDS.handles(FileSubmission, load=_filing)
def _file(command: FileSubmission, state: _Filing, now: Now) -> Accepted:
    history, places, beside = state
    number = history.versions + 1
    fact = submissions.file(command, history, places, version=number, by=now.by, at=now.at, counted=beside)
    return _accepted(fact, None, history, now)


async def _filing_of_draft(connection: AsyncConnection, command: FileDraft) -> tuple[SubmissionVersion, *_Filing]:
    version, history, places = await _version_history_and_places(connection, command)
    return version, history, places, await asyncio.to_thread(counted_beside_stated, version)


@COMMANDS.handles(FileDraft, load=_filing_of_draft)
def _file_draft(command: FileDraft, state: tuple[SubmissionVersion, *_Filing], now: Now) -> Accepted:
    version, history, places, beside = state
    submissions.require_draft(version)
    fact = submissions.file(version, history, places, version=command.version, by=now.by, at=now.at, counted=beside)
    return _accepted(fact, version, history, now)


_Judged = tuple[SubmissionVersion, SubmissionHistory, PropertyLookup, Sequence[ComparedPayback], frozenset[str]]


async def _judged(connection: AsyncConnection, command: ApproveSubmission) -> _Judged:
    """Load the version to be approved and compute its paybacks, which takes up to a second."""
    version, history, places = await _version_history_and_places(connection, command)
    place = places(version.property, version.effective_from)
    if place is None or version.status != "filed" or of_regulation(version):
        return version, history, places, (), frozenset()  # nothing is computed for a version that will be refused
    found = await asyncio.to_thread(counted, version)
    return version, history, places, compared(version, found, place.document), counted_wagers(found)


@COMMANDS.handles(ApproveSubmission, load=_judged, subject=_shown)
def _approve(command: ApproveSubmission, state: _Judged, now: Now) -> Accepted:
    version, history, places, paybacks, beside = state
    fact = submissions.approve(
        version, history, places, paybacks, by=now.by, at=now.at, override=command.override, counted=beside
    )
    return _accepted(fact, version, history, now)


@COMMANDS.handles(ReturnSubmission, load=_known)
def _return(command: ReturnSubmission, state: _Known, now: Now) -> Accepted:
    fact = submissions.give_back(state[0], by=now.by, at=now.at, reason=command.reason)
    return _accepted(fact, *state, now)


@COMMANDS.handles(WithdrawSubmission, load=_known)
def _withdraw(command: WithdrawSubmission, state: _Known, now: Now) -> Accepted:
    return _accepted(submissions.withdraw(state[0], by=now.by, at=now.at, reason=command.reason), *state, now)


@COMMANDS.handles(ApproveWithdrawal, load=_known, subject=_shown)
def _approve_withdrawal(command: ApproveWithdrawal, state: _Known, now: Now) -> Accepted:
    del command
    return _accepted(submissions.approve_withdrawal(state[0], by=now.by, at=now.at), *state, now)


@COMMANDS.handles(ReturnWithdrawal, load=_known)
def _return_withdrawal(command: ReturnWithdrawal, state: _Known, now: Now) -> Accepted:
    fact = submissions.return_withdrawal(state[0], by=now.by, at=now.at, reason=command.reason)
    return _accepted(fact, *state, now)
