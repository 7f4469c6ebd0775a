"""Bulk dismissal of quarantined records: one person requests it, another decides.

A filter selects the records. An approval dismisses exactly the records that were open at the time of the request, or
none. If one of them has been resolved since then, or a new record matches the filter, a new request is needed.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import AwareDatetime, BaseModel, Field
from sqlalchemy import ARRAY, BigInteger, Integer, and_, bindparam, column, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Correction, Digest, Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.journal_facts import (
    DismissalRejected,
    DismissalRequested,
    DismissedTogether,
    FilteredRecords,
    QuarantineFilter,
)
from shared.contracts.rejection import Reason, Rejected
from shared.journal.bulk import insert
from shared.journal.dismissals import (
    Dismissal,
    RecordEntry,
    digest_of,
    filter_of,
    matching,
    ranges_of,
    read_dismissal,
    read_matching,
)
from shared.journal.entry import Entry
from shared.journal.recording import FactWithPostings, Recorded
from shared.journal.tables import JournalTables
from shared.runtime.commands.approval import QUARANTINE, Approval, Decision
from shared.runtime.commands.approval_subject import ApprovalSubject
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now
from shared.runtime.projector import Projector, Transaction

RECORDS_MAX: Final = 200_000
"""Maximum number of records in a bulk dismissal, because all are locked and one entry has to list them."""
RANGES_MAX: Final = 5_000
"""Maximum number of record ranges in a bulk dismissal, because its fact must fit into a Kafka record (1 MB)."""
_SAMPLE_MAX: Final = 20

DismissalNumber = Annotated[int, Field(ge=1, le=2**31 - 1, description="the number of the bulk dismissal")]


class RequestDismissal(Command):
    """Request the dismissal of all quarantined records that a filter selects, because they cannot be repaired.

    No money moves. The records' content stays out of the books, and gaps that they left stay open.
    """

    until: Annotated[int, Field(ge=1, le=2**62, description="the highest record number that the filter selects")]
    topic: Annotated[Name | None, Field(description="only records of this topic")] = None
    reason_contains: Annotated[Text | None, Field(description="only records whose reason contains this text")] = None
    property: Annotated[Name | None, Field(description="only records that name this property and no other")] = None
    before: Annotated[AwareDatetime | None, Field(description="only records quarantined before this moment")] = None
    reason: Text


class ApproveDismissal(Approving):
    """Approve a bulk dismissal: it dismisses exactly the records that were shown, or none."""

    dismissal: DismissalNumber


class RejectDismissal(Command):
    """Reject a bulk dismissal; the requester may withdraw it in this way."""

    dismissal: DismissalNumber
    reason: Text


class DismissalItem(BaseModel):
    """A requested bulk dismissal: its filter, and any decision on it."""

    dismissal: int
    until: int = Field(description="the highest record number that the filter selects")
    topic: str | None = None
    reason_contains: str | None = None
    property: str | None = None
    before: datetime | None = None
    records: int = Field(description="number of open records that the filter selected at the request")
    digest: Digest = Field(description="SHA-256 over the records: one line each with number, shard and seq")
    reason: str
    asked_by: str
    asked_at: datetime
    decision: Decision
    decided_by: str | None = None
    decided_at: datetime | None = None
    decided_reason: str | None = None


class SampleRecord(BaseModel):
    """A record that a bulk dismissal would dismiss."""

    quarantine: int
    topic: str
    partition: int
    offset: int
    source: str | None = None
    refused: str = Field(description="why the record was refused")


class DismissalWhole(ApprovalSubject, DismissalItem):
    """A requested bulk dismissal with a sample of the records that its filter selects now."""

    open_records: int = Field(description="number of open records that the filter selects now")
    is_as_asked: bool = Field(description="whether the filter still selects exactly the records of the request")
    sample: list[SampleRecord] = Field(description="the first of the records that the filter selects now")


class DismissalDocument(BaseModel):
    """The answer to a bulk dismissal command: the number of records, and the decision so far."""

    dismissal: int
    records: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class BulkDismissal:
    """A bulk dismissal with the records that its filter selects now."""

    whole: DismissalWhole
    filter: QuarantineFilter
    records: Sequence[RecordEntry]


async def dismissal_of(connection: AsyncConnection, tables: JournalTables, number: int) -> Dismissal:
    """Return a bulk dismissal by its number. Raises: Rejected if the number is unknown."""
    found = await read_dismissal(connection, tables, number)
    if found is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no dismissal {number} of records together")
    return found


async def read_many(
    connection: AsyncConnection, tables: JournalTables, number: int, *, lock: bool = False
) -> BulkDismissal:
    """Return a bulk dismissal with the records that its filter selects now; a decided one has no records.

    `lock` locks the dismissal for a decision. Raises: Rejected if the number is unknown.
    """
    if lock:
        await read_dismissal(connection, tables, number, lock=True)
    one = await dismissal_of(connection, tables, number)
    waits, records, sample = one.decision == Decision.ASKED, list[RecordEntry](), list[SampleRecord]()
    if waits:
        records = list(await read_matching(connection, tables, filter_of(one), limit=RECORDS_MAX + 1, lock=lock))
        q = tables.quarantine.c
        columns = (q.id.label("quarantine"), q.topic, q.partition, q.offset, q.source, q.reason.label("refused"))
        query = select(*columns).where(matching(tables, filter_of(one))).order_by(q.id).limit(_SAMPLE_MAX)
        sample = [SampleRecord(**row._mapping) for row in await connection.execute(query)]
    whole = DismissalWhole(
        **asdict(one),
        open_records=len(records),
        is_as_asked=waits and digest_of(records) == one.digest,
        sample=sample,
    )
    return BulkDismissal(whole, filter_of(one), records)


def dismissal_commands(tables: JournalTables) -> Commands:
    """Return the bulk dismissal commands of a service."""
    commands = Commands()

    async def found(connection: AsyncConnection, command: RequestDismissal) -> tuple[int, Sequence[RecordEntry]]:
        d = tables.quarantine_dismissals
        await connection.execute(text(f"LOCK TABLE {d.fullname} IN SHARE ROW EXCLUSIVE MODE"))  # serializes numbering
        number = (await connection.execute(select(func.coalesce(func.max(d.c.dismissal), 0) + 1))).scalar_one()
        return number, await read_matching(connection, tables, filter_of(command), limit=RECORDS_MAX + 1)

    async def load(connection: AsyncConnection, command: ApproveDismissal | RejectDismissal) -> BulkDismissal:
        return await read_many(connection, tables, command.dismissal, lock=True)

    def shown(command: ApproveDismissal, many: BulkDismissal, now: Now) -> DismissalWhole:
        del command, now
        return many.whole

    @commands.handles(RequestDismissal, load=found)
    def request(command: RequestDismissal, state: tuple[int, Sequence[RecordEntry]], now: Now) -> Accepted:
        number, records = state
        if not records:
            raise Rejected(Reason.NOT_FOUND, "no open record is meant: see the list of the quarantine")
        if len(records) > RECORDS_MAX:
            raise Rejected(Reason.NOT_ALLOWED, f"more than {RECORDS_MAX} records are meant: lower `until`")
        if (count := len(ranges_of(records))) > RANGES_MAX:
            detail = f"the records stand in {count} ranges of entries, more than {RANGES_MAX}: lower `until`"
            raise Rejected(Reason.NOT_ALLOWED, detail)
        fact = DismissalRequested(
            dismissal=number,
            filter=filter_of(command),
            records=len(records),
            digest=digest_of(records),
            reason=command.reason,
            by=now.by,
        )
        return _accepted(fact, len(records), Decision.ASKED)

    @commands.handles(ApproveDismissal, load=load, subject=shown)
    def approve(command: ApproveDismissal, many: BulkDismissal, now: Now) -> Accepted:
        one = many.whole
        _approval(one).approve(now.by)
        if not one.is_as_asked:
            detail = f"{one.records} records were meant and {one.open_records} are, or others: reject it, and ask again"
            raise Rejected(Reason.NOT_AS_SHOWN, detail)
        fact = DismissedTogether(
            dismissal=command.dismissal,
            filter=many.filter,
            records=one.records,
            digest=one.digest,
            closed=ranges_of(many.records),
            correction=Correction(reason=one.reason, entered_by=one.asked_by, approved_by=now.by),
        )
        return _accepted(fact, one.records, Decision.APPROVED)

    @commands.handles(RejectDismissal, load=load)
    def reject(command: RejectDismissal, many: BulkDismissal, now: Now) -> Accepted:
        _approval(many.whole).reject()
        fact = DismissalRejected(dismissal=command.dismissal, reason=command.reason, by=now.by)
        return _accepted(fact, many.whole.records, Decision.REJECTED)

    return commands


def _approval(one: DismissalItem) -> Approval:
    return Approval(QUARANTINE, f"dismissal {one.dismissal} of records together", one.asked_by, one.decision)


def _accepted(
    fact: DismissalRequested | DismissedTogether | DismissalRejected, records: int, decision: Decision
) -> Accepted:
    answer = DismissalDocument(dismissal=fact.dismissal, records=records, decision=decision)
    location = f"/quarantine/dismissals/{fact.dismissal}"
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer, location=location)


def dismissal_projector(tables: JournalTables) -> Projector:
    """Return the projector of bulk dismissals, which also marks the dismissed records as resolved."""
    dismissals, q = tables.quarantine_dismissals, tables.quarantine
    ask = insert(dismissals, [one.name for one in dismissals.columns if not one.name.startswith("decided")])
    closed = (
        func.unnest(
            bindparam("shards", type_=ARRAY(Integer)),
            bindparam("firsts", type_=ARRAY(BigInteger)),
            bindparam("lasts", type_=ARRAY(BigInteger)),
        )
        .table_valued(column("shard", Integer), column("first", BigInteger), column("last", BigInteger), name="closed")
        .render_derived()
    )
    meant = and_(q.c.shard == closed.c.shard, q.c.seq.between(closed.c.first, closed.c.last), q.c.resolved_at.is_(None))
    close = update(q).where(meant).values(resolved_at=bindparam("at"))

    async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
        connection = transaction.connection
        for entry, fact in recorded:
            match fact:
                case DismissalRequested():
                    await ask.write(connection, [_asked(entry, fact)])
                case DismissalRejected(by=by):
                    await connection.execute(_decide(entry, fact.dismissal, Decision.REJECTED, by, fact.reason))
                case DismissedTogether(correction=why, closed=ranges):
                    await connection.execute(_decide(entry, fact.dismissal, Decision.APPROVED, why.approved_by))
                    found = {
                        "shards": [one.shard for one in ranges],
                        "firsts": [one.first for one in ranges],
                        "lasts": [one.last for one in ranges],
                    }
                    await connection.execute(close, found | {"at": entry.recorded_at})

    def _decide(entry: Entry, number: int, decision: Decision, by: str, reason: str | None = None) -> Any:
        return (
            update(dismissals)
            .where(dismissals.c.dismissal == number)
            .values(decision=decision, decided_by=by, decided_at=entry.recorded_at, decided_reason=reason)
        )

    return Projector(tables=(dismissals,), project=project, beside=(tables.quarantine,))


def _asked(entry: Entry, fact: FilteredRecords) -> dict[str, Any]:
    assert isinstance(fact, DismissalRequested)
    return {
        "dismissal": fact.dismissal,
        **dict(fact.filter),
        "records": fact.records,
        "digest": fact.digest,
        "reason": fact.reason,
        "asked_by": fact.by,
        "asked_at": entry.recorded_at,
        "decision": Decision.ASKED,
    }
