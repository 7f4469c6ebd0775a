"""The approved documents that a service knew at a moment: what they say by their topic, when they came by its copy."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import select

from shared.journal.verification import Problem
from shared.rules.errors import Refused
from shared.runtime.consume.approved import Approved, ApprovedDocuments
from shared.runtime.rederive.again import Sources, TopicLacks


class DocumentsThen:
    """The documents of a topic in the order in which a service received them; `approved` is what it knew of them last.

    A copy in which a document is other than on the topic, or which the topic does not have, is a problem.
    """

    def __init__(self, handler: ApprovedDocuments, approved: Approved[Any, Any]) -> None:
        self._handler = handler
        self._approved = approved
        self._received: list[tuple[datetime, Any]] = []
        self._moments: list[datetime] = []
        self._known = -1

    async def read(self, sources: Sources) -> Sequence[Problem]:
        """Read the topic and the copy; return what does not agree."""
        published: dict[tuple[Any, ...], Any] = {}
        topic = self._handler.topic
        try:
            for partition, end in sources.read_to.get(topic, {}).items():
                chunks = sources.records.read(topic, partition, 0, end)
                while (records := await asyncio.to_thread(partial(next, chunks, None))) is not None:
                    for record in records:
                        try:
                            said = self._handler.decode(record).data
                        except Refused:
                            continue  # it went into quarantine, and is none of the documents
                        if isinstance(said, self._handler.model):
                            published[self._key(said)] = said
        except TopicLacks as error:
            return [Problem(topic, 0, f"its documents cannot be derived again: {error}")]
        return await self._match(sources, published)

    def as_of(self, moment: datetime) -> None:
        """Have `approved` know what had been received by a moment."""
        count = bisect_right(self._moments, moment)
        if count != self._known:
            self._known = count
            self._approved.know([said for _, said in self._received[:count]])

    async def _match(self, sources: Sources, published: dict[tuple[Any, ...], Any]) -> list[Problem]:
        table, *_ = self._handler.keeps
        problems = []
        for row in await sources.connection.execute(select(table).order_by(table.c.received_at)):
            key = tuple(getattr(row, column.name) for column in table.primary_key)
            said = published.get(key)
            if said is None or said.model_dump(mode="json") != row.document:
                what = "is not on its topic" if said is None else "is another one on its topic"
                named = "/".join(map(str, key))
                problems.append(Problem(table.name, 0, f"the copy of the document {named} {what}"))
            if said is not None:
                self._received.append((row.received_at, said))
        self._moments = [moment for moment, _ in self._received]
        return problems

    def _key(self, said: Any) -> tuple[Any, ...]:
        table, *_ = self._handler.keeps
        return tuple(getattr(said, column.name) for column in table.primary_key)
