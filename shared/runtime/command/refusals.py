"""What is recorded of a command that its handler rejected."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from shared.contracts.journal_facts import CommandRefused
from shared.contracts.rejection import Rejected
from shared.journal.recording import Recording
from shared.runtime.text import printable


def refused(
    command: str, rejected: Rejected, *, by: str, at: datetime, key: str, asked: Mapping[str, Any] | None
) -> Recording:
    """Return the fact that a command was rejected; `asked` is what may be shown of it."""
    fields = asked or {}
    day = fields.get("gaming_day")
    return Recording(
        fact=CommandRefused(
            command=command,
            reason=rejected.reason,
            detail=printable(rejected.detail),
            by=by,
            at=at,
            key=key,
            property=fields.get("property"),
            gaming_day=None if day is None else date.fromisoformat(day),
            asked=None if asked is None else dict(asked),
        )
    )
