"""Idempotency store: keeps the answer to each command forever under its key, and returns it on a retry."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

from psycopg import AsyncCursor
from pydantic_core import to_json

from shared.contracts.rejection import Reason, Rejected
from shared.journal.bulk import Row, insert, keyed, select
from shared.journal.ledger import Fenced, Ledger
from shared.journal.pipeline import Pipeline
from shared.journal.signed_rows import not_signed, signed_rows

CommandKey = tuple[str, str]
"""(person in canonical form, Idempotency-Key): identifies a command and its answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a command.

    Accepted (`reason` is None): the body is the JSON of the result, and `location` the URL of the resource. Rejected:
    the body is `{"detail": ..., "cites": ...}`, the problem with its remedy and the paragraph of law. If the command
    contained a document, the member `problems` lists all faults of the document.
    """

    reason: Reason | None
    body: str
    location: str | None = None

    @classmethod
    def of_rejection(cls, rejected: Rejected) -> "Answer":
        """Return the answer to a rejected command."""
        said: dict[str, Any] = {"detail": rejected.detail, "cites": rejected.cites}
        if rejected.findings:
            said["problems"] = [asdict(finding) for finding in rejected.findings]
        return cls(rejected.reason, to_json(said).decode())


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A stored answer, with the command's name, the SHA-256 of its name and content (32 bytes), and the answer's time.

    `forged` is the reason why the row is not authentic, or None if it is.
    """

    answer: Answer
    content: bytes
    command: str
    answered_at: datetime
    forged: str | None = None


class IdempotencyStore:
    """The stored answers of a service: one for each (person, key), signed and never changed."""

    def __init__(self, ledger: Ledger) -> None:
        self._seals = ledger.seals
        self._table = ledger.tables.idempotency
        self._find = select(self._table)
        self._keep = insert(self._table, on_conflict="skip")

    async def find(self, sent: Pipeline, places: Collection[CommandKey]) -> AsyncCursor[Any]:
        """Query the answers stored under these keys; pass the cursor to `read` after the pipeline has ended."""
        return await sent.read(self._find, keyed(self._find, places))

    async def read(self, found: AsyncCursor[Any]) -> dict[CommandKey, StoredResponse]:
        """Return the queried answers by their keys."""
        return {
            (row.person, row.key): StoredResponse(
                Answer(None if row.reason is None else Reason(row.reason), row.body, row.location),
                row.content,
                row.command,
                row.answered_at,
                not_signed(self._seals, self._table, row._asdict()),
            )
            async for row in found
        }

    async def keep(self, sent: Pipeline, given: Sequence[tuple[CommandKey, StoredResponse]]) -> None:
        """Store new answers. The pipeline raises Fenced if another process has answered one of these commands."""
        rows: list[Row] = [
            {
                "person": person,
                "key": key,
                "command": one.command,
                "content": one.content,
                "reason": one.answer.reason,
                "location": one.answer.location,
                "body": one.answer.body,
                "answered_at": one.answered_at,
            }
            for (person, key), one in sorted(given, key=itemgetter(0))  # in a fixed order, to avoid deadlocks
        ]
        rows = signed_rows(self._seals, self._table, rows)
        await sent.write(self._keep, rows, otherwise=Fenced("another process answered one of these commands"))
