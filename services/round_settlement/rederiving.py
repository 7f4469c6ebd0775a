"""Rebuild the state in which a table event was settled: earlier rounds and results, and documents in effect then."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from services.round_settlement.domain.results import ResultKey, Results
from services.round_settlement.domain.settling import PostedSettlement, RoundHistory, completes
from services.round_settlement.handlers import (
    KnownProperties,
    RoundKey,
    Rounds,
    Submissions,
    TableEvents,
    compiled,
    corrections_in,
    rounds_in,
)
from services.round_settlement.queries.corrections import approved_corrections
from services.round_settlement.queries.results import read_result, results_in
from services.round_settlement.tables import properties, submissions
from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import Event, table_source
from shared.contracts.settlements import (
    ResultCounted,
    ResultUncounted,
    SettledRound,
    SettlementPosted,
    SettlementReversed,
)
from shared.journal.reading import read_entry
from shared.journal.recording import Recorded
from shared.journal.verification import VerificationProblem
from shared.runtime.ingest.property_copies import Places
from shared.runtime.ingest.submission_copies import ApprovedSubmissions
from shared.runtime.rederivation.document_history import DocumentHistory
from shared.runtime.rederivation.replay_spec import ReplaySpec, Sources
from shared.runtime.rederivation.replay_state import ReplayState

_ROUND, _RESULT, _VOID = "round", "result", "void"


class TableEventsAgain(ReplaySpec[Rounds]):
    """Re-derivation of the settlements of table events, for comparison with the journal."""

    def __init__(self) -> None:
        super().__init__(TableEvents())
        self._places = Places(properties)
        self._submissions = ApprovedSubmissions(submissions, compiled)
        self._documents = (
            DocumentHistory(KnownProperties(), self._places),
            DocumentHistory(Submissions(), self._submissions),
        )

    async def prepare(self, sources: Sources) -> Sequence[VerificationProblem]:
        """Read the published versions of properties and submissions, and return the problems with them."""
        return [problem for each in self._documents for problem in await each.read(sources)]

    async def load(self, sources: Sources, events: Sequence[Event[Any]], at: datetime) -> Rounds:
        for each in self._documents:
            each.as_of(at)
        keys = rounds_in(events)
        known = {key: found for key in keys if (found := await _known(sources, key)) is not None}
        corrections = await approved_corrections(sources.connection, corrections_in(events), sealed=False)
        results = await _results(sources, events)
        return Rounds(known, results, corrections, self._places, self._submissions)

    def learn(self, memory: ReplayState, recorded: Sequence[Recorded]) -> None:
        """Store each round's events, revision and entry in force, and the counted and voided results, in `memory`."""
        changed: dict[str, dict[str, Any]] = {}
        counted: dict[str, tuple[int, int]] = {}
        voids: dict[str, int] = {}
        for entry, fact in recorded:
            match fact:
                case ResultCounted():
                    counted[_name((fact.property, fact.table, entry.draft.sequence))] = (entry.shard, entry.seq)
                case ResultUncounted():
                    voids[_name((fact.property, fact.table, fact.voids))] = entry.draft.sequence
            if not isinstance(fact, SettledRound):
                continue
            name = _name((fact.property, fact.table, fact.round_id))
            said = changed.get(name) or memory.get(_ROUND, name)
            if said is None:
                said = {"completed": None, "others": [], "revision": 0, "stands": None}
            changed[name] = said
            sequence = entry.draft.sequence
            of_table = entry.draft.source == table_source(fact.property, fact.table)  # and not of its desk stream
            if completes(fact):
                said["completed"] = sequence
            elif of_table and sequence not in said["others"]:  # a correction has two facts of the same sequence
                said["others"].append(sequence)
            match fact:
                case SettlementPosted():
                    said["revision"], said["stands"] = fact.revision, [entry.shard, entry.seq]
                case SettlementReversed():
                    said["stands"] = None
        memory.put(_ROUND, changed)
        memory.put(_RESULT, counted)
        memory.put(_VOID, voids)


async def _known(sources: Sources, key: RoundKey) -> RoundHistory | None:
    said = sources.memory.get(_ROUND, _name(key))
    if said is None:
        return None
    standing = None
    if said["stands"] is not None:
        entry = await read_entry(sources.connection, sources.tables, *said["stands"])
        posted = decode_fact(entry.draft.kind, entry.draft.data)
        standing = PostedSettlement(entry.draft.sequence, cast("SettlementPosted", posted), entry.draft.postings)
    return RoundHistory.of(said["completed"], said["others"], said["revision"], standing)


async def _results(sources: Sources, events: Sequence[Event[Any]]) -> Results:
    results = Results()
    for key in results_in(events):
        name = _name(key)
        place, void = sources.memory.get(_RESULT, name), sources.memory.get(_VOID, name)
        if place is not None:
            results.counted[key] = await read_result(sources.connection, sources.tables, *place)
        if void is not None:
            results.voids[key] = void
    return results


def _name(key: RoundKey | ResultKey) -> str:
    return "/".join(map(str, key))
