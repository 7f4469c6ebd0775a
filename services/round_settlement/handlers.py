"""Handlers of round settlement: settle table events, and store approved properties and submissions.

Table events include the service's own events that put approved desk corrections into effect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.results import Results, count_result, result_key, void_result
from services.round_settlement.domain.settling import (
    EffectiveSubmission,
    PostedSettlement,
    RoundHistory,
    settle_correction,
    settle_event,
)
from services.round_settlement.queries.corrections import approved_corrections
from services.round_settlement.queries.results import known_results
from services.round_settlement.tables import ROUND, journal, properties, rounds, submissions
from shared.contracts.catalog import decode_fact
from shared.contracts.corrections import CorrectionApproved, DecidedCorrection, event_of
from shared.contracts.envelope import Event, table_source
from shared.contracts.property_snapshot import PropertyLookup
from shared.contracts.rounds import TableData
from shared.contracts.settlements import SettlementPosted, SubmissionRef
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.tables import (
    READER,
    CorrectedRound,
    RecordedResult,
    TableEvent,
    VoidedResult,
    VoidedRound,
)
from shared.journal.bulk import keyed, select
from shared.journal.ledger import Fenced
from shared.journal.reading import read_entry
from shared.journal.recording import FactWithPostings
from shared.rules import compile_rules
from shared.rules.errors import Refused
from shared.runtime.ingest.handler import FactHandler
from shared.runtime.ingest.property_copies import Places, Properties
from shared.runtime.ingest.submission_copies import ApprovedSubmissions, RulesSubmissions

RoundKey = tuple[str, str, str]
"""(property, table, round id)"""

_NEW = RoundHistory()
"""The history of a round without events."""


class KnownProperties(Properties):
    """A handler that stores approved properties, which define the tables and gaming days of rounds."""

    copies = (properties,)


class Submissions(RulesSubmissions):
    """A handler that stores the approved rules submissions under which rounds settle."""

    copies = (submissions,)


@dataclass(slots=True)
class Rounds:
    """The working state of a batch of table events: histories and results so far, properties and submissions.

    `corrections` has the approved corrections that the events refer to, by (property, number), from the journal.
    """

    known: dict[RoundKey, RoundHistory]
    results: Results
    corrections: Mapping[tuple[str, int], CorrectionApproved]
    places: Places
    submissions: ApprovedSubmissions[EffectiveSubmission]


class TableEvents(FactHandler[Rounds]):
    """A handler that settles table events: rounds completed, corrected or voided, and results of counted tables."""

    reader = READER
    keyed_by_source = True
    gather_seconds = 0.025

    def __init__(self) -> None:
        self._places = Places(properties)
        self._submissions = ApprovedSubmissions(submissions, compiled)
        self._standing: Mapping[RoundKey, int] = {}
        """The revision in force of each round of the batch; void and new rounds are missing."""

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> Rounds:
        await self._places.refresh(connection)
        await self._submissions.refresh(connection)
        known = await known_rounds(connection, rounds_in(events))
        self._standing = {key: one.standing.posted.revision for key, one in known.items() if one.standing is not None}
        corrections = await approved_corrections(connection, corrections_in(events))
        results = await known_results(connection, events)
        return Rounds(known, results, corrections, self._places, self._submissions)

    async def require_as_loaded(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> None:
        """Verify that no round of these events was revised since it was loaded.

        Another partition may have revised it: that of the desk's approvals, or that of a table which was moved.
        """
        changed = {
            key_of(one) for one in events if isinstance(one.data, CorrectedRound | VoidedRound | DecidedCorrection)
        }
        await require_standing(connection, {key: self._standing.get(key) for key in changed})

    @classmethod
    def goes_with(cls, event: Event[Any]) -> str | None:
        """Return the table's stream for a desk event, settled in that stream's order; None for other events."""
        return table_source(event.data.property, event.data.table) if _is_of_desk(event) else None

    def properties_in(self, state: Rounds) -> PropertyLookup:
        return state.places.place

    def stands_since(self, event: Event[Any], state: Rounds) -> datetime | None:
        """Return the opening time of the posted round or recorded result that an event changes, or None."""
        if isinstance(event.data, VoidedResult):
            counted = state.results.counted.get(result_key(event))
            return None if counted is None else counted.opened_at
        standing = state.known.get(key_of(event), _NEW).standing if isinstance(event.data, TableData) else None
        return None if standing is None else standing.posted.opened_at

    def handle(self, event: Event[Any], state: Rounds) -> Sequence[FactWithPostings]:
        if isinstance(event.data, RecordedResult):
            return (count_result(event, state.results, state.places.place),)
        if isinstance(event.data, VoidedResult):
            return (void_result(event, state.results, state.places.place),)
        key = key_of(event)
        known, find = state.known.get(key, _NEW), state.submissions.in_effect
        if _is_of_desk(event):
            outcome = settle_correction(_approved(event, state), known, state.places.place, find)
        else:
            outcome = settle_event(cast("TableEvent", event), known, state.places.place, find)
        state.known[key] = outcome.known
        return outcome.recordings


def compiled(approved: SubmissionApproved) -> EffectiveSubmission:
    """Return an approved submission with its compiled rules."""
    ref = SubmissionRef(version=approved.version, hash=approved.hash)
    return EffectiveSubmission(approved, ref, compile_rules(approved.regulation, approved.submission))


def corrections_in(events: Sequence[Event[Any]]) -> set[tuple[str, int]]:
    """Return the (property, number) of each desk correction that the events refer to."""
    return {(event.data.property, event.data.correction) for event in events if _is_of_desk(event)}


def _is_of_desk(event: Event[Any]) -> bool:
    return isinstance(event.data, DecidedCorrection)


def _approved(event: Event[Any], state: Rounds) -> CorrectionApproved:
    """Return the approved correction that an event refers to. Raises: Refused unless the approved content matches."""
    approved = state.corrections.get((event.data.property, event.data.correction))
    if approved is None or event != event_of(approved):
        raise Refused(
            f"correction {event.data.correction} of {event.data.property} was not approved as this record says: find "
            "out who sent it, then dismiss it"
        )
    return approved


def key_of(event: Event[Any]) -> RoundKey:
    """Return the key of the round that an event is about."""
    return (event.data.property, event.data.table, event.data.round_id)


def rounds_in(events: Sequence[Event[Any]]) -> set[RoundKey]:
    """Return the keys of the rounds that events are about, ignoring events about results of counted tables."""
    return {key_of(event) for event in events if not isinstance(event.data, RecordedResult | VoidedResult)}


async def require_standing(connection: AsyncConnection, expected: Mapping[RoundKey, int | None]) -> None:
    """Lock rounds until the transaction ends. Raises: Fenced if the revision in force of a round has changed."""
    if not expected:
        return
    names = [rounds.c[name] for name in ("property", "table_name", "round_id")]
    query = rounds.select().where(tuple_(*names).in_(sorted(expected))).order_by(*names).with_for_update()
    found = {
        (row.property, row.table_name, row.round_id): None if row.seq is None else row.revision
        for row in await connection.execute(query)
    }
    if expected != dict.fromkeys(expected) | found:
        raise Fenced("the same rounds were changed meanwhile")


_FIND = select(rounds, by=ROUND)


async def known_rounds(connection: AsyncConnection, keys: set[RoundKey]) -> dict[RoundKey, RoundHistory]:
    """Return the histories of these rounds, with the settlement in force; rounds without events are missing."""
    if not keys:
        return {}
    found: dict[RoundKey, RoundHistory] = {}
    for row in await _FIND.read(connection, keyed(_FIND, keys)):
        standing = None
        if row.seq is not None:
            entry = await read_entry(connection, journal, row.shard, row.seq)
            posted = decode_fact(entry.draft.kind, entry.draft.data)
            standing = PostedSettlement(entry.draft.sequence, cast("SettlementPosted", posted), entry.draft.postings)
        key = (row.property, row.table_name, row.round_id)
        found[key] = RoundHistory.of(row.completed, row.others, row.revision, standing)
    return found
