"""What the routes of the ledger share: who may call, documents, pages and ETags."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request, Response, Security
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.web.access import caller_with
from shared.runtime.web.unported import problems

BEARER = Security(HTTPBearer(auto_error=False, scheme_name="bearer"))

Pit = Annotated[str, Depends(caller_with("pit"))]
Cage = Annotated[str, Depends(caller_with("cage"))]
CountTeam = Annotated[str, Depends(caller_with("count"))]
RevenueAudit = Annotated[str, Depends(caller_with("audit"))]
Controller = Annotated[str, Depends(caller_with("control"))]
Reader = Annotated[str, Depends(caller_with("report"))]
READS = Depends(caller_with("report"))

PropertyPath = Annotated[Name, Path(alias="property", description="the property")]
PropertyQuery = Annotated[Name, Query(alias="property", description="the property")]
DayPath = Annotated[date, Path(description="the gaming day")]
DayQuery = Annotated[date, Query(description="the gaming day")]
NumberPath = Annotated[int, Path(ge=1, le=2**31 - 1)]
Limit = Annotated[int, Query(ge=1, le=500, description="most items on a page")]
Cursor = Annotated[str | None, Query(max_length=400, description="`next` of the page before")]

ACCESS = problems(
    _401="the bearer token is missing or not known",
    _403="the caller does not have the role, or may not do this step because of another",
    _422="the request is malformed",
)
COMMAND = ACCESS | problems(_409="it contradicts what is recorded, or the Idempotency-Key was used for another command")
FOUND = COMMAND | problems(_404="there is no such thing")


def document(request: Request, found: BaseModel, **left_out: Any) -> Response:
    """A document with its ETag, or 304 where the caller has it; the ETag does not depend on what is `left_out`."""
    body = found.model_dump_json(exclude_none=True)
    stable = found.model_dump_json(exclude_none=True, exclude=set(left_out)) if left_out else body
    etag = f'"{sha256(stable.encode()).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": "Authorization"}
    known = (tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(","))
    if etag in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection on which every query sees the same state."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection


def cursor_of(place: list[Any]) -> str:
    """The cursor after a place in a list."""
    return urlsafe_b64encode(json.dumps(place, separators=(",", ":")).encode()).decode()


def after(cursor: str | None, *kinds: type) -> tuple[Any, ...] | None:
    """The place that a cursor names. Raises: Rejected where it is not one of this service."""
    if cursor is None:
        return None
    try:
        place = json.loads(urlsafe_b64decode(cursor))
    except ValueError as error:
        raise Rejected(
            Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this service; begin without one"
        ) from error
    if not isinstance(place, list) or [type(part) for part in place] != list(kinds):
        raise Rejected(Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this list; begin without one")
    return tuple(place)
