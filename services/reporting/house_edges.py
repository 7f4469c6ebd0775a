"""The house edges of the wagers that rules submissions offer, counted once when a submission comes."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.tables import house_edges, submissions
from shared.contracts.submission_events import SubmissionApproved
from shared.journal.bulk import insert
from shared.rules import payback
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.submission import select as selected


@dataclass(frozen=True, slots=True)
class HouseEdge:
    """What the house keeps of a cent wagered under a submission (its hash), exactly; or why nobody can count it."""

    submission: str
    wager: str
    paytable: str | None
    house_edge: Fraction | None
    reason: str | None = None


def edges_of(approved: SubmissionApproved) -> list[HouseEdge]:
    """The house edge of each wager on offer, 1 less its exact payback. Counting takes up to some seconds a wager.

    Raises: Refused where the regulation does not allow what the submission selects.
    """
    found = []
    for wager, offer in selected(catalogue(approved.regulation), approved.submission).offers.items():
        edge = partial(HouseEdge, approved.hash, wager, offer.paytable.name)
        try:
            found.append(edge(1 - payback(approved.regulation, wager, approved.submission)))
        except Refused as refused:
            found.append(edge(None, str(refused)))
    return found


async def count_edges(approved: SubmissionApproved) -> list[HouseEdge]:
    """Like `edges_of`, in a thread: the service answers meanwhile."""
    return await asyncio.to_thread(edges_of, approved)


_ADD = insert(house_edges, on_conflict="skip")


async def write_edges(connection: AsyncConnection, edges: Iterable[HouseEdge]) -> None:
    """Adds house edges; those of a submission that is there stay."""
    rows = [
        {
            "submission": edge.submission,
            "wager": edge.wager,
            "paytable": edge.paytable,
            "house_edge": None if edge.house_edge is None else str(edge.house_edge),
            "reason": edge.reason,
        }
        for edge in edges
    ]
    await _ADD.write(connection, rows)


async def count_again(connection: AsyncConnection) -> None:
    """Counts the house edges of every submission, none of which is there."""
    documents: Sequence[object] = (await connection.execute(select(submissions.c.document))).scalars().all()
    for document in documents:
        await write_edges(connection, await count_edges(SubmissionApproved.model_validate(document)))
