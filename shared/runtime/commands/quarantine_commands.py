"""Commands about one quarantined record, the same in every service: request a replay or a dismissal, and decide on it.

A replay is first approved and then sent (shared.runtime.commands.record_replay). The service's later entries show
whether it accepted the replayed record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field
from pydantic_core import to_json
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Correction, Event
from shared.contracts.envelope import Reason as Text
from shared.contracts.facts import Fact
from shared.contracts.journal_facts import (
    DismissalAsked,
    QuarantineDismissed,
    QuarantineRequest,
    QuarantineRequestRejected,
    ReplayApproved,
    ReplayAsked,
)
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.topic_reader import Reader
from shared.journal.bulk import insert
from shared.journal.entry import Entry
from shared.journal.quarantine import Quarantined, Request, properties_of_event, read_quarantined, requests_about
from shared.journal.recording import FactWithPostings, Recorded
from shared.journal.tables import JournalTables
from shared.rules.errors import Refused
from shared.runtime.commands.approval import QUARANTINE, Approval, Decision
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now
from shared.runtime.commands.quarantine_requests import RequestWhole, request_whole
from shared.runtime.projector import Projector, Transaction

REPLAY: Final = "replay"
DISMISSAL: Final = "dismissal"
"""The actions that can be requested for a quarantined record."""

RecordNumber = Annotated[int, Field(ge=1, le=2**62, description="the record's number in the quarantine of the service")]
RequestNumber = Annotated[int, Field(ge=1, le=2**31 - 1, description="the request's number among those of the record")]


class AskReplay(Command):
    """Request that a quarantined record be sent to its topic again.

    It is sent unchanged, or as the `mended` JSON, once another person has approved it.
    """

    quarantine: RecordNumber
    reason: Text
    mended: dict[str, Any] | None = Field(default=None, description="the event to send in place of the record")

    def shown(self) -> dict[str, Any]:
        """Return the request without the repaired event, which may be long."""
        return {"quarantine": self.quarantine, "reason": self.reason}


class AskDismissal(Command):
    """Request the dismissal of a quarantined record that cannot be repaired.

    No money moves: the record's content stays out of the books, and a gap that it left stays open.
    """

    quarantine: RecordNumber
    reason: Text


class ApproveQuarantineRequest(Approving):
    """Approve another person's request about a quarantined record.

    A replay is then sent: at least once, and again if the command is retried under its key.
    """

    quarantine: RecordNumber
    request: RequestNumber


class RejectQuarantineRequest(Command):
    """Reject a request about a quarantined record; the requester may withdraw it in this way."""

    quarantine: RecordNumber
    request: RequestNumber
    reason: Text


class RequestDocument(BaseModel):
    """The answer to a command about a quarantined record: the request, and the decision so far."""

    quarantine: int
    request: int
    action: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class QuarantinedRecord:
    """A quarantined record with the requests about it, in the order of their numbers."""

    record: Quarantined
    requests: Sequence[Request]

    @property
    def properties(self) -> frozenset[str]:
        """Return the properties named in the record and in repaired events; empty if the record itself names none."""
        mended = (properties_of_event(one.mended.encode()) for one in self.requests if one.mended is not None)
        return self.record.properties.union(*mended) if self.record.properties else frozenset()

    def require_open(self) -> None:
        """Raise Rejected if the record was already repaired, replaced or dismissed."""
        if self.record.resolved_at is not None:
            at = self.record.resolved_at.isoformat()
            raise Rejected(Reason.ALREADY_DECIDED, f"record {self.record.id} was resolved at {at}")

    def new_request(self) -> int:
        """Return the number for a new request. Raises: Rejected if the record is resolved or has an open request."""
        self.require_open()
        for one in self.requests:
            if one.decision == Decision.ASKED:
                detail = f"request {one.request} about record {one.quarantine} waits: approve or reject it first"
                raise Rejected(Reason.TOO_EARLY, detail)
        return len(self.requests) + 1

    def request(self, number: int) -> Request:
        """Return a request by its number. Raises: Rejected if the number is unknown."""
        if not 1 <= number <= len(self.requests):
            raise Rejected(Reason.NOT_FOUND, f"there is no request {number} about record {self.record.id}")
        return self.requests[number - 1]


async def about_record(
    connection: AsyncConnection, tables: JournalTables, number: int, *, lock: bool = False
) -> QuarantinedRecord:
    """Return a quarantined record with its requests; `lock` locks it for a decision. Raises: Rejected if unknown."""
    found = await find_record(connection, tables, number, lock=lock)
    if found is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no record {number} in quarantine")
    return found


async def find_record(
    connection: AsyncConnection, tables: JournalTables, number: int, *, lock: bool = False
) -> QuarantinedRecord | None:
    """Return a quarantined record with its requests, or None; `lock` locks it for a decision."""
    record = await read_quarantined(connection, tables, number, lock=lock)
    return None if record is None else QuarantinedRecord(record, await requests_about(connection, tables, record.id))


def replayed(reader: Reader | None, value: bytes) -> Event[Any]:
    """Decode an event that is to replace a quarantined record. Raises: Rejected if it would be quarantined again."""
    if reader is None:
        raise Rejected(Reason.NOT_ALLOWED, "the service does not read that topic any more; dismiss the record")
    try:
        return reader.decode(value)
    except Refused as refused:
        detail = f"it would be refused again: {refused}; mend it"
        raise Rejected(Reason.NOT_ALLOWED, detail, cites=refused.paragraph) from refused


def bytes_of(record: Quarantined, mended: dict[str, Any] | None) -> bytes:
    """Return the bytes to send in place of a quarantined record: the repaired event, or else the record unchanged."""
    return record.value if mended is None else to_json(mended)


def quarantine_commands(tables: JournalTables, readers: Sequence[Reader]) -> Commands:
    """Return the commands about the quarantined records of a service that decodes its topics with these readers."""
    commands = Commands()
    by_topic = {reader.topic.name: reader for reader in readers}

    async def load(connection: AsyncConnection, command: Any) -> QuarantinedRecord:
        return await about_record(connection, tables, command.quarantine, lock=True)

    def shown(command: ApproveQuarantineRequest, about: QuarantinedRecord, now: Now) -> RequestWhole:
        del now
        return request_whole(about.record, about.request(command.request))

    @commands.handles(AskReplay, load=load)
    def ask_replay(command: AskReplay, about: QuarantinedRecord, now: Now) -> Accepted:
        number, record = about.new_request(), about.record
        _require_own_content(by_topic.get(record.topic), command.mended)
        replayed(by_topic.get(record.topic), bytes_of(record, command.mended))
        return _accepted(
            ReplayAsked(quarantine=record.id, request=number, reason=command.reason, by=now.by, mended=command.mended),
            REPLAY,
            Decision.ASKED,
        )

    @commands.handles(AskDismissal, load=load)
    def ask_dismissal(command: AskDismissal, about: QuarantinedRecord, now: Now) -> Accepted:
        number = about.new_request()
        fact = DismissalAsked(quarantine=about.record.id, request=number, reason=command.reason, by=now.by)
        return _accepted(fact, DISMISSAL, Decision.ASKED)

    @commands.handles(ApproveQuarantineRequest, load=load, subject=shown)
    def approve(command: ApproveQuarantineRequest, about: QuarantinedRecord, now: Now) -> Accepted:
        request, record = about.request(command.request), about.record
        _approval(request).approve(now.by)
        about.require_open()
        closed: dict[str, Any] = {
            "quarantine": record.id,
            "request": request.request,
            "shard": record.shard,
            "seq": record.seq,
            "correction": Correction(reason=request.reason, entered_by=request.asked_by, approved_by=now.by),
        }
        if request.action == REPLAY:
            return _accepted(ReplayApproved(**closed), REPLAY, Decision.APPROVED)
        fact = QuarantineDismissed(
            **closed,
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
            source=record.source,
            sequence=record.sequence,
        )
        return _accepted(fact, DISMISSAL, Decision.APPROVED)

    @commands.handles(RejectQuarantineRequest, load=load)
    def reject(command: RejectQuarantineRequest, about: QuarantinedRecord, now: Now) -> Accepted:
        request = about.request(command.request)
        _approval(request).reject()
        fact = QuarantineRequestRejected(
            quarantine=request.quarantine, request=request.request, reason=command.reason, by=now.by
        )
        return _accepted(fact, request.action, Decision.REJECTED)

    return commands


def _require_own_content(reader: Reader | None, mended: dict[str, Any] | None) -> None:
    """Raise Rejected for the repair of a record from another service, because only its publisher may correct it."""
    if mended is not None and reader is not None and reader.topic.publisher is not None:
        detail = f"{reader.topic.publisher} published it: what it says is corrected there, by a new entry"
        raise Rejected(Reason.NOT_ALLOWED, detail)


def _approval(request: Request) -> Approval:
    name = f"request {request.request} about record {request.quarantine}"
    return Approval(QUARANTINE, name, request.asked_by, Decision(request.decision))


def _accepted(fact: QuarantineRequest, action: str, decision: Decision) -> Accepted:
    answer = RequestDocument(quarantine=fact.quarantine, request=fact.request, action=action, decision=decision)
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer, location=f"/quarantine/{fact.quarantine}")


def quarantine_projector(tables: JournalTables) -> Projector:
    """Return the projector of requests about quarantined records, which also marks dismissed records as resolved."""
    requests, quarantine = tables.quarantine_requests, tables.quarantine
    ask = insert(requests, [one.name for one in requests.columns if not one.name.startswith("decided")])

    async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
        connection = transaction.connection
        for entry, fact in recorded:
            match fact:
                case ReplayAsked() | DismissalAsked():
                    await ask.write(connection, [_asked(entry, fact)])
                case ReplayApproved() | QuarantineDismissed():
                    await connection.execute(_decide(entry, fact, Decision.APPROVED, fact.correction.approved_by))
                case QuarantineRequestRejected(by=by):
                    await connection.execute(_decide(entry, fact, Decision.REJECTED, by, fact.reason))
            if isinstance(fact, QuarantineDismissed):
                still_open = (quarantine.c.id == fact.quarantine) & quarantine.c.resolved_at.is_(None)
                await connection.execute(update(quarantine).where(still_open).values(resolved_at=entry.recorded_at))

    def _decide(entry: Entry, fact: QuarantineRequest, decision: Decision, by: str, reason: str | None = None) -> Any:
        return (
            update(requests)
            .where(requests.c.quarantine == fact.quarantine, requests.c.request == fact.request)
            .values(decision=decision, decided_by=by, decided_at=entry.recorded_at, decided_reason=reason)
        )

    return Projector(tables=(requests,), project=project, beside=(tables.quarantine,))


def _asked(entry: Entry, fact: Fact) -> dict[str, Any]:
    assert isinstance(fact, ReplayAsked | DismissalAsked)
    mended = fact.mended if isinstance(fact, ReplayAsked) else None
    return {
        "quarantine": fact.quarantine,
        "request": fact.request,
        "action": REPLAY if isinstance(fact, ReplayAsked) else DISMISSAL,
        "mended": None if mended is None else to_json(mended).decode(),
        "reason": fact.reason,
        "asked_by": fact.by,
        "asked_at": entry.recorded_at,
        "decision": Decision.ASKED,
    }
