"""Refusals at the door: what a known person asked for, and was refused before a command came of it, is an entry too.

The same request refused again is one entry a day (UTC): its stream is named by its fingerprint and has one place, which
is then taken. So a client that tries again and again does not make the journal grow.
"""

import hmac
from collections.abc import Callable, Sequence
from datetime import UTC
from hashlib import sha256
from typing import Final
from urllib.parse import quote

import structlog
from fastapi import Request
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from starlette.requests import ClientDisconnect

from shared.contracts.envelope import Identifier, as_json, canonical
from shared.contracts.refusals import RequestRefused
from shared.contracts.rejection import Reason
from shared.journal.entry import Draft, Entry
from shared.journal.ledger import Ledger
from shared.runtime.command.commands import record_command
from shared.runtime.consume.batch import printable
from shared.runtime.consume.consumer import Clock
from shared.runtime.metrics import Metrics
from shared.runtime.web.access import Caller
from shared.runtime.web.problems import problem_type

log = structlog.get_logger()

KIND: Final = "request.refused"
SHARD: Final = "refusals"
"""A shard of their own: refusals never keep commands waiting."""

_COMMAND_LENGTH_MAX: Final = 400
"""Longer than any command of ours."""

_key: TypeAdapter[str] = TypeAdapter(Identifier)


class _Recorded(Exception):
    """The same refusal is in the journal."""


class Refusals:
    """Records the requests that a service refuses, one at a time."""

    def __init__(
        self,
        *,
        service: str,
        engine: AsyncEngine,
        ledger: Ledger,
        metrics: Metrics,
        clock: Clock,
        wake: Callable[[], None],
    ) -> None:
        self._service = service
        self._engine = engine
        self._ledger = ledger
        self._metrics = metrics
        self._clock = clock
        self._wake = wake

    async def record(self, request: Request, caller: Caller, reason: Reason, detail: str) -> None:
        """Records that a request of a person was refused, unless the journal has it since midnight (UTC)."""
        try:
            content = await _content(request, caller)
        except ClientDisconnect:
            log.info("a refused request broke off", by=caller.person, reason=reason.value)
            return
        refused = RequestRefused(
            command=f"{request.method} {quote(request.url.path)}"[:_COMMAND_LENGTH_MAX],
            status=problem_type(reason).status,
            reason=printable(detail),
            by=caller.person,
            at=self._clock(),
            key=_valid_key(request),
            content=content,
        )
        draft = Draft(
            kind=KIND,
            source=f"/{self._service}/requests/{_fingerprint(refused)}",
            sequence=1,
            event_id=refused.key or "",
            offset=None,
            gaming_day=None,
            occurred_at=refused.at,
            data=refused.model_dump_json(exclude_none=True).encode(),
        )
        await self._record(draft)

    async def _record(self, draft: Draft) -> None:
        async def derive(connection: AsyncConnection, sequence: int) -> Sequence[Draft]:
            del sequence
            await self._require_new(connection, draft)
            return [draft]

        async def save(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
            """The entry is all."""

        try:
            await record_command(
                engine=self._engine, ledger=self._ledger, clock=self._clock, derive=derive, save=save, shard_name=SHARD
            )
        except _Recorded:
            return
        self._metrics.entries.labels(KIND).inc()
        self._wake()

    async def _require_new(self, connection: AsyncConnection, draft: Draft) -> None:
        """Raises: _Recorded."""
        e = self._ledger.tables.entries.c
        place = (e.source == draft.source) & (e.sequence == draft.sequence) & (e.kind == draft.kind)
        if (await connection.execute(select(e.seq).where(place))).one_or_none() is not None:
            raise _Recorded


async def _content(request: Request, caller: Caller) -> str:
    """What was sent, keyed: from a plain hash of the body anybody could guess the access code that is in it.

    Raises: ClientDisconnect.
    """
    digest = hmac.new(bytes.fromhex(caller.token_sha256), digestmod=sha256)
    async for chunk in request.stream():
        digest.update(chunk)
    return digest.hexdigest()


def _valid_key(request: Request) -> str | None:
    try:
        return _key.validate_python(request.headers.get("idempotency-key"))
    except ValidationError:
        return None


def _fingerprint(refused: RequestRefused) -> str:
    """What is the same for the same request refused in the same way on the same day (UTC)."""
    document = as_json(refused)
    same = {name: document.get(name) for name in ("by", "command", "key", "content", "status")}
    return sha256(canonical({**same, "day": refused.at.astimezone(UTC).date().isoformat()})).hexdigest()
