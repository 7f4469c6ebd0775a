"""The access log of patron data. It records reader, patron and kind of data before the response is sent."""

from collections.abc import Iterable
from typing import Final
from uuid import uuid4

from shared.contracts.accounts import PatronSeen, Seen
from shared.journal.entry import EntryDraft
from shared.journal.recording import Causation, FactWithPostings, draft
from shared.runtime.context import RuntimeContext
from shared.runtime.http.audit_log import append_audit_entry

SHARD: Final = "looks"


async def record_look(context: RuntimeContext, property_name: str, patron: str, what: Seen, by: str) -> None:
    """Record that a person accesses a patron's data."""
    await record_looks(context, property_name, (patron,), what, by)


async def record_looks(
    context: RuntimeContext, property_name: str, patrons: Iterable[str], what: Seen, by: str
) -> None:
    """Record that a person accesses patrons' data, with one entry per patron."""
    entries = [_entry(context, property_name, patron, what, by) for patron in sorted(set(patrons))]
    if entries:
        await append_audit_entry(context, SHARD, *entries)


def _entry(context: RuntimeContext, property_name: str, patron: str, what: Seen, by: str) -> EntryDraft:
    now, key = context.clock(), f"look.{uuid4()}"
    fact = PatronSeen(property=property_name, patron=patron, what=what, by=by, at=now)
    return draft(FactWithPostings(fact=fact), Causation(f"/{context.service}/looks/{key}", 1, key, None, now))
