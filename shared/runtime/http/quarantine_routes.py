"""Routes for the quarantine of a service: quarantined records, requests about them, and decisions."""

from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field
from pydantic_core import from_json, to_json
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.journal.quarantine import (
    Quarantined,
    list_quarantined,
    properties_of_event,
)
from shared.journal.quarantine import Request as Asking
from shared.runtime.commands.approval import Decision
from shared.runtime.commands.idempotency import Answer
from shared.runtime.commands.quarantine_commands import (
    REPLAY,
    ApproveQuarantineRequest,
    AskDismissal,
    AskReplay,
    QuarantinedRecord,
    RejectQuarantineRequest,
    RequestDocument,
    find_record,
)
from shared.runtime.commands.quarantine_requests import RequestWhole, content_of, request_whole
from shared.runtime.commands.record_replay import ReplaySender
from shared.runtime.context import RuntimeContext
from shared.runtime.database import snapshot
from shared.runtime.http.access import Caller, caller_for_own
from shared.runtime.http.command_routes import CommandEngine, command_route
from shared.runtime.http.conditional_requests import UNCHANGED, document_response
from shared.runtime.http.pagination import Asked, Listing, Page
from shared.runtime.http.problems import problems
from shared.runtime.http.roles import APPROVE_QUARANTINE, MEND_QUARANTINE, READ_QUARANTINE

_REQUEST: Final = "/{quarantine}/requests/{request}"

_LISTED_UNDER: Final = "only records that name this property, or no property"
_KNOWN: Final = "the properties that there are: with `listed_under`, a record that names none of them names no property"

_KNOWN_MAX: Final = 1_000

RECORDS: Listing[tuple[int]] = Listing("quarantine", tuple[int])

QuarantineReader = Annotated[Caller, caller_for_own(READ_QUARANTINE, MEND_QUARANTINE, APPROVE_QUARANTINE)]


class QuarantinedItem(BaseModel):
    """A quarantined record. `source` and `sequence` are the stream position that the record claims, if any."""

    quarantine: int
    topic: str
    partition: int
    offset: int
    source: str | None = None
    sequence: int | None = None
    listed_under: list[str] = Field(description="the properties that the record names; empty if none can be read")
    reason: str
    stops: bool = Field(description="whether the record's partition is halted until the record is resolved")
    length_bytes: int
    quarantined_at: datetime
    resolved_at: datetime | None = Field(default=None, description="when it was repaired, replaced or dismissed")


class RequestItem(BaseModel):
    """A request about a quarantined record, with the decision on it."""

    request: int
    action: Literal["replay", "dismissal"]
    mended: Any = Field(default=None, description="the event to send in place of the record, if repaired")
    reason: str
    asked_by: str
    asked_at: datetime
    decision: Decision
    decided_by: str | None = None
    decided_at: datetime | None = None
    decided_reason: str | None = None


class QuarantinedDocument(QuarantinedItem):
    """A quarantined record with its bytes, as text if they are UTF-8, and all requests about it.

    `shard` and `seq` identify the journal entry with the reason for the quarantine.
    """

    shard: int
    seq: int
    cluster: str = Field(description="the id of the Kafka cluster that the record came from")
    key_text: str | None = None
    value_text: str | None = None
    value_hex: str | None = Field(default=None, description="the bytes in hexadecimal, if they are not UTF-8")
    requests: list[RequestItem]


class _Replaying:
    """Executes commands about quarantined records. Approving a replay also sends the record, again on each retry."""

    def __init__(self, commands: CommandEngine, replays: ReplaySender) -> None:
        self._commands = commands
        self._replays = replays

    async def do(self, command: Any, *, person: str, key: str) -> Answer:
        """Return the answer; for an approved replay, once the record is sent. Raises: NotSent; the engine's errors."""
        answer = await self._commands.do(command, person=person, key=key)
        if answer.reason is None:
            done = RequestDocument.model_validate_json(answer.body)
            if (done.action, done.decision) == (REPLAY, Decision.APPROVED):
                await self._replays.send(done.quarantine, done.request)
        return answer


def quarantine_routes(context: RuntimeContext, commands: CommandEngine, replays: ReplaySender) -> APIRouter:
    """Return the routes for the quarantine of a service."""
    readers, tables = context.pools.readers, context.tables
    router = APIRouter(prefix="/quarantine", tags=["quarantine"])

    @router.get("", response_model_exclude_none=True, summary="List quarantined records")
    async def list_records(
        reader: QuarantineReader,
        asked: Asked,
        status: Annotated[Literal["open", "all"], Query(description="only open records, or all")] = "open",
        topic: Annotated[Name | None, Query(description="only records of this topic")] = None,
        listed_under: Annotated[Name | None, Query(description=_LISTED_UNDER)] = None,
        known: Annotated[list[Name] | None, Query(description=_KNOWN, max_length=_KNOWN_MAX)] = None,
    ) -> Page[QuarantinedItem]:
        """Return records with reason and position, oldest first, limited to records that name the caller's properties.

        Callers who work for every property also see records that name no property.
        """
        if listed_under is not None:
            reader.require_properties([listed_under])
        [after] = RECORDS.after(asked.cursor) or (0,)
        async with snapshot(readers) as connection:
            found = await list_quarantined(
                connection,
                tables,
                resolved=status == "all",
                topic=topic,
                properties=reader.own,
                listed_under=listed_under,
                known=known or (),
                after=after,
                limit=asked.limit + 1,
            )
        items = [QuarantinedItem(**_item(record)) for record in found]
        return RECORDS.page(items, asked.limit, lambda item: (item.quarantine,))

    @router.get(
        "/{quarantine}",
        response_model_exclude_none=True,
        summary="Read a quarantined record",
        responses=problems(Reason.NOT_FOUND),
    )
    async def show_record(
        reader: QuarantineReader, quarantine: Annotated[int, Path(ge=1, le=2**62, description="the record's number")]
    ) -> QuarantinedDocument:
        """Return a record with its reason, origin and bytes, and the requests about it."""
        async with snapshot(readers) as connection:
            about = await read_own(connection, reader, quarantine)
        requests = [_request(one) for one in about.requests]
        return QuarantinedDocument(**_item(about.record), **content_of(about.record), requests=requests)

    @router.get(
        _REQUEST,
        response_model=RequestWhole,
        summary="Read the open request about a quarantined record",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_request(
        http: Request,
        reader: QuarantineReader,
        quarantine: Annotated[int, Path(ge=1, le=2**62, description="the record's number")],
        request: Annotated[int, Path(ge=1, le=2**31 - 1, description="the request's number among those of the record")],
    ) -> Response:
        """Return a request with the whole record. An approval must contain the hash of this document."""
        async with snapshot(readers) as connection:
            about = await read_own(connection, reader, quarantine)
        return document_response(http, request_whole(about.record, about.request(request)))

    async def read_own(connection: AsyncConnection, caller: Caller, number: int) -> QuarantinedRecord:
        """Return a record of the caller's properties with the requests about it.

        Raises: Rejected. Callers who do not work for every property get the same answer for a missing record as for a
        record of another property.
        """
        about = await find_record(connection, tables, number)
        caller.require_properties_of(f"record {number}", () if about is None else about.properties)
        if about is None:
            raise Rejected(Reason.NOT_FOUND, f"there is no record {number} in quarantine")
        return about

    async def may_decide(caller: Caller, command: Any) -> None:
        """Check that the caller works for the properties of a record and of its repaired event. Raises: Rejected."""
        async with snapshot(context.pools.commands) as connection:
            record = (await read_own(connection, caller, command.quarantine)).record
        if isinstance(command, AskReplay) and command.mended is not None and caller.own is not None:
            mended = properties_of_event(to_json(command.mended))
            if other := sorted(mended - record.properties):
                detail = f"the record names {', '.join(sorted(record.properties))}, and not {', '.join(other)}"
                raise Rejected(Reason.PROPERTY_MISSING, detail)

    replaying = _Replaying(commands, replays)
    asks = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.TOO_EARLY)
    decides = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    command = partial(command_route, router, replaying, answers=RequestDocument, whose=may_decide)
    ask = partial(command, role=MEND_QUARANTINE, status=201, subject=router.prefix + "/{quarantine}")
    ask(AskReplay, "/{quarantine}/replay", rejects=(*asks, Reason.NOT_ALLOWED))
    ask(AskDismissal, "/{quarantine}/dismissal", rejects=asks)
    decide = partial(command, role=APPROVE_QUARANTINE, subject=router.prefix + _REQUEST)
    decide(ApproveQuarantineRequest, _REQUEST + "/approve", rejects=(*decides, Reason.SAME_PERSON))
    decide(RejectQuarantineRequest, _REQUEST + "/reject", rejects=decides)
    return router


def _item(record: Quarantined) -> dict[str, Any]:
    return asdict(record) | {"quarantine": record.id, "length_bytes": len(record.value)}


def _request(one: Asking) -> RequestItem:
    return RequestItem(**asdict(one) | {"mended": None if one.mended is None else from_json(one.mended)})
