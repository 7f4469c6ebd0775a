"""What is recorded of a request that was refused at the door, before a command came of it.

The same request refused again is one entry a day (UTC): its stream is named by its fingerprint and has one place, which
is then taken. So a client that tries again and again does not make the journal grow.
"""

import hmac
from collections.abc import Callable
from datetime import UTC
from hashlib import sha256
from typing import Final
from urllib.parse import quote

import structlog
from fastapi import Request
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.requests import ClientDisconnect

from shared.contracts.envelope import Identifier, canonical
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.rejection import Reason
from shared.journal.entry import Draft
from shared.journal.ledger import Ledger
from shared.journal.recording import Cause, Recording, draft
from shared.runtime.clock import Clock
from shared.runtime.metrics import Metrics
from shared.runtime.text import printable
from shared.runtime.web.access import Caller

log = structlog.get_logger()

SHARD: Final = "refusals"
"""A shard of their own: refusals at the door never keep commands waiting."""

_COMMAND_LENGTH_MAX: Final = 400
"""Longer than any command of ours."""

_key: TypeAdapter[str] = TypeAdapter(Identifier)


class Refusals:
    """Records the requests that a service refuses at the door, one at a time."""

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
        """Record that a request of a person was refused, unless the journal has it since midnight (UTC)."""
        try:
            content = await _content(request, caller)
        except ClientDisconnect:
            log.info("a refused request broke off", by=caller.person, reason=reason)
            return
        fact = CommandRefused(
            command=f"{request.method} {quote(request.url.path)}"[:_COMMAND_LENGTH_MAX],
            reason=reason,
            detail=printable(detail),
            by=caller.person,
            at=self._clock(),
            key=_valid_key(request),
            content=content,
        )
        source = f"/{self._service}/requests/{_fingerprint(fact)}"
        await self._record(draft(Recording(fact=fact), Cause(source, 1, fact.key or "", None, fact.at)))

    async def _record(self, entry: Draft) -> None:
        e = self._ledger.tables.entries.c
        place = (e.source == entry.source) & (e.sequence == entry.sequence) & (e.kind == entry.kind)
        async with self._ledger.turn(SHARD):
            async with self._engine.begin() as connection:
                await self._ledger.open_shard(connection, SHARD)
            async with self._engine.begin() as connection:
                shard = await self._ledger.lock_shard(connection, SHARD)
                if (await connection.execute(select(e.seq).where(place))).one_or_none() is not None:
                    return
                await self._ledger.append(
                    connection, shard, [entry], next_offset=shard.next_offset, recorded_at=self._clock()
                )
        self._metrics.entries.labels(entry.kind).inc()
        self._wake()


async def _content(request: Request, caller: Caller) -> str:
    """Return what was sent, keyed: from a plain hash of the body anybody could guess the access code that is in it.

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


def _fingerprint(fact: CommandRefused) -> str:
    """Return what is the same for the same request refused in the same way on the same day (UTC)."""
    same = [fact.by, fact.command, fact.key, fact.content, fact.reason, fact.at.astimezone(UTC).date().isoformat()]
    return sha256(canonical(same)).hexdigest()
