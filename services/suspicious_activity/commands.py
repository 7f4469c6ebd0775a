"""Commands on suspicious activity reports: prepare, release, withdraw, record filing and acknowledgement, destroy.

The file is read and encrypted before a command is decided. It is stored in a table outside the journal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Final

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.suspicious_activity import queries
from services.suspicious_activity.domain import sars
from services.suspicious_activity.domain.sar_files import SarInFile
from services.suspicious_activity.domain.sars import SarDocument
from services.suspicious_activity.tables import properties
from services.suspicious_activity.tables import sars as table
from shared.contracts.envelope import PERSONAL, Name, Patron, Reason
from shared.contracts.filings import BsaIdentifier, FilingError, TrackingId
from shared.contracts.moments import Day, Moment
from shared.contracts.property_snapshot import PropertySnapshot, place_for_command
from shared.contracts.rejection import Reason as Because
from shared.contracts.rejection import Rejected
from shared.contracts.suspicions import (
    AboutSar,
    SarAcknowledged,
    SarDestroyed,
    SarFiled,
    SarPrepared,
    SarReleased,
    SarWithdrawn,
)
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now
from shared.runtime.filing.sealed_files import PreparingFile
from shared.runtime.filing.steps import UNSENT, Corrects, require_filing_day, require_own, require_same_filer
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()

_FILE_MAX: Final = 200_000
"""The maximum number of characters in a file; a narrative has at most 17,000."""

_Number = Annotated[int, Field(ge=1, le=2**53)]


class PrepareSar(PreparingFile[SarInFile]):
    """Prepare the file of a suspicious activity report.

    Another person releases it. `detected_on` is the day on which the facts were first known. The filing deadline
    depends on that day, and on whether a suspect is known, from the file or as the patron `subject`. The file is stored
    encrypted. A rejected report remains due until another report of its subject and days files it again
    (`files_again`), which keeps the earlier day of detection and deadline, or until it is withdrawn. Until a report is
    withdrawn or rejected, another one of the same patron and days must amend it. The report is invisible to people
    without a role for these reports.
    """

    property: Annotated[Name, Field(description="the property")]
    subject: Annotated[Patron | None, Field(description="the patron, by reference, if the subject is a patron")] = None
    detected_on: Annotated[Day, Field(description="the day of initial detection")]
    files_again: Annotated[
        _Number | None, Field(description="the number of the rejected report that this one replaces, if there is one")
    ] = None
    file: Annotated[str, Field(min_length=1, max_length=_FILE_MAX, description="the file, XML"), PERSONAL]


class _OfSar(Command):
    property: Annotated[Name, Field(description="the property")]
    sar: _Number


class ReleaseSar(_OfSar, Approving):
    """Release a suspicious activity report.

    The file may then be sent. The person who prepared it cannot release it. Since the file was prepared, the property's
    filer must not have changed, and no report of the same subject and days may have been recorded that it must amend.
    """


class WithdrawSar(_OfSar):
    """Withdraw a suspicious activity report that was not sent, or that was rejected and will not be filed again.

    The file of an unsent report is destroyed. The file of a sent report is kept until its retention period has ended.
    """

    reason: Reason


class RecordSarFiled(_OfSar):
    """Record that a released suspicious activity report was sent to FinCEN.

    `tracking_id` is the identifier that FinCEN's system returned; no other report may have it. Until FinCEN has
    acknowledged the report, a wrong record can be replaced by another one with a `reason`.
    """

    filed_at: Annotated[Moment | None, Field(description="when the report was sent, if earlier than now")] = None
    tracking_id: TrackingId
    reason: Corrects = None


class RecordSarAcknowledgement(_OfSar):
    """Record FinCEN's acknowledgement of a suspicious activity report.

    A report with a BSA identifier is accepted; no other report may have that identifier. A report without one is
    rejected and must be filed again. A wrong record is replaced by another acknowledgement with a `reason`; reports
    that amend, continue or file again what was recorded wrongly, and that were not sent yet, must be withdrawn before.
    """

    bsa_id: Annotated[BsaIdentifier | None, Field(description="FinCEN's identifier of the report")] = None
    errors: Annotated[tuple[FilingError, ...], Field(max_length=200)] = ()
    reason: Corrects = None


class DestroySarFile(_OfSar):
    """Destroy the file of a suspicious activity report once its retention period has ended.

    The record of the report remains.
    """


@dataclass(frozen=True, slots=True)
class _Preparing:
    """The state to prepare a report.

    It has the properties, the next number, the number of a report with the same file, and the reports to file again.

    `standing` are the reports that are neither withdrawn nor rejected, and that are about the same patron, or have the
    identifier that the file amends or continues, or amend the same one.
    """

    places: Places
    sar: int
    same: int | None
    rejected: Sequence[SarDocument]
    standing: Sequence[SarDocument]


@dataclass(frozen=True, slots=True)
class _Answering:
    """What recording FinCEN's answer depends on: the report, and another report that has the same BSA identifier.

    `holder` is the name of that other report; None if there is none. `unsent` are the reports, not sent yet, that amend
    or continue this one, or file it again.
    """

    sar: SarDocument
    holder: str | None
    unsent: Sequence[SarDocument]


@dataclass(frozen=True, slots=True)
class _Releasing:
    """What a release depends on: the report, the approved properties, and other reports that it follows or repeats."""

    sar: SarDocument
    places: Places
    standing: Sequence[SarDocument]


@dataclass(frozen=True, slots=True)
class _Sending:
    """What recording a sent report depends on: the report, the approved properties, and a holder of its tracking ID.

    `holder` is the name of another report that has the same tracking ID; None if there is none.
    """

    sar: SarDocument
    places: Places
    holder: str | None


@dataclass(frozen=True, slots=True)
class _Destroying:
    places: Places
    sar: SarDocument


async def _preparing(connection: AsyncConnection, command: PrepareSar) -> _Preparing:
    return _Preparing(
        await known_places(connection, properties),
        await last_number(connection, table, "sar", property=command.property) + 1,
        await queries.with_file(connection, command.property, command.as_read().sha256),
        await queries.to_file_again(connection, command.property),
        await queries.standing(connection, command.property, command.subject, command.as_read().found),
    )


async def _destroying(connection: AsyncConnection, command: DestroySarFile) -> _Destroying:
    return _Destroying(await known_places(connection, properties), await _find(connection, command))


async def _store(connection: AsyncConnection, command: PrepareSar, fact: SarPrepared) -> None:
    await queries.FILES.store(connection, fact.property, fact.sar, command.as_read())


async def _find(connection: AsyncConnection, command: _OfSar) -> SarDocument:
    return await queries.find(connection, command.property, command.sar)


async def _sending(connection: AsyncConnection, command: RecordSarFiled) -> _Sending:
    sar = await _find(connection, command)
    holder = await queries.holder_of(connection, sar, tracking_id=command.tracking_id)
    return _Sending(sar, await known_places(connection, properties), holder)


async def _releasing(connection: AsyncConnection, command: ReleaseSar) -> _Releasing:
    sar = await _find(connection, command)
    standing = await queries.standing(connection, sar.property, sar.subject, sar)
    others = [one for one in standing if one.sar != sar.sar]
    return _Releasing(sar, await known_places(connection, properties), others)


def _released(command: ReleaseSar, state: _Releasing, now: Now) -> SarDocument:
    """Return the report as the subject of the approval."""
    del command, now
    return state.sar


async def _answering(connection: AsyncConnection, command: RecordSarAcknowledgement) -> _Answering:
    sar = await _find(connection, command)
    holder = await queries.holder_of(connection, sar, bsa_id=command.bsa_id)
    return _Answering(sar, holder, await queries.unsent_after(connection, sar))


@COMMANDS.handles(PrepareSar, load=_preparing, keep=_store)
def _prepare(command: PrepareSar, state: _Preparing, now: Now) -> Accepted:
    place = place_for_command(state.places.place, command.property, now.at)
    file, report = command.as_read(), command.as_read().found
    if state.same is not None:
        raise Rejected(Because.ALREADY_DECIDED, f"report {state.same} has this file: withdraw that, or release it")
    again = sars.filed_again(state.rejected, command.files_again, command.subject, report)
    sars.require_first_or_follows(state.standing, command.subject, report)
    sars.require_detected(report, command.detected_on, _today(place, now))
    require_filing_day(place, report.filed_on, now.at)
    is_subject_known = report.is_subject_known or command.subject is not None
    detected_on = command.detected_on if again is None else min(command.detected_on, again.detected_on)
    file_by = sars.file_by(place, detected_on, is_subject_known=is_subject_known)
    fact = SarPrepared(
        property=command.property,
        sar=state.sar,
        subject=command.subject,
        is_subject_known=is_subject_known,
        detected_on=detected_on,
        file_by=file_by if again is None else min(file_by, again.file_by),
        first_day=report.first_day,
        last_day=report.last_day,
        dollars=report.dollars,
        amends=report.amends,
        continues=report.continues,
        files_again=command.files_again,
        content_sha256=file.sha256,
        content_bytes=file.size_bytes,
        by=now.by,
    )
    location = f"/sars/{fact.property}/{fact.sar}"
    return Accepted(recording=FactWithPostings(fact=fact), answer=sars.begun(fact, now.at), location=location)


@COMMANDS.handles(ReleaseSar, load=_releasing, subject=_released)
def _release(command: ReleaseSar, state: _Releasing, now: Now) -> Accepted:
    del command
    sar = state.sar
    sar.approval().approve(now.by)
    sars.require_first_or_follows(state.standing, sar.subject, sar)
    require_same_filer(sar, state.places.place, now.at)
    said = {"prepared_by": sar.prepared_by, "content_sha256": sar.content_sha256}
    return _accepted(sar, SarReleased(**_about(sar, now), **said), now)


@COMMANDS.handles(WithdrawSar, load=_find)
def _withdraw(command: WithdrawSar, sar: SarDocument, now: Now) -> Accepted:
    sar.require_status(*UNSENT, "rejected")
    return _accepted(sar, SarWithdrawn(**_about(sar, now), reason=command.reason), now)


@COMMANDS.handles(RecordSarFiled, load=_sending)
def _filed(command: RecordSarFiled, state: _Sending, now: Now) -> Accepted:
    sar, reason = state.sar, command.reason
    place = place_for_command(state.places.place, command.property, now.at)
    sent_at = sar.sent_at(place, command.tracking_id, command.filed_at, now.at, reason)
    said: dict[str, Any] = {"filed_at": sent_at, "tracking_id": command.tracking_id}
    require_own(command.tracking_id, state.holder)
    said |= {"reason": reason}
    return _accepted(sar, SarFiled(**_about(sar, now), **said), now)


@COMMANDS.handles(RecordSarAcknowledgement, load=_answering)
def _acknowledge(command: RecordSarAcknowledgement, state: _Answering, now: Now) -> Accepted:
    sar = state.sar
    sar.require_next("filed", "accepted", "rejected", reason=command.reason)
    require_own(command.bsa_id, state.holder)
    if command.bsa_id != sar.bsa_id:
        sars.require_none_unsent(sar, state.unsent)
    said = {name: getattr(command, name) for name in ("bsa_id", "errors", "reason")}
    return _accepted(sar, SarAcknowledged(**_about(sar, now), **said), now)


@COMMANDS.handles(DestroySarFile, load=_destroying)
def _destroy(command: DestroySarFile, state: _Destroying, now: Now) -> Accepted:
    sar = state.sar
    sar.require_status("accepted", "rejected", "withdrawn")
    if sar.destroyed_at is not None or sar.filed_at is None:
        raise Rejected(Because.ALREADY_DECIDED, f"the file of {sar.named()} was destroyed")
    place = place_for_command(state.places.place, command.property, now.at)
    until = sars.kept_until(place, sar.filed_at.astimezone(place.zone).date())
    if _today(place, now) <= until:
        raise Rejected(Because.TOO_EARLY, f"{sar.named()} is kept until {until}")
    return _accepted(sar, SarDestroyed(**_about(sar, now)), now)


def _today(place: PropertySnapshot, now: Now) -> date:
    return now.at.astimezone(place.zone).date()


def _about(sar: SarDocument, now: Now) -> dict[str, Any]:
    return {"property": sar.property, "sar": sar.sar, "by": now.by}


def _accepted(sar: SarDocument, fact: AboutSar, now: Now) -> Accepted:
    return Accepted(recording=FactWithPostings(fact=fact), answer=sars.after(sar, fact, now.at))
