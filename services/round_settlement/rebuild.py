"""Makes where each round stands anew, from the journal alone."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain import POSTED, REVERSED, SUPERSEDED, VOIDED
from services.round_settlement.processing import FIND_ROUNDS, RoundKey, round_row, write_rounds
from services.round_settlement.tables import journal, rounds
from shared.journal.bulk import keyed
from shared.journal.entry import Entry
from shared.runtime.service.rebuild import Projections, replay
from shared.runtime.settings import Settings


@dataclass(slots=True)
class _Round:
    """A round as its entries say it: the sequences of its events, which completed it, and the money that stands."""

    sequences: list[int] = field(default_factory=list)
    completed: int | None = None
    revision: int = 0
    standing: tuple[int | None, int | None] = (None, None)

    def take(self, entry: Entry, data: dict[str, Any]) -> None:
        """Goes on with an entry. A correction leads to two: it takes back, and posts."""
        kind, sequence = entry.draft.kind, entry.draft.sequence
        if sequence not in self.sequences[-1:]:
            self.sequences.append(sequence)
        if kind == REVERSED:
            self.standing = (None, None)
        elif kind == POSTED:
            self.standing, self.revision = (entry.shard, entry.seq), data["revision"]
        if kind in (POSTED, SUPERSEDED) and "correction" not in data:
            self.completed = sequence


async def _fill(connection: AsyncConnection, settings: Settings) -> None:
    del settings
    await replay(connection, journal, _project)


async def _project(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    about: list[tuple[RoundKey, Entry, dict[str, Any]]] = []
    for entry in entries:
        if entry.draft.kind in (POSTED, REVERSED, SUPERSEDED, VOIDED):
            data = json.loads(entry.draft.data)
            about.append(((data["property"], data["table"], data["round_id"]), entry, data))
    keys = {key for key, _, _ in about}
    before = {
        (row.property, row.table_name, row.round_id): _Round(
            row.sequences, row.completed, row.revision, (row.shard, row.seq)
        )
        for row in await FIND_ROUNDS.read(connection, keyed(FIND_ROUNDS, keys))
    }
    found: dict[RoundKey, _Round] = {}
    for name, entry, data in about:
        round_ = found.setdefault(name, before.get(name) or _Round())
        round_.take(entry, data)
    rows = {
        name: round_row(name, one.sequences, one.completed, one.revision, one.standing) for name, one in found.items()
    }
    await write_rounds(
        connection,
        [row for name, row in rows.items() if name not in before],
        [row for name, row in rows.items() if name in before],
    )


PROJECTIONS = Projections(journal=journal, tables=(rounds,), fill=_fill)
