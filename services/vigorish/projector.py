"""The read model of vigorish: the amounts owed by seats, and the assessed lines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import case, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish.domain.assessing import owed as owed_of
from services.vigorish.tables import SUMS, lines, owed, pit_events
from shared.contracts.envelope import as_json, pit_source
from shared.contracts.pit import VigorishOfRound
from shared.contracts.settlements import RoundKey, SettledRound
from shared.contracts.vigorish import (
    VigorishAssessed,
    VigorishCollection,
    VigorishNoted,
    VigorishReturn,
    VigorishSettled,
    VigorishTakenBack,
    VigorishVoided,
    VigorishWaiver,
)
from shared.journal import bulk
from shared.journal.bulk import Row, added, excluded, insert
from shared.journal.entry import Entry
from shared.journal.recording import Recorded
from shared.runtime.ingest.pit_events import PitEventRows, PitPlace
from shared.runtime.projector import Projector, Transaction

_REVISION: Final = ("property", "table_name", "round_id", "revision")
_KNOWN: Final = ("game", "owed_by", "closed_at", "dealer_id", "settled_dealer_id")


class _Owed(dict[tuple[str, str, str, int, bool], dict[str, Any]]):
    """Rows of table `owed` by key, with the amounts of a batch summed."""

    def add(self, fact: SettledRound | VigorishOfRound, seat: int, *, bank: bool, **values: Any) -> None:
        key = (fact.property, fact.table, fact.round_id, seat, bank)
        row = self.get(key)
        if row is None:
            names = ("property", "table_name", "round_id", "seat", "bank")
            row = self[key] = dict(zip(names, key, strict=True)) | {"gaming_day": fact.gaming_day, "settled_at": None}
            row |= dict.fromkeys(SUMS, 0) | dict.fromkeys(_KNOWN)
        if values.get("game") is not None:
            row["gaming_day"] = fact.gaming_day
        for name, value in values.items():
            if name in SUMS:
                row[name] += value
            elif value is not None:
                row[name] = max(value, row[name] or value) if name == "settled_at" else value

    def settle(self, fact: VigorishSettled, cents: int, column: str, *, stands: bool) -> None:
        """Add `cents` to a column. Set the time and dealer too, if the action is in force and is not a return."""
        said: dict[str, Any] = {column: cents}
        if stands and column != "returned_cents":
            said |= {"settled_dealer_id": fact.dealer_id, "settled_at": fact.at}
        self.add(fact, fact.seat, bank=fact.bank, **said)


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the tables; the order between shards does not matter."""
    rows, lines_ = _Owed(), list[Row]()
    connection = transaction.connection
    stands = await _what_stands(connection, recorded)
    for entry, fact in recorded:
        match fact:
            case VigorishAssessed():
                for (seat, bank), (cents, owed_by) in owed_of(fact.lines).items():
                    rows.add(
                        fact,
                        seat,
                        bank=bank,
                        assessed_cents=cents,
                        game=fact.game,
                        owed_by=owed_by,
                        closed_at=fact.closed_at,
                        dealer_id=fact.dealer_id,
                    )
                lines_ += _lines(fact)
            case VigorishTakenBack():
                for (seat, bank), (cents, _) in owed_of(fact.lines).items():
                    rows.add(fact, seat, bank=bank, assessed_cents=-cents)
            case VigorishVoided():
                rows.settle(fact, -fact.cents, _COLUMNS[fact.settled], stands=False)
            case VigorishCollection() | VigorishWaiver() | VigorishReturn():
                standing = stands[_place(entry, fact)] == (entry.shard, entry.seq)
                rows.settle(fact, fact.cents, _SETTLED[type(fact)], stands=standing)
    # Sorted by key, so that two consumers cannot deadlock.
    await _ADD_OWED.write(connection, [rows[key] for key in sorted(rows)])
    await _ADD_LINES.write(connection, lines_)
    if voided := {_seat(fact) for _, fact in recorded if isinstance(fact, VigorishVoided)}:
        await _SETTLE_AGAIN.read(connection, bulk.keyed(_SETTLE_AGAIN, sorted(voided)))


_COLUMNS: Final = {
    "vigorish.collected": "collected_cents",
    "vigorish.waived": "waived_cents",
    "vigorish.returned": "returned_cents",
}
_SETTLED: Final[Mapping[type[VigorishSettled], str]] = {
    VigorishCollection: "collected_cents",
    VigorishWaiver: "waived_cents",
    VigorishReturn: "returned_cents",
}
"""The column of `owed` in which a fact's cents are summed, by type of fact."""


def _place(entry: Entry, fact: VigorishSettled | VigorishNoted) -> PitPlace:
    return PitPlace(pit_source(fact.property, fact.table), fact.sequence or entry.draft.sequence)


def _seat(fact: VigorishSettled) -> tuple[str, str, str, int, bool]:
    return (fact.property, fact.table, fact.round_id, fact.seat, fact.bank)


async def _what_stands(
    connection: AsyncConnection, recorded: Sequence[Recorded]
) -> Mapping[PitPlace, tuple[int, int] | None]:
    """Write the entry in force of each pit event, and return its (shard, seq); None for a voided event."""
    events = PitEventRows(pit_events)
    for entry, fact in recorded:
        match fact:
            case VigorishVoided():
                events.taken_back(entry, fact, _place(entry, fact).sequence, fact.revision or 1)
            case VigorishNoted():
                events.taken_back(entry, fact, fact.sequence, 0)
            case VigorishSettled():
                said: dict[str, Any] = dict(zip(_OF_SEAT, _seat(fact), strict=True))
                if not isinstance(fact, VigorishReturn):
                    said |= {"dealer_id": fact.dealer_id, "at": fact.at}
                events.recorded(entry, fact, _place(entry, fact).sequence, fact.revision or 1, **said)
    return await events.write(connection)


def _lines(fact: VigorishAssessed) -> Iterable[Row]:
    of_round = dict(zip(_REVISION, RoundKey.of(fact), strict=True))
    return (of_round | {"line": number, "document": as_json(line)} for number, line in enumerate(fact.lines))


_NEW: Final = excluded(owed)
# The gaming day is that of the settled round, whether its assessment or a collection is projected first.
_ADD_OWED: Final = insert(
    owed,
    on_conflict=added(owed, *SUMS)
    | {"gaming_day": case((_NEW.game.is_not(None), _NEW.gaming_day), else_=owed.c.gaming_day)}
    | {name: func.coalesce(_NEW[name], owed.c[name]) for name in _KNOWN}
    | {"settled_at": func.greatest(_NEW.settled_at, owed.c.settled_at)},
)
_ADD_LINES: Final = insert(lines)

_OF_SEAT: Final = ("property", "table_name", "round_id", "seat", "bank")
_here, _of_seat = pit_events.c, bulk.given(owed, _OF_SEAT)
_last = (
    select(_here.at, _here.dealer_id)
    .where(*(_here[name] == owed.c[name] for name in _OF_SEAT), _here.at.is_not(None))
    .order_by(_here.at.desc(), _here.sequence.desc())
    .limit(1)
    .correlate(owed)
)
_SETTLE_AGAIN: Final = bulk.compiled(
    update(owed)
    .values(
        settled_at=_last.with_only_columns(_here.at).scalar_subquery(),
        settled_dealer_id=_last.with_only_columns(_here.dealer_id).scalar_subquery(),
    )
    .where(bulk.same(owed, _of_seat, _OF_SEAT)),
    _OF_SEAT,
)
"""After a void: set a seat's time and dealer from its last collection or waiver that is in force, if any."""

PROJECTOR: Final = Projector(tables=(owed, lines, pit_events), project=project)
