"""What reporting reads: the journal of round settlement, rules submissions, and how far gaming days have come."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.changes import Changes
from services.reporting.domain.house_edges import HouseEdge, edges_of
from services.reporting.domain.views import PostedRound, ReversedRound, SupersededRound, VoidedRound
from services.reporting.projector import write
from services.reporting.tables import OF_JOURNALS, days, game_days, house_edges, submission_days, wager_days
from shared.contracts.envelope import Event
from shared.contracts.journal_facts import GapFilled, GapOpened, QuarantineDismissed, RecordMended, RecordQuarantined
from shared.contracts.reading import Passed, Reader
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.topics import SETTLEMENTS
from shared.journal.bulk import insert
from shared.rules.errors import Refused
from shared.runtime.consume.days import DayStatuses
from shared.runtime.consume.handler import Handler
from shared.runtime.consume.submissions import RulesSubmissions


class Settlements(Handler[None]):
    """Add settlements to the reports. They lead to no entries: sums and exceptions follow from the topic."""

    reader = Reader(
        SETTLEMENTS,
        *(PostedRound, ReversedRound, SupersededRound, VoidedRound),
        *(GapOpened, GapFilled, RecordQuarantined, RecordMended, QuarantineDismissed),
    )
    keeps = (wager_days, submission_days, game_days, *OF_JOURNALS)

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Add a batch up, and write what it changes."""
        del at
        changes = Changes()
        for event in events:
            if not isinstance(event.data, Passed):
                changes.add(event)  # type: ignore[arg-type]  # what the reader knows of this topic are entries
        await write(connection, changes)


_ADD_EDGES = insert(house_edges, on_conflict="skip")


class Submissions(RulesSubmissions):
    """Keep the house edges of what approved rules submissions offer.

    Counting takes up to some seconds a wager: it is done in a thread, and before any transaction.
    """

    keeps = (house_edges,)

    def __init__(self) -> None:
        self._edges: dict[str, Sequence[HouseEdge]] = {}

    async def prepare(self, events: Sequence[Event[Any]]) -> None:
        """Count the house edges of submissions that are new."""
        for event in events:
            if isinstance(event.data, SubmissionApproved):
                with suppress(Refused):  # `handle` refuses it, and says why
                    await self._counted(event.data)

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write the house edges; those that are there stay."""
        del at
        approved = [event.data for event in events if isinstance(event.data, SubmissionApproved)]
        await _ADD_EDGES.write(
            connection, [_row(edge) for submission in approved for edge in await self._counted(submission)]
        )

    async def _counted(self, approved: SubmissionApproved) -> Sequence[HouseEdge]:
        if approved.hash not in self._edges:
            self._edges[approved.hash] = await asyncio.to_thread(edges_of, approved)
        return self._edges[approved.hash]


def _row(edge: HouseEdge) -> dict[str, Any]:
    return asdict(edge) | {"house_edge": None if edge.house_edge is None else str(edge.house_edge)}


class Days(DayStatuses):
    """Keep how far gaming days have come."""

    keeps = (days,)
