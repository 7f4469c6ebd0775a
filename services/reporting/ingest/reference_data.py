"""Handlers of reference data: properties, and rules submissions with the house edges of their wagers."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.house_edges import HouseEdge, PlayedEdge, edges_of, returns_as_text
from services.reporting.read_model.staff import DECIDED, SUBMITTED
from services.reporting.read_model.writing import Batch, keep_documents
from services.reporting.tables import documents, facts, house_edges, positions, properties
from shared.contracts.envelope import Event
from shared.contracts.facts import Fact
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import PROPERTIES, SUBMISSIONS, publisher_of
from shared.journal.bulk import insert
from shared.rules.errors import Refused
from shared.runtime.ingest.property_copies import Properties
from shared.runtime.ingest.submission_copies import RulesSubmissions


class ApprovedProperties(Properties):
    """Stores approved properties (law, clock, tables, shifts), and all filings of properties and ledger mappings."""

    reader = Reader(PROPERTIES, *DECIDED, CommandRefused)
    copies = (properties,)
    keeps = (documents,)

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Store the properties and entries that are not stored yet; another process may have stored some of them."""
        await super().keep(connection, events, at)
        await self.keep_again(connection, events, at)

    async def keep_again(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write the entries of a batch that are not stored yet."""
        del at
        await keep_documents(connection, publisher_of(PROPERTIES), events)


_ADD_EDGES = insert(house_edges, on_conflict="skip")


class Submissions(RulesSubmissions):
    """Stores filed rules submissions, the decisions on them, and the house edges of approved submissions.

    Computing a house edge takes up to several seconds per wager, so it is done in a thread before a transaction begins.
    """

    reader = Reader(SUBMISSIONS, *SUBMITTED, CommandRefused)
    keeps = (house_edges, facts, positions)

    def __init__(self) -> None:
        self._edges: dict[str, Sequence[HouseEdge]] = {}

    async def prepare(self, events: Sequence[Event[Any]]) -> None:
        """Compute the house edges for submissions that are not stored yet."""
        for event in events:
            if isinstance(event.data, SubmissionApproved):
                with suppress(Refused):  # `require_usable` refuses the submission later, with the reason
                    await self._counted(event.data)

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write house edges that are not stored yet, and the batch's filings, decisions and refusals."""
        del at
        batch = Batch(publisher_of(SUBMISSIONS))
        for event in events:
            batch.seen(event)  # type: ignore[arg-type]  # the topic of a journal has only entries
            if isinstance(event.data, Fact):
                batch.note(event, event.data)  # type: ignore[arg-type]
        await batch.write(connection)
        approved = [event for event in events if isinstance(event.data, SubmissionApproved)]
        rows = [_row(edge, one.recordedat) for one in approved for edge in await self._counted(one.data)]  # type: ignore[attr-defined]  # entries of the registry
        await _ADD_EDGES.write(connection, rows)

    async def _counted(self, approved: SubmissionApproved) -> Sequence[HouseEdge]:
        if approved.hash not in self._edges:
            self._edges[approved.hash] = await asyncio.to_thread(edges_of, approved)
        return self._edges[approved.hash]


def _row(edge: HouseEdge, recorded_at: datetime) -> dict[str, Any]:
    exact = None if edge.returns is None else returns_as_text(edge.returns)
    said = {name: getattr(edge, name) for name in ("submission", "wager", "offered", "paytable", "reason", "lacks")}
    said |= {"recorded_at": recorded_at, "returns": exact, "bonus_lines": list(edge.bonus_lines)}
    said |= {
        "stated_percent": None if edge.stated is None else edge.stated.house_edge_percent,
        "stated_source": None if edge.stated is None else edge.stated.source,
    }
    return said | (dict.fromkeys(PlayedEdge._fields) if edge.played is None else _texts(edge.played))


def _texts(played: PlayedEdge) -> dict[str, str]:
    return {name: str(value) for name, value in played._asdict().items()}
