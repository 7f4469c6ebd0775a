"""The read model of round settlement: where each round stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from sqlalchemy import func

from services.round_settlement.tables import ROUND, rounds
from shared.contracts.settlements import SettledRound, SettlementPosted, SettlementReversed, SettlementSuperseded
from shared.journal.bulk import excluded, insert
from shared.journal.entry import Entry
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction


@dataclass(slots=True)
class _Changes:
    """What some facts say of a round: the sequences of its events, which completed it, and where its money stands.

    `moved`: the money may stand elsewhere than before, or not at all any more.
    """

    game: str
    gaming_day: date
    sequences: list[int] = field(default_factory=list)
    completed: int | None = None
    revision: int = 0
    shard: int | None = None
    seq: int | None = None
    moved: bool = False

    def add(self, entry: Entry, fact: SettledRound) -> None:
        sequence = entry.draft.sequence
        if sequence not in self.sequences[-1:]:  # a correction leads to two facts
            self.sequences.append(sequence)
        match fact:
            case SettlementPosted():
                self.shard, self.seq, self.revision = entry.shard, entry.seq, fact.revision
                if fact.correction is None:
                    self.completed = sequence
            case SettlementReversed():
                self.shard, self.seq, self.revision = None, None, fact.revision
            case SettlementSuperseded(record=record, correction=None) if record is not None:
                self.completed = sequence
        if not isinstance(fact, SettlementSuperseded):
            self.moved, self.game, self.gaming_day = True, fact.game, fact.gaming_day


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Bring the rounds up to date with facts."""
    found: dict[tuple[str, str, str], _Changes] = {}
    for entry, fact in recorded:
        if isinstance(fact, SettledRound):
            key = (fact.property, fact.table, fact.round_id)
            changes = found.get(key)
            if changes is None:
                changes = found[key] = _Changes(fact.game, fact.gaming_day)
            changes.add(entry, fact)
    await _MOVE.write(transaction.connection, [_row(key, one) for key, one in found.items() if one.moved])
    await _KEEP.write(transaction.connection, [_row(key, one) for key, one in found.items() if not one.moved])


def _row(key: tuple[str, str, str], changes: _Changes) -> dict[str, Any]:
    names = ("gaming_day", "game", "completed", "sequences", "revision", "shard", "seq")
    return dict(zip(ROUND, key, strict=True)) | {name: getattr(changes, name) for name in names}


_NEW: Final = excluded(rounds)
_LAST: Final = rounds.c.sequences[func.cardinality(rounds.c.sequences)]
_KNOWN: Final = {
    # The two facts of one correction may come in two batches of a rebuild: its sequence is there already then.
    "sequences": rounds.c.sequences + func.array_remove(_NEW.sequences, _LAST),
    "completed": func.coalesce(_NEW.completed, rounds.c.completed),
}
_KEEP: Final = insert(rounds, on_conflict=_KNOWN)
_MOVE: Final = insert(
    rounds,
    on_conflict=_KNOWN
    | {"revision": func.greatest(_NEW.revision, rounds.c.revision)}
    | {name: _NEW[name] for name in ("gaming_day", "game", "shard", "seq")},
)

PROJECTOR: Final = Projector(tables=(rounds,), project=project)
