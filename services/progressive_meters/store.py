"""The tables of the meters as a projection of the journal: how entries change them, in whatever order of the shards."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import case, func
from sqlalchemy import insert as insert_into
from sqlalchemy import update as update_of
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain import delta_of
from services.progressive_meters.exact import parse_exact
from services.progressive_meters.tables import changes, hits, movements, pool_versions, pools, readings, reconciliations
from shared.contracts.envelope import Contract, as_json
from shared.contracts.meters import (
    ChangeApproved,
    ChangeRejected,
    ChangeRequested,
    CommandRefused,
    DayReconciled,
    Movement,
    PoolApproved,
    PoolFiled,
    PoolRejected,
    RoundCounted,
    RoundTakenBack,
)
from shared.journal.bulk import Row, added, excluded, insert, replaced, update
from shared.journal.entry import Entry

Fact = (
    PoolFiled
    | PoolApproved
    | PoolRejected
    | RoundCounted
    | RoundTakenBack
    | ChangeRequested
    | ChangeApproved
    | ChangeRejected
    | CommandRefused
    | DayReconciled
)

FACTS: Final[dict[str, type[Fact]]] = {
    "pool.filed": PoolFiled,
    "pool.approved": PoolApproved,
    "pool.rejected": PoolRejected,
    "meter.counted": RoundCounted,
    "meter.taken_back": RoundTakenBack,
    "meter.change_requested": ChangeRequested,
    "meter.change_approved": ChangeApproved,
    "meter.change_rejected": ChangeRejected,
    "meter.command_refused": CommandRefused,
    "meter.day_reconciled": DayReconciled,
}
"""What the journal records of the meters, by the kind of the entry."""


@dataclass(slots=True)
class _Rows:
    """What a batch of entries writes."""

    pools: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    movements: list[dict[str, Any]] = field(default_factory=list)
    readings: dict[tuple[str, str, str, str], dict[str, Any]] = field(default_factory=dict)
    hits: list[dict[str, Any]] = field(default_factory=list)
    taken_back: list[Row] = field(default_factory=list)

    def move(
        self,
        entry: Entry,
        movement: Movement,
        *,
        property_name: str,
        kind: str,
        gaming_day: date,
        at: datetime,
        **more: Any,
    ) -> None:
        """Adds a movement and what the pool shows after it."""
        delta = delta_of(movement)
        shows = {
            "display": parse_exact(movement.display),
            "reserve": parse_exact(movement.reserve),
            "overflow": parse_exact(movement.overflowed),
        }
        key = (property_name, movement.pool)
        sums = {
            "in_count": delta.in_count,
            "in_cents": delta.in_cents,
            "hits": delta.hits,
            "wins_cents": delta.award_cents,
        }
        row = self.pools.setdefault(
            key, {"property": key[0], "pool": key[1], "number": 0, "at": at, **dict.fromkeys(sums, 0)}
        )
        row.update({name: row[name] + value for name, value in sums.items()})
        row["at"] = max(row["at"], at)
        if movement.number > row["number"]:
            row.update(shows, number=movement.number)
        where = dict.fromkeys(("table_name", "game", "round_id", "revision", "meter")) | more
        self.movements.append(
            {name: getattr(delta, name) for name in type(delta).__slots__}
            | where
            | {
                "property": property_name,
                "pool": movement.pool,
                "number": movement.number,
                "kind": kind,
                "gaming_day": gaming_day,
                "at": at,
                "display": shows["display"],
                "document": movement.model_dump_json(exclude_none=True),
                "shard": entry.shard,
                "seq": entry.seq,
            }
        )

    def read(self, reading: dict[str, Any]) -> None:
        """Adds what a table said of a meter; of a round, what its latest revision says."""
        key = (reading["property"], reading["table_name"], reading["round_id"], reading["meter"])
        before = self.readings.get(key)
        if before is None or before["revision"] < reading["revision"]:
            self.readings[key] = reading


async def project(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    """Brings the tables up to date with entries of the journal. From all of them they can be made anew."""
    rows = _Rows()
    for entry in entries:
        contract = FACTS.get(entry.draft.kind)
        if contract is None:
            continue  # of the loop itself: gaps and refused records
        fact = contract.model_validate_json(entry.draft.data)
        match fact:
            case RoundCounted():
                _counted(rows, entry, fact)
            case RoundTakenBack():
                _taken_back(rows, entry, fact)
            case _:
                await _decided(connection, rows, entry, fact)
    await _write(connection, rows)


def _counted(rows: _Rows, entry: Entry, fact: RoundCounted) -> None:
    place = {"shard": entry.shard, "seq": entry.seq}
    for one in fact.meters:
        movement = one.movement
        rows.move(
            entry,
            movement,
            property_name=fact.property,
            kind="round",
            gaming_day=fact.gaming_day,
            at=fact.at,
            table_name=fact.table,
            game=fact.game,
            round_id=fact.round_id,
            revision=fact.revision,
            meter=one.meter,
        )
        reading = one.reading
        rows.read(
            {
                "property": fact.property,
                "table_name": fact.table,
                "round_id": fact.round_id,
                "meter": one.meter,
                "pool": movement.pool,
                "number": movement.number,
                "standing": True,
                "game": fact.game,
                "gaming_day": fact.gaming_day,
                "revision": fact.revision,
                "opened_at": fact.opened_at,
                "closed_at": fact.closed_at,
                "in_cents": movement.in_cents,
                "rate": one.rate,
                "settled_cents": one.settled_cents,
                "award_cents": movement.award_cents,
                "reset_cents": parse_exact(movement.reset) // 10**9,
                "before_cents": None if reading is None else reading.before_cents,
                "after_cents": None if reading is None else reading.after_cents,
                "findings": list(one.findings),
                **place,
            }
        )
        rows.hits.extend(
            {
                "property": fact.property,
                "pool": movement.pool,
                "number": movement.number,
                "line": line,
                "standing": True,
                "gaming_day": fact.gaming_day,
                "at": fact.at,
                "table_name": fact.table,
                "game": fact.game,
                "round_id": fact.round_id,
                "revision": fact.revision,
                "seat": hit.seat,
                "wager": hit.wager,
                "category": hit.category,
                "cents": hit.cents,
                **place,
            }
            for line, hit in enumerate(one.hits)
        )


def _taken_back(rows: _Rows, entry: Entry, fact: RoundTakenBack) -> None:
    for movement in fact.movements:
        rows.move(
            entry,
            movement,
            property_name=fact.property,
            kind="taken_back",
            gaming_day=fact.gaming_day,
            at=fact.at,
            table_name=fact.table,
            game=fact.game,
            round_id=fact.round_id,
            revision=fact.revision,
        )
    for key, reading in rows.readings.items():
        if key[:3] == (fact.property, fact.table, fact.round_id) and reading["revision"] == fact.revision:
            reading["standing"] = False
    revision = (fact.property, fact.table, fact.round_id, fact.revision)
    rows.taken_back.append(dict(zip(_REVISION, revision, strict=True)) | {"standing": False})


async def _decided(connection: AsyncConnection, rows: _Rows, entry: Entry, fact: Fact) -> None:
    match fact:
        case PoolApproved():
            await _decide(connection, fact, "approved", approved_by=fact.approved_by, approved_at=fact.approved_at)
            if fact.movement is not None:
                rows.move(
                    entry,
                    fact.movement,
                    property_name=fact.property,
                    kind="seed",
                    gaming_day=fact.gaming_day,
                    at=fact.effective_from,
                )
        case PoolFiled():
            columns = ("property", "pool", "version", "filed_by")
            values = {name: getattr(fact, name) for name in columns}
            await connection.execute(
                insert_into(pool_versions).values(**values, status="filed", document=as_json(fact))
            )
        case PoolRejected():
            await _decide(
                connection,
                fact,
                "rejected",
                rejected_by=fact.rejected_by,
                rejected_at=fact.rejected_at,
                rejection_reason=fact.reason,
            )
        case ChangeApproved():
            await _change(connection, fact, "approved", approved_by=fact.approved_by, document=as_json(fact))
            for movement in fact.movements:
                rows.move(
                    entry,
                    movement,
                    property_name=fact.property,
                    kind="change",
                    gaming_day=fact.gaming_day,
                    at=fact.approved_at,
                )
        case ChangeRequested():
            columns = ("property", "change", "pool", "requested_by")
            values = {name: getattr(fact, name) for name in columns}
            await connection.execute(insert_into(changes).values(**values, status="requested", document=as_json(fact)))
        case ChangeRejected():
            await _change(connection, fact, "rejected")
        case DayReconciled():
            await connection.execute(
                insert_into(reconciliations).values(
                    property=fact.property,
                    gaming_day=fact.gaming_day,
                    seq=entry.seq,
                    rows_sha256=fact.rows_sha256,
                    document=as_json(fact),
                )
            )


async def _decide(connection: AsyncConnection, fact: PoolApproved | PoolRejected, status: str, **values: Any) -> None:
    t = pool_versions
    which = (t.c.property == fact.property) & (t.c.pool == fact.pool) & (t.c.version == fact.version)
    done = await connection.execute(update_of(t).where(which, t.c.status == "filed").values(status=status, **values))
    assert done.rowcount == 1, f"version {fact.version} of pool {fact.pool} is not waiting for a decision"


async def _change(
    connection: AsyncConnection, fact: ChangeApproved | ChangeRejected, status: str, **values: Any
) -> None:
    t = changes
    which = (t.c.property == fact.property) & (t.c.change == fact.change) & (t.c.status == "requested")
    done = await connection.execute(update_of(t).where(which).values(status=status, **values))
    assert done.rowcount == 1, f"change {fact.change} at {fact.property} is not waiting for a decision"


_NEW: Final = excluded(pools)
_SHOWN: Final = ("display", "reserve", "overflow")
_MOVE_POOLS: Final = insert(
    pools,
    on_conflict={name: case((_NEW.number > pools.c.number, _NEW[name]), else_=pools.c[name]) for name in _SHOWN}
    | added(pools, "in_count", "in_cents", "hits", "wins_cents")
    | {name: func.greatest(pools.c[name], _NEW[name]) for name in ("number", "at")},
)
_ADD_MOVEMENTS: Final = insert(movements)
_ADD_READINGS: Final = insert(
    readings, on_conflict=replaced(readings), where=excluded(readings).revision > readings.c.revision
)
_ADD_HITS: Final = insert(hits)
_REVISION: Final = ("property", "table_name", "round_id", "revision")
_TAKE_BACK: Final = tuple(update(table, ("standing",), by=_REVISION) for table in (readings, hits))


async def _write(connection: AsyncConnection, rows: _Rows) -> None:
    await _MOVE_POOLS.write(connection, [rows.pools[key] for key in sorted(rows.pools)])
    await _ADD_MOVEMENTS.write(connection, rows.movements)
    await _ADD_READINGS.write(connection, list(rows.readings.values()))
    await _ADD_HITS.write(connection, rows.hits)
    for statement in _TAKE_BACK:
        await statement.write(connection, rows.taken_back)


def fact_of(entry: Entry) -> Contract:
    """The fact that an entry records."""
    return FACTS[entry.draft.kind].model_validate_json(entry.draft.data)
