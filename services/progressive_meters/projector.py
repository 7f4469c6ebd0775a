"""The read model of the meters. Facts of different shards may be applied in any order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import case, func

from services.progressive_meters.domain.pools import HELD, PARTS, delta_of
from services.progressive_meters.tables import (
    changes,
    hits,
    movements,
    pool_days,
    pool_versions,
    pools,
    readings,
    reconciliations,
)
from shared.contracts.exact import parse_exact, shown
from shared.contracts.meters import (
    ChangeApproved,
    ChangeRejected,
    ChangeRequested,
    DayReconciled,
    MeterOfRound,
    MeterRoundCounted,
    Movement,
    PoolApproved,
    PoolFiled,
    PoolReturned,
    RoundTakenBack,
)
from shared.contracts.settlements import RoundKey
from shared.journal.bulk import Row, added, excluded, insert, replaced, update
from shared.journal.entry import Entry
from shared.journal.fact_replay import as_of_today
from shared.journal.ledger import Fenced
from shared.journal.pipeline import Pipeline, pipeline
from shared.journal.recording import Recorded
from shared.runtime.commands.version_rows import VersionRows
from shared.runtime.projector import Projector, Transaction

_ROUND: Final = RoundKey._fields
_OF_ROUND: Final = (*_ROUND, "game", "meter")
_COUNTERS: Final = {"in_count": "in_count", "in_cents": "in_cents", "hits": "hits", "wins_cents": "award_cents"}
"""Counter column of a pool -> field of a movement's delta that it sums."""

_VERSIONS: Final = VersionRows(pool_versions, (PoolFiled,))
_REQUEST: Final = insert(changes, ("property", "change", "pool", "status", "requested_by", "document"))
_APPROVE: Final = update(changes, ("status", "document", "approved_by"))
_REJECT: Final = update(changes, ("status", "rejection"))
_RECONCILE: Final = insert(reconciliations)
_ADD_MOVEMENTS: Final = insert(movements, on_conflict="skip")
_ADD_HITS: Final = insert(hits, on_conflict="skip")
_NO_READING: Final = update(readings, ("standing",), by=_ROUND)
_NO_HIT: Final = update(hits, ("standing",), by=_ROUND)

_new_pool: Final = excluded(pools)
_MOVE_POOLS: Final = insert(
    pools,
    on_conflict={
        name: case((_new_pool.number > pools.c.number, _new_pool[name]), else_=pools.c[name])
        for name in ("display", "reserve", "overflow")
    }
    | added(pools, *_COUNTERS)
    | {name: func.greatest(pools.c[name], _new_pool[name]) for name in ("number", "at")},
)
_ADD_DAYS: Final = insert(
    pool_days, on_conflict=added(pool_days, "movements", *PARTS, *(f"{leg}_account" for leg in HELD))
)
_READ: Final = insert(
    readings,
    on_conflict=replaced(readings),
    where=excluded(readings).revision > readings.c.revision,
)


_Moving = PoolApproved | MeterRoundCounted | RoundTakenBack | ChangeApproved


@dataclass(slots=True)
class _Rows:
    """The rows that a batch of facts inserts or updates, by table."""

    versions: list[Recorded] = field(default_factory=list)
    requested: list[Row] = field(default_factory=list)
    approved: list[Row] = field(default_factory=list)
    rejected: list[Row] = field(default_factory=list)
    reconciled: list[Row] = field(default_factory=list)
    pools: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    movements: dict[tuple[str, str, int], Row] = field(default_factory=dict)
    days: dict[tuple[str, str, date], dict[str, Any]] = field(default_factory=dict)
    readings: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    hits: list[Row] = field(default_factory=list)
    taken_back: list[Row] = field(default_factory=list)

    def add(self, entry: Entry, fact: object) -> None:
        """Add the rows of a fact; facts of the shared runtime have no rows."""
        match fact:
            case PoolFiled() | PoolReturned():
                self.versions.append((entry, fact))
                if isinstance(fact, PoolApproved) and fact.movement is not None:
                    self._move(entry, "seed", [fact.movement], fact, fact.effective_from)
            case MeterRoundCounted():
                self._count(entry, fact)
            case RoundTakenBack():
                of_round = _of_round(fact)
                self._move(entry, "taken_back", fact.movements, fact, fact.at, of_round | {"game": fact.game})
                self.taken_back.append(of_round | {"standing": False})
            case ChangeRequested():
                self._change(entry, fact)
            case ChangeRejected():
                rejection = {"status": "rejected", "rejection": as_of_today(entry.draft).data.decode()}
                self.rejected.append({"property": fact.property, "change": fact.change} | rejection)
            case DayReconciled():
                self.reconciled.append(
                    {name: getattr(fact, name) for name in ("property", "gaming_day", "rows_sha256")}
                    | {"seq": entry.seq, "document": as_of_today(entry.draft).data.decode()}
                )

    def _change(self, entry: Entry, fact: ChangeRequested) -> None:
        """Add a requested change, or its approval with its movements."""
        row = {"property": fact.property, "change": fact.change, "document": as_of_today(entry.draft).data.decode()}
        if not isinstance(fact, ChangeApproved):
            asked = {"pool": fact.pool, "status": "requested", "requested_by": fact.requested_by}
            self.requested.append(row | asked)
            return
        self.approved.append(row | {"status": "approved", "approved_by": fact.approved_by})
        self._move(entry, "change", fact.movements, fact, fact.approved_at)

    def _count(self, entry: Entry, fact: MeterRoundCounted) -> None:
        of_round = _of_round(fact) | {"game": fact.game}
        for one in fact.meters:
            self._move(entry, "round", [one.movement], fact, fact.at, of_round | {"meter": one.meter})
            moved = {"pool": one.movement.pool, "number": one.movement.number, "standing": True}
            of_entry = {"gaming_day": fact.gaming_day, "shard": entry.shard, "seq": entry.seq}
            self._read(of_round | moved | of_entry | _reading(fact, one))
            place = _of_round(fact) | moved
            self.hits += [place | {"line": line, "cents": hit.cents} for line, hit in enumerate(one.hits)]

    def _read(self, row: dict[str, Any]) -> None:
        """Add a table's meter reading; the latest revision of a round replaces earlier ones."""
        key = tuple(row[name] for name in ("property", "table", "round_id", "meter"))
        before = self.readings.get(key)
        if before is None or before["revision"] < row["revision"]:
            self.readings[key] = row

    def _move(
        self,
        entry: Entry,
        kind: str,
        moved: Iterable[Movement],
        fact: _Moving,
        at: datetime,
        of_round: Row | None = None,
    ) -> None:
        """Add movements to their pools, gaming days and the list of movements."""
        for movement in moved:
            delta, key = delta_of(movement), (fact.property, movement.pool)
            place = {"property": fact.property, "pool": movement.pool}
            day = self._day(*key, fact.gaming_day)
            day.update({name: day[name] + getattr(delta, name) for name in PARTS}, movements=day["movements"] + 1)
            display = parse_exact(movement.display_cents)
            sums = {name: getattr(delta, part) for name, part in _COUNTERS.items()}
            row = self.pools.setdefault(key, {**place, "number": 0, "at": at, **dict.fromkeys(sums, 0)})
            row.update({name: row[name] + value for name, value in sums.items()}, at=max(row["at"], at))
            if movement.number > row["number"]:
                row["number"], row["display"] = movement.number, display
                row["reserve"] = parse_exact(movement.reserve_cents)
                row["overflow"] = parse_exact(movement.overflowed_cents)
            self.movements[*key, movement.number] = (
                dict.fromkeys(_OF_ROUND)
                | dict(of_round or {})
                | place
                | {name: getattr(delta, name) for name in PARTS}
                | {
                    "number": movement.number,
                    "kind": kind,
                    "gaming_day": fact.gaming_day,
                    "at": at,
                    "display": display,
                    "movement": movement.model_dump_json(exclude_none=True),
                    "shard": entry.shard,
                    "seq": entry.seq,
                }
            )

    def _day(self, property_name: str, pool: str, gaming_day: date) -> dict[str, Any]:
        key = (property_name, pool, gaming_day)
        if key not in self.days:
            place = {"property": property_name, "pool": pool, "gaming_day": gaming_day}
            self.days[key] = place | dict.fromkeys(("movements", *PARTS, *(f"{leg}_account" for leg in HELD)), 0)
        return self.days[key]

    def post(self, entry: Entry, gaming_day: date) -> None:
        """Add an entry's postings on the legs of HELD (credits count as positive) to the sums of a gaming day."""
        for account, cents in entry.draft.postings:
            if account.leg in HELD:
                self._day(account.property, account.wager, gaming_day)[f"{account.leg}_account"] -= cents

    async def write(self, sent: Pipeline) -> None:
        """Write all rows; pools and movements are written in key order, so that two writers do not deadlock.

        Raises: Fenced if the number of a movement already exists in its pool. Another process has then moved the pool,
        and the facts are decided again.
        """
        await _VERSIONS.write(sent, self.versions)
        await sent.write(_REQUEST, self.requested)
        await sent.write(_APPROVE, self.approved)
        await sent.write(_REJECT, self.rejected)
        await sent.write(_RECONCILE, self.reconciled)
        await sent.write(_MOVE_POOLS, [self.pools[key] for key in sorted(self.pools)])
        overtaken = Fenced("a pool has moved since this was decided")
        await sent.write(_ADD_MOVEMENTS, [self.movements[key] for key in sorted(self.movements)], otherwise=overtaken)
        await sent.write(_ADD_DAYS, [self.days[key] for key in sorted(self.days)])
        await sent.write(_READ, list(self.readings.values()))
        await sent.write(_ADD_HITS, self.hits)
        await sent.write(_NO_READING, self.taken_back)
        await sent.write(_NO_HIT, self.taken_back)


def _of_round(fact: MeterRoundCounted | RoundTakenBack) -> dict[str, Any]:
    return RoundKey.of(fact)._asdict()


def _reading(fact: MeterRoundCounted, one: MeterOfRound) -> dict[str, Any]:
    said = {"before_cents": None, "after_cents": None} if one.reading is None else dict(one.reading)
    return {
        **said,
        **{name: getattr(fact, name) for name in ("opened_at", "closed_at")},
        **{name: getattr(one, name) for name in ("meter", "rate", "settled_cents", "findings")},
        **{name: getattr(one.movement, name) for name in ("in_cents", "award_cents")},
        "reset_cents": shown(parse_exact(one.movement.reset_cents)),
    }


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the read model. Raises: Fenced if a pool has moved since the facts were decided."""
    rows = _Rows()
    for entry, fact in recorded:
        rows.add(entry, fact)
        if isinstance(fact, _Moving):
            rows.post(entry, fact.gaming_day)
    async with pipeline(transaction.connection) as sent:
        await rows.write(sent)


PROJECTOR: Final = Projector(
    tables=(pool_versions, pools, movements, pool_days, readings, hits, changes, reconciliations), project=project
)
