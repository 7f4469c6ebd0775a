"""The approved documents that a service had at a given time: contents from the topic, receipt times from its copy."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import func, select

from shared.journal.verification import VerificationProblem
from shared.rules.errors import Refused
from shared.runtime.ingest.approved_documents import ApprovedCopy, ApprovedDocuments
from shared.runtime.rederivation.replay_spec import Sources, TopicLacks

_READ_TO: Final = "topic_was_read_to"


class DocumentHistory:
    """The documents of a topic in the order of receipt.

    `read` returns a problem for each document in the service's copy that differs from the document on the topic, or is
    missing on the topic. `as_of` fills `approved` with the documents that had been received by a moment.
    """

    def __init__(self, handler: ApprovedDocuments, approved: ApprovedCopy[Any, Any]) -> None:
        self._handler = handler
        self._approved = approved
        self._received: list[tuple[datetime, Any]] = []
        self._withdrawn: list[tuple[datetime, str]] = []
        self._moments: list[datetime] = []
        self._known = -1

    async def read(self, sources: Sources) -> Sequence[VerificationProblem]:
        """Read the service's copy, and the topic up to the service's read position; return their differences."""
        [table] = self._handler.copies
        s, topic = sources.tables.shards.c, self._handler.topic
        of_log = s.name.startswith(f"{topic}/", autoescape=True) & s.name.endswith(
            f"@{sources.logs[topic]}", autoescape=True
        )
        read_to = select(func.json_object_agg(s.name, s.next_offset)).where(of_log).scalar_subquery()
        found = await sources.connection.execute(select(table, read_to.label(_READ_TO)).order_by(table.c.received_at))
        copied = found.all()
        ends = copied[0]._mapping[_READ_TO] if copied else {}
        published: dict[tuple[Any, ...], Any] = {}
        withdrawn: set[tuple[Any, ...]] = set()
        try:
            for name, end in (ends or {}).items():
                chunks = sources.records.read(topic, int(name.partition("@")[0].rpartition("/")[2]), 0, end)
                while (records := await asyncio.to_thread(partial(next, chunks, None))) is not None:
                    for record in records:
                        try:
                            said = self._handler.decode(record).data
                        except Refused:
                            continue  # quarantined, so not one of the documents
                        if isinstance(said, self._handler.model):
                            published[self._key(said)] = said
                        elif isinstance(said, self._handler.withdrawal):
                            withdrawn.add(self._key(said))
        except TopicLacks as error:
            return [VerificationProblem(topic, 0, f"its documents cannot be derived again: {error}")]
        return self._match(copied, published, withdrawn)

    def as_of(self, moment: datetime) -> None:
        """Fill `approved` with the documents that had been received by a given moment."""
        count = bisect_right(self._moments, moment)
        if count != self._known:
            self._known = count
            withdrawn = {digest for at, digest in self._withdrawn if at <= moment}
            self._approved.know([said for at, said in self._received if at <= moment], withdrawn)

    def _match(
        self, copied: Sequence[Any], published: dict[tuple[Any, ...], Any], withdrawn: set[tuple[Any, ...]]
    ) -> list[VerificationProblem]:
        [table] = self._handler.copies
        problems = []
        for row in copied:
            key = tuple(getattr(row, column.name) for column in table.primary_key)
            said = published.get(key)
            taken_back: datetime | None = row._mapping.get("withdrawal_received_at")
            if (taken_back is not None) != (key in withdrawn):
                where = "in the copy, and not on its topic" if taken_back else "on its topic, and not in the copy"
                problems.append(
                    VerificationProblem(table.name, 0, f"the document {'/'.join(map(str, key))} is withdrawn {where}")
                )
            if row.document is None:
                continue  # withdrawn before its approval arrived: it never took effect
            if said is None or said.model_dump(mode="json") != row.document:
                what = "is not on its topic" if said is None else "is another one on its topic"
                named = "/".join(map(str, key))
                problems.append(VerificationProblem(table.name, 0, f"the copy of the document {named} {what}"))
            if said is not None:
                self._received.append((row.received_at, said))
                if taken_back is not None:
                    self._withdrawn.append((taken_back, said.hash))
        self._moments = sorted(moment for moment, _ in (*self._received, *self._withdrawn))
        return problems

    def _key(self, said: Any) -> tuple[Any, ...]:
        [table] = self._handler.copies
        return tuple(getattr(said, column.name) for column in table.primary_key)
