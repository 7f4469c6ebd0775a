"""Commands on filings: prepare, release or withdraw a file, record it as sent, record the agency's answer.

The file is read and encrypted before a command is decided. It is stored beside the journal, until it is withdrawn or a
patron in it is erased.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field, field_validator
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.commands.deciding import Number
from services.wagering_accounts.domain import filings
from services.wagering_accounts.domain.filed_reports import ReportInFile
from services.wagering_accounts.domain.filings import FilingDocument, ReportedBefore
from services.wagering_accounts.domain.today import Todays
from services.wagering_accounts.queries import filings as queries
from services.wagering_accounts.tables import filings as table
from services.wagering_accounts.tables import properties
from shared.contracts.envelope import PERSONAL, Name, Reason
from shared.contracts.filings import (
    ERRORS_MAX,
    REPORTS_MAX,
    AboutFiling,
    AnsweredReport,
    FilingAcknowledged,
    FilingError,
    FilingFiled,
    FilingForm,
    FilingPeriod,
    FilingPrepared,
    FilingReleased,
    FilingSubject,
    FilingWithdrawn,
    TrackingId,
)
from shared.contracts.moments import Moment
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now
from shared.runtime.filing.sealed_files import PreparingFile
from shared.runtime.filing.steps import UNSENT, Corrects, require_filing_day, require_own, require_same_filer
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()

_FILE_MAX: Final = 1_000_000
"""The maximum number of characters in a file, about 150 reports."""


class PrepareFiling(PreparingFile[Sequence[ReportInFile]]):
    """Prepare a file that is to be filed with FinCEN or the IRS.

    Another person must release it. `subjects` names the person of each report, in the order of the file. The gaming day
    must have ended. There is one report for each person and gaming day; any further report must amend the one accepted
    last, and any further information return must correct the one accepted last. The file is stored encrypted.
    """

    property: Annotated[Name, Field(description="the property")]
    form: FilingForm = "ctr"
    period: Annotated[FilingPeriod, Field(description="the gaming day, or the tax year, of all reports in the file")]
    unconfirmed: Annotated[
        bool, Field(strict=True, description="rely on legal values whose review is overdue and that are not confirmed")
    ] = False
    subjects: Annotated[tuple[FilingSubject, ...], Field(min_length=1, max_length=REPORTS_MAX)]
    file: Annotated[
        str,
        Field(min_length=1, max_length=_FILE_MAX, description="the file: XML, or CSV for information returns"),
        PERSONAL,
    ]

    @field_validator("period")
    @classmethod
    def _is_a_day_or_year(cls, period: str) -> str:
        filings.period_ends(period)
        return period


class _OfFiling(Command):
    property: Annotated[Name, Field(description="the property")]
    filing: Number


class ReleaseFiling(_OfFiling, Approving):
    """Release a filing.

    The file may then be sent. The person who prepared it cannot release it. An amendment must still name the report
    accepted last, and a correction the return accepted last. Neither the identity of a person in the file nor the
    property's filer may have changed since the file was prepared.
    """


class WithdrawFiling(_OfFiling):
    """Withdraw a filing that was not sent.

    Its file is destroyed. The reports in it must be prepared again.
    """

    reason: Reason


class RecordFiled(_OfFiling):
    """Record that a released file was sent to FinCEN or the IRS.

    `tracking_id` is the tracking or receipt identifier that the agency's system returned; it must be unique. Until the
    agency has answered, a wrong record can be replaced by recording it again with a `reason`. An amendment must name
    the report that was the last one accepted at the time of sending.
    """

    filed_at: Annotated[Moment | None, Field(description="when the file was sent, if earlier than now")] = None
    tracking_id: TrackingId
    reason: Corrects = None


class RecordAcknowledgement(_OfFiling):
    """Record the agency's acknowledgement of a file.

    `reports` lists every report of the file, in order, as accepted or rejected. A report that FinCEN accepted has a
    unique BSA identifier. A filing is accepted if all its reports are; rejected reports must be filed again. A wrong
    record can be replaced by another acknowledgement of all reports, with a `reason`.
    """

    accepted: Annotated[bool, Field(strict=True, description="whether the file as a whole was accepted")]
    errors: Annotated[
        tuple[FilingError, ...], Field(max_length=ERRORS_MAX, description="errors in the file as a whole")
    ] = ()
    reports: Annotated[tuple[AnsweredReport, ...], Field(max_length=REPORTS_MAX)] = ()
    reason: Corrects = None


@dataclass(frozen=True, slots=True)
class _Preparing:
    """The properties, the number of the next filing, and the reports that were neither withdrawn nor rejected."""

    places: Places
    filing: int
    standing: Sequence[ReportedBefore]


async def _preparing(connection: AsyncConnection, command: PrepareFiling) -> _Preparing:
    amended = [one.amends for one in command.as_read().found if one.amends is not None]
    return _Preparing(
        await known_places(connection, properties),
        await last_number(connection, table, "filing", property=command.property) + 1,
        await queries.standing(connection, command.property, command.form, command.period, amended),
    )


async def _store(connection: AsyncConnection, command: PrepareFiling, fact: FilingPrepared) -> None:
    await queries.FILES.store(connection, fact.property, fact.filing, command.as_read())


async def _find(connection: AsyncConnection, command: _OfFiling) -> FilingDocument:
    return await queries.find(connection, command.property, command.filing)


@dataclass(frozen=True, slots=True)
class _Answering:
    """A filing, and other filings or reports that already have its new identifiers: name by identifier."""

    filing: FilingDocument
    holders: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Releasing:
    """A filing, and the reports of its period in other filings that were neither withdrawn nor rejected."""

    filing: FilingDocument
    others: Sequence[ReportedBefore]


async def _releasing(connection: AsyncConnection, command: _OfFiling) -> _Releasing:
    filing = await _find(connection, command)
    standing = await queries.standing(connection, filing.property, filing.form, filing.period, ())
    return _Releasing(filing, [one for one in standing if one.filing != filing.filing])


@dataclass(frozen=True, slots=True)
class _Identified(_Releasing):
    """A filing to be released, the references whose identity was changed after it was prepared, and the properties."""

    changed: Sequence[str]
    places: Places


async def _identified(connection: AsyncConnection, command: ReleaseFiling) -> _Identified:
    state = await _releasing(connection, command)
    changed = await queries.identities_changed(connection, state.filing)
    return _Identified(state.filing, state.others, changed, await known_places(connection, properties))


def _released(command: ReleaseFiling, state: _Identified, now: Now) -> FilingDocument:
    """Return the filing as the subject of the approval."""
    del command, now
    return state.filing


@dataclass(frozen=True, slots=True)
class _Sending(_Answering):
    """A filing to be recorded as sent, any other holder of its tracking identifier, other reports, the properties."""

    others: Sequence[ReportedBefore]
    places: Places


async def _sending(connection: AsyncConnection, command: RecordFiled) -> _Sending:
    state = await _releasing(connection, command)
    holders = await queries.tracked(connection, state.filing, command.tracking_id)
    return _Sending(state.filing, holders, state.others, await known_places(connection, properties))


async def _answering(connection: AsyncConnection, command: RecordAcknowledgement) -> _Answering:
    filing = await _find(connection, command)
    identifiers = [one.bsa_id for one in command.reports if one.bsa_id is not None]
    return _Answering(filing, await queries.identified(connection, filing, identifiers))


@COMMANDS.handles(PrepareFiling, load=_preparing, keep=_store)
def _prepare(command: PrepareFiling, state: _Preparing, now: Now) -> Accepted:
    file, today = command.as_read(), Todays(state.places.place).at(command.property, now.at)
    filings.require_ended(today, command.form, command.period)
    for report in file.found:
        require_filing_day(today.place, report.filed_on, now.at)
    filings.require_filer(today, file.found)
    unconfirmed = filings.unreviewed(today.place.reporting, command.form, command.period)
    filings.require_reviewed(unconfirmed, told=command.unconfirmed)
    fact = FilingPrepared(
        property=command.property,
        filing=state.filing,
        form=command.form,
        period=command.period,
        file_by=filings.file_by(today, command.form, command.period),
        copy_by=filings.copy_by(today, command.form, command.period),
        unconfirmed=unconfirmed,
        reports=filings.prepared_reports(command.subjects, command.period, file.found, state.standing),
        content_sha256=file.sha256,
        content_bytes=file.size_bytes,
        by=now.by,
    )
    location = f"/filings/{fact.property}/{fact.filing}"
    return Accepted(recording=FactWithPostings(fact=fact), answer=filings.begun(fact, now.at), location=location)


@COMMANDS.handles(ReleaseFiling, load=_identified, subject=_released)
def _release(command: ReleaseFiling, state: _Identified, now: Now) -> Accepted:
    del command
    filing = state.filing
    filing.approval().approve(now.by)
    filings.require_still_follows(filing, state.others)
    filings.require_same_identities(filing, state.changed)
    if filings.names_filer_of_today(filing):
        require_same_filer(filing, state.places.place, now.at)
    said = {"prepared_by": filing.prepared_by, "content_sha256": filing.content_sha256}
    return _accepted(filing, FilingReleased(**_about(filing, now), **said), now)


@COMMANDS.handles(WithdrawFiling, load=_find)
def _withdraw(command: WithdrawFiling, filing: FilingDocument, now: Now) -> Accepted:
    filing.require_status(*UNSENT)
    return _accepted(filing, FilingWithdrawn(**_about(filing, now), reason=command.reason), now)


@COMMANDS.handles(RecordFiled, load=_sending)
def _filed(command: RecordFiled, state: _Sending, now: Now) -> Accepted:
    filing, reason = state.filing, command.reason
    place = Todays(state.places.place).at(command.property, now.at).place
    sent_at = filing.sent_at(place, command.tracking_id, command.filed_at, now.at, reason)
    if filing.status == "released":  # else it was sent, and only what was recorded of that is wrong
        known = [one for one in state.others if one.acknowledged_at is not None and one.acknowledged_at <= sent_at]
        filings.require_still_follows(filing, known)
    said: dict[str, Any] = {"filed_at": sent_at, "tracking_id": command.tracking_id}
    require_own(command.tracking_id, state.holders.get(command.tracking_id))
    said |= {"reason": reason}
    return _accepted(filing, FilingFiled(**_about(filing, now), **said), now)


@COMMANDS.handles(RecordAcknowledgement, load=_answering)
def _acknowledge(command: RecordAcknowledgement, state: _Answering, now: Now) -> Accepted:
    filing = state.filing
    filing.require_next("filed", "accepted", "rejected", reason=command.reason)
    every = command.accepted or command.reason is not None
    filings.require_each_answered(filing, command.accepted, command.reports, every=every)
    for one in command.reports:
        require_own(one.bsa_id, state.holders.get(one.bsa_id or ""))
    said = {name: getattr(command, name) for name in ("accepted", "errors", "reports", "reason")}
    return _accepted(filing, FilingAcknowledged(**_about(filing, now), **said), now)


def _about(filing: FilingDocument, now: Now) -> dict[str, Any]:
    return {"property": filing.property, "filing": filing.filing, "by": now.by}


def _accepted(filing: FilingDocument, fact: AboutFiling, now: Now) -> Accepted:
    return Accepted(recording=FactWithPostings(fact=fact), answer=filings.after(filing, fact, now.at))
