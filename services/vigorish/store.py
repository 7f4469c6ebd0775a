"""The tables of vigorish as a projection of the journal: how entries change them, in whatever order of the shards."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import case, func
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
from shared.journal.bulk import Row, added, excluded, insert, update
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
REVISION = ("property", "table_name", "round_id", "revision")
"""The columns that name a revision of a round."""

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
    rows, assessed, taken_back = _Owed(), list[Row](), list[Row]()
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
                revision = (fact.property, fact.table, fact.round_id, fact.revision)
                taken_back.append(dict(zip(REVISION, revision, strict=True)) | {"standing": False})
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


def _lines(entry: Entry, fact: VigorishAssessed) -> Iterable[Row]:
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
    await _ADD_SHIFTS.write(connection, rows)


_NEW: Final = excluded(owed)
# What a round assessed says its gaming day, whichever of it and what was collected came first.
_ADD_OWED: Final = insert(
    owed,
    on_conflict=added(owed, *_SUMS)
    | {"gaming_day": case((_NEW.game.is_not(None), _NEW.gaming_day), else_=owed.c.gaming_day)}
    | {name: func.coalesce(_NEW[name], owed.c[name]) for name in _KNOWN}
    | {"settled_at": func.greatest(_NEW.settled_at, owed.c.settled_at)},
)
_ADD_LINES: Final = insert(lines)
_ADD_SHIFTS: Final = insert(shifts, on_conflict="skip")
_TAKE_BACK_LINES: Final = update(lines, ("standing",), by=REVISION)


async def _write(connection: AsyncConnection, rows: _Owed, assessed: Sequence[Row], taken_back: Sequence[Row]) -> None:
    """Write rows in the order of their keys, so that two consumers cannot wait for each other."""
    await _ADD_OWED.write(connection, [rows[key] for key in sorted(rows)])
    await _ADD_LINES.write(connection, assessed)
    await _TAKE_BACK_LINES.write(connection, taken_back)
