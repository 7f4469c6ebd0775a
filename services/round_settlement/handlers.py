"""What round settlement reads: table events, which it settles under its copies of properties and submissions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.settling import InEffect, Known, Standing, settle_event
from services.round_settlement.tables import ROUND, journal, properties, rounds, submissions
from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import Event
from shared.contracts.places import PlaceAt
from shared.contracts.rounds import TableData
from shared.contracts.settlements import SettlementPosted, SubmissionRef
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.tables import READER, TableEvent
from shared.journal.bulk import keyed, select
from shared.journal.reading import read_entry
from shared.journal.recording import Recording
from shared.rules import compile_rules
from shared.runtime.consume.handler import Handler
from shared.runtime.consume.properties import Places, Properties
from shared.runtime.consume.submissions import ApprovedSubmissions, RulesSubmissions

RoundKey = tuple[str, str, str]
"""(property, table, round id)"""

_NEW = Known()
"""What is known of a round that nothing has been said about."""


class KnownProperties(Properties):
    """Keep the approved properties: rounds are played at their tables, in their gaming days."""

    keeps = (properties,)


class Submissions(RulesSubmissions):
    """Keep the approved submissions: rounds settle under them."""

    keeps = (submissions,)


@dataclass(slots=True)
class Rounds:
    """What is known of the rounds of a batch, as the events so far left it, the properties and the submissions."""

    known: dict[RoundKey, Known]
    places: Places
    submissions: ApprovedSubmissions[InEffect]


class TableEvents(Handler[Rounds]):
    """Settle what happens at the tables."""

    reader = READER
    keyed_by_source = True

    def __init__(self) -> None:
        self._places = Places(properties)
        self._submissions = ApprovedSubmissions(submissions, compiled)

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> Rounds:
        await self._places.refresh(connection)
        await self._submissions.refresh(connection)
        return Rounds(await _known(connection, {key_of(event) for event in events}), self._places, self._submissions)

    def properties_in(self, state: Rounds) -> PlaceAt:
        return state.places.place

    def stands_since(self, event: Event[Any], state: Rounds) -> datetime | None:
        """Return when the round was opened whose money stands: whenever that was, it may be corrected and voided."""
        standing = state.known.get(key_of(event), _NEW).standing if isinstance(event.data, TableData) else None
        return None if standing is None else standing.posted.opened_at

    def handle(self, event: Event[Any], state: Rounds) -> Sequence[Recording]:
        key = key_of(event)
        known = state.known.get(key, _NEW)
        outcome = settle_event(cast("TableEvent", event), known, state.places.place, state.submissions.in_effect)
        state.known[key] = outcome.known
        return outcome.recordings


def compiled(approved: SubmissionApproved) -> InEffect:
    """Return an approved submission, ready to settle rounds under it."""
    ref = SubmissionRef(version=approved.version, hash=approved.hash)
    return InEffect(approved, ref, compile_rules(approved.regulation, approved.submission))


def key_of(event: Event[Any]) -> RoundKey:
    """Return the round that an event is about."""
    return (event.data.property, event.data.table, event.data.round_id)


_FIND = select(rounds, by=ROUND)


async def _known(connection: AsyncConnection, keys: set[RoundKey]) -> dict[RoundKey, Known]:
    """Return what the database has of these rounds, with the money that stands; nothing of a new round."""
    if not keys:
        return {}
    found: dict[RoundKey, Known] = {}
    for row in await _FIND.read(connection, keyed(_FIND, keys)):
        standing = None
        if row.seq is not None:
            entry = await read_entry(connection, journal, row.shard, row.seq)
            posted = decode_fact(entry.draft.kind, entry.draft.data)
            standing = Standing(entry.draft.sequence, cast("SettlementPosted", posted), entry.draft.postings)
        key = (row.property, row.table_name, row.round_id)
        found[key] = Known(tuple(row.sequences), row.completed, row.revision, standing)
    return found
