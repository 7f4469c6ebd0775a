"""The tables of vigorish as a projection of the journal: how entries change them, in whatever order of the shards."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, case, func, insert, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish.domain import is_bank
from services.vigorish.domain import owed as owed_of
from services.vigorish.events import Pit
from services.vigorish.tables import lines, owed, shifts
from shared.contracts.envelope import as_json
from shared.contracts.pit_facts import VigorishOfRound
from shared.contracts.settlement_events import SettledRound
from shared.contracts.vigorish_events import (
    VigorishAssessed,
    VigorishCollection,
    VigorishReturn,
    VigorishTakenBack,
    VigorishWaiver,
)
from shared.journal.entry import Entry

Fact = VigorishAssessed | VigorishTakenBack | VigorishCollection | VigorishWaiver | VigorishReturn

FACTS: Final[dict[str, type[Fact]]] = {
    "vigorish.assessed": VigorishAssessed,
    "vigorish.taken_back": VigorishTakenBack,
    "vigorish.collection": VigorishCollection,
    "vigorish.waiver": VigorishWaiver,
    "vigorish.return": VigorishReturn,
}
"""What the journal records of vigorish, by the kind of the entry."""

_SUMS = ("assessed", "collected", "waived", "returned")
_KNOWN = ("game", "owed_by", "closed_at", "dealer_id", "shift", "settled_dealer_id")


class _Owed(dict[tuple[str, str, str, int, bool], dict[str, Any]]):
    """Rows of what is owed, added up."""

    def add(self, fact: SettledRound | VigorishOfRound, seat: int, *, bank: bool, **values: Any) -> None:
        key = (fact.property, fact.table, fact.round_id, seat, bank)
        row = self.get(key)
        if row is None:
            names = ("property", "table_name", "round_id", "seat", "bank")
            row = self[key] = dict(zip(names, key, strict=True)) | {"gaming_day": fact.gaming_day, "settled_at": None}
            row |= dict.fromkeys(_SUMS, 0) | dict.fromkeys(_KNOWN)
        if values.get("game") is not None:
            row["gaming_day"] = fact.gaming_day
        for name, value in values.items():
            if name in _SUMS:
                row[name] += value
            elif value is not None:
                row[name] = max(value, row[name] or value) if name == "settled_at" else value


async def project(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    """Brings the tables up to date with entries of the journal. From all of them they can be made anew."""
    rows, assessed, taken_back = _Owed(), list[dict[str, Any]](), list[dict[str, Any]]()
    for entry in entries:
        contract = FACTS.get(entry.draft.kind)
        if contract is None:
            continue  # of the loop itself: gaps and refused records
        match contract.model_validate_json(entry.draft.data):
            case VigorishAssessed() as fact:
                for (seat, bank), (cents, owed_by) in owed_of(fact.lines).items():
                    rows.add(
                        fact,
                        seat,
                        bank=bank,
                        assessed=cents,
                        game=fact.game,
                        owed_by=owed_by,
                        closed_at=fact.closed_at,
                        dealer_id=fact.dealer_id,
                    )
                assessed += _lines(entry, fact)
            case VigorishTakenBack() as fact:
                for (seat, bank), (cents, _) in owed_of(fact.lines).items():
                    rows.add(fact, seat, bank=bank, assessed=-cents)
                taken_back.append({"p": fact.property, "t": fact.table, "r": fact.round_id, "v": fact.revision})
            case VigorishCollection() | VigorishWaiver() as fact:
                name = "collected" if isinstance(fact, VigorishCollection) else "waived"
                more: dict[str, Any] = {name: fact.cents}
                rows.add(
                    fact,
                    fact.seat,
                    bank=fact.bank,
                    shift=fact.shift,
                    settled_dealer_id=fact.dealer_id,
                    settled_at=fact.at,
                    **more,
                )
            case VigorishReturn() as fact:
                rows.add(fact, fact.seat, bank=fact.bank, returned=fact.cents)
    await _write(connection, rows, assessed, taken_back)


def _lines(entry: Entry, fact: VigorishAssessed) -> Iterable[dict[str, Any]]:
    for number, line in enumerate(fact.lines):
        yield {
            "property": fact.property,
            "table_name": fact.table,
            "round_id": fact.round_id,
            "revision": fact.revision,
            "line": number,
            "standing": True,
            "gaming_day": fact.gaming_day,
            "game": fact.game,
            "closed_at": fact.closed_at,
            "dealer_id": fact.dealer_id,
            "seat": line.seat,
            "bank": is_bank(line),
            "owed_by": line.owed_by,
            "stake": line.stake_cents,
            "base": line.base_cents,
            "rate": line.rate,
            "cents": line.cents,
            "agrees": line.agrees,
            "document": as_json(line),
            "shard": entry.shard,
            "seq": entry.seq,
        }


async def add_shifts(connection: AsyncConnection, events: Iterable[Pit]) -> None:
    """Keeps which shifts pit events begin, those of a table in their order: of two at one moment, the first stays."""
    begun = [(event, event.data if event.type == "table.opened" else event.data.begins) for event in events]
    rows = [
        {
            "property": event.data.property,
            "table_name": event.data.table,
            "at": event.time,
            "shift": begins.shift,
        }
        for event, begins in begun
        if begins is not None
    ]
    if rows:
        await connection.execute(upsert(shifts).on_conflict_do_nothing(), rows)


# What a round assessed says its gaming day, whichever of it and what was collected came first.
_OWED: Final = upsert(owed)
_OWE: Final = _OWED.on_conflict_do_update(
    index_elements=list(owed.primary_key),
    set_={name: owed.c[name] + _OWED.excluded[name] for name in _SUMS}
    | {"gaming_day": case((_OWED.excluded.game.is_not(None), _OWED.excluded.gaming_day), else_=owed.c.gaming_day)}
    | {name: func.coalesce(_OWED.excluded[name], owed.c[name]) for name in _KNOWN}
    | {"settled_at": func.greatest(_OWED.excluded.settled_at, owed.c.settled_at)},
)
_NO_LINE: Final = (
    update(lines)
    .where(
        lines.c.property == bindparam("p"),
        lines.c.table_name == bindparam("t"),
        lines.c.round_id == bindparam("r"),
        lines.c.revision == bindparam("v"),
    )
    .values(standing=False)
)


async def _write(
    connection: AsyncConnection,
    rows: _Owed,
    assessed: Sequence[dict[str, Any]],
    taken_back: Sequence[dict[str, Any]],
) -> None:
    """Rows are written in the order of their keys, so that two consumers cannot wait for each other."""
    if rows:
        await connection.execute(_OWE, [rows[key] for key in sorted(rows)])
    if assessed:
        await connection.execute(insert(lines), list(assessed))
    if taken_back:
        await connection.execute(_NO_LINE, list(taken_back))
