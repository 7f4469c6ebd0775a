"""Journal requests that were refused before they became commands.

If the same request is refused again on the same day (UTC), no entry is added, because each refusal has a stream with a
single position, named by the refusal's fingerprint. So a client that keeps retrying does not make the journal grow.
"""

import hmac
from datetime import UTC
from hashlib import sha256
from typing import Final
from urllib.parse import quote

import structlog
from fastapi import Request
from pydantic import TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect

from shared.contracts.envelope import Identifier, canonical
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import Causation, FactWithPostings, draft
from shared.runtime.context import RuntimeContext
from shared.runtime.http.access import Caller
from shared.runtime.http.audit_log import append_audit_entry
from shared.runtime.text import printable

log = structlog.get_logger()

SHARD: Final = "refusals"
"""A shard of its own, so that refusals never delay commands."""

_COMMAND_LENGTH_MAX: Final = 400
"""Maximum length of method and path in a journaled refusal; no route of a service is longer."""

_key: TypeAdapter[str] = TypeAdapter(Identifier)


class Refusals:
    """Records refused requests in the journal, one at a time."""

    def __init__(self, context: RuntimeContext) -> None:
        self._context = context

    async def record(self, request: Request, caller: Caller, reason: Reason, detail: str) -> None:
        """Record that a person's request was refused, unless the same refusal has been recorded since midnight (UTC).

        If the journal has a problem, the refusal is only logged.
        """
        try:
            content = await _content(request, caller)
        except ClientDisconnect:
            log.info("client disconnected, refusal not recorded", by=caller.person, reason=reason)
            return
        fact = CommandRefused(
            command=f"{request.method} {quote(request.url.path)}"[:_COMMAND_LENGTH_MAX],
            reason=reason,
            detail=printable(detail),
            by=caller.person,
            at=self._context.clock(),
            key=_valid_key(request),
            content=content,
        )
        source = f"/{self._context.service}/requests/{_fingerprint(fact)}"
        refusal = draft(FactWithPostings(fact=fact), Causation(source, 1, fact.key or "", None, fact.at))
        try:
            await append_audit_entry(self._context, SHARD, refusal)
        except Rejected as rejected:  # the request stays refused
            log.error("refusal not recorded", by=caller.person, refused=reason, detail=rejected.detail)


async def _content(request: Request, caller: Caller) -> str:
    """Return a keyed hash of the request body; from a plain hash, an access code in the body could be guessed.

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
    """Return a hash that equal refusals of the same day (UTC) share."""
    same = [fact.by, fact.command, fact.key, fact.content, fact.reason, fact.at.astimezone(UTC).date().isoformat()]
    return sha256(canonical(same)).hexdigest()
