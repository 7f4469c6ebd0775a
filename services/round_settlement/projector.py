"""The read model of round settlement: rounds, corrections at the desk, and voided results."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from sqlalchemy import func
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.settling import completes
from services.round_settlement.tables import ROUND, correction_outcomes, corrections, result_voids, rounds
from shared.contracts.corrections import (
    CorrectionApproved,
    CorrectionOfRound,
    CorrectionProposed,
    CorrectionRejected,
)
from shared.contracts.envelope import table_source
from shared.contracts.settlements import (
    ResultUncounted,
    SettledRound,
    SettlementPosted,
    SettlementReversed,
    SettlementSuperseded,
)
from shared.journal.bulk import Row, excluded, insert, update
from shared.journal.entry import Entry
from shared.journal.recording import Recorded
from shared.runtime.commands.approval import Decision
from shared.runtime.projector import Projector, Transaction


@dataclass(slots=True)
class _Changes:
    """A batch's changes to a round: the completing event, the other events, and the entry in force.

    `moved` is true if the batch may have changed or removed the entry in force.
    """

    game: str
    gaming_day: date
    completed: int | None = None
    others: list[int] = field(default_factory=list)
    revision: int = 0
    shard: int | None = None
    seq: int | None = None
    moved: bool = False

    def add(self, entry: Entry, fact: SettledRound) -> None:
        sequence = entry.draft.sequence
        of_table = entry.draft.source == table_source(fact.property, fact.table)  # and not of its desk stream
        if completes(fact):
            self.completed = sequence
        elif of_table and sequence not in self.others[-1:]:  # a correction has two facts of the same sequence
            self.others.append(sequence)
        match fact:
            case SettlementPosted():
                self.shard, self.seq, self.revision = entry.shard, entry.seq, fact.revision
            case SettlementReversed():
                self.shard, self.seq, self.revision = None, None, fact.revision
        if not isinstance(fact, SettlementSuperseded):
            self.moved, self.game, self.gaming_day = True, fact.game, fact.gaming_day


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the tables of rounds, corrections, their outcomes and voided results."""
    found: dict[tuple[str, str, str], _Changes] = {}
    for entry, fact in recorded:
        if isinstance(fact, CorrectionOfRound):
            await _correct(transaction.connection, entry, fact)
        elif isinstance(fact, SettledRound):
            key = (fact.property, fact.table, fact.round_id)
            changes = found.get(key)
            if changes is None:
                changes = found[key] = _Changes(fact.game, fact.gaming_day)
            changes.add(entry, fact)
    await _MOVE.write(transaction.connection, [_row(key, one) for key, one in found.items() if one.moved])
    await _KEEP.write(transaction.connection, [_row(key, one) for key, one in found.items() if not one.moved])
    await _ADD_OUTCOMES.write(transaction.connection, [row for row in map(_outcome, recorded) if row is not None])
    voids = [_void(entry, fact) for entry, fact in recorded if isinstance(fact, ResultUncounted)]
    await _ADD_VOIDS.write(transaction.connection, voids)


async def _correct(connection: AsyncConnection, entry: Entry, fact: CorrectionOfRound) -> None:
    """Insert a correction or its decision, one row at a time, because corrections are rare."""
    key = {"property": fact.property, "correction": fact.correction}
    place = {"shard": entry.shard, "seq": entry.seq}
    match fact:
        case CorrectionApproved():
            decided = {"decided_by": fact.approved_by, "decided_at": fact.approved_at, "sequence": fact.sequence}
            await _APPROVE.write(connection, [key | place | decided | {"status": Decision.APPROVED}])
        case CorrectionRejected():
            decided = {"decided_by": fact.rejected_by, "decided_at": fact.rejected_at, "decision_reason": fact.reason}
            await _REJECT.write(connection, [key | decided | {"status": Decision.REJECTED}])
        case CorrectionProposed():
            said = {name: getattr(fact, name) for name in _PROPOSED if name != "table_name"}
            await _PROPOSE.write(
                connection, [key | place | said | {"table_name": fact.table, "status": Decision.ASKED}]
            )


def _outcome(recorded: Recorded) -> Row | None:
    """Return the outcome row if an entry put an approved correction into effect or superseded it; else None."""
    entry, fact = recorded
    if not isinstance(fact, SettlementPosted | SettlementSuperseded) or fact.desk_correction is None:
        return None
    return {
        "property": fact.property,
        "correction": fact.desk_correction,
        "posted": isinstance(fact, SettlementPosted),
        "shard": entry.shard,
        "seq": entry.seq,
    }


def _void(entry: Entry, fact: ResultUncounted) -> Row:
    place = {"property": fact.property, "table_name": fact.table, "result": fact.voids}
    return place | {"sequence": entry.draft.sequence}


def _row(key: tuple[str, str, str], changes: _Changes) -> dict[str, Any]:
    names = ("gaming_day", "game", "completed", "others", "revision", "shard", "seq")
    return dict(zip(ROUND, key, strict=True)) | {name: getattr(changes, name) for name in names}


_NEW: Final = excluded(rounds)
_LAST: Final = rounds.c.others[func.cardinality(rounds.c.others)]
_KNOWN: Final = {
    # A rebuild may read the two facts of one correction in two batches: then the sequence is already there.
    "others": rounds.c.others + func.array_remove(_NEW.others, _LAST),
    "completed": func.coalesce(_NEW.completed, rounds.c.completed),
}
_KEEP: Final = insert(rounds, on_conflict=_KNOWN)
_MOVE: Final = insert(
    rounds,
    on_conflict=_KNOWN
    | {"revision": func.greatest(_NEW.revision, rounds.c.revision)}
    | {name: _NEW[name] for name in ("gaming_day", "game", "shard", "seq")},
)

_PROPOSED: Final = ("table_name", "round_id", "gaming_day", "replaces", "reason", "proposed_by", "proposed_at")
_PROPOSE: Final = insert(corrections, ("property", "correction", *_PROPOSED, "status", "shard", "seq"))
_APPROVE: Final = update(corrections, ("status", "decided_by", "decided_at", "sequence", "shard", "seq"))
_REJECT: Final = update(corrections, ("status", "decided_by", "decided_at", "decision_reason"))
_ADD_OUTCOMES: Final = insert(correction_outcomes)
_ADD_VOIDS: Final = insert(result_voids)

PROJECTOR: Final = Projector(tables=(rounds, corrections, correction_outcomes, result_voids), project=project)
