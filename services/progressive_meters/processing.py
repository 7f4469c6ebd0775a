"""What the meters read: settlements, which they count in order."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters import rounds, store
from services.progressive_meters.configuration import Pools
from services.progressive_meters.domain import Pool, Terms, count_round, take_back
from services.progressive_meters.events import Posted, Reversed, ReversedRound, decode
from services.progressive_meters.reading import (
    ApprovedPools,
    PoolKey,
    RoundKey,
    movements_of_rounds,
    new_pool,
    pool_of,
    pool_rows,
    under,
)
from services.progressive_meters.submissions import Submissions
from shared.contracts import settlement_events
from shared.contracts.envelope import Contract
from shared.contracts.meters import Feed, MeterOfRound, Movement, PoolTerms, RoundCounted, RoundTakenBack
from shared.contracts.settlement_reading import EntryOfPublisher
from shared.journal.entry import Draft, Entry, Posting
from shared.journal.ledger import Fenced
from shared.rules.errors import Refused
from shared.runtime.consume.handler import Record


class Settlements:
    """Counts what settled rounds did to meters."""

    topic = settlement_events.TOPIC

    def __init__(self) -> None:
        self._submissions = Submissions()
        self._pools = ApprovedPools()

    def decode(self, record: Record) -> EntryOfPublisher[Any]:
        return decode(record.value)

    async def open(self, connection: AsyncConnection, events: Sequence[EntryOfPublisher[Any]]) -> "_Batch":
        await self._submissions.refresh(connection)
        pools = await self._pools.refresh(connection)
        taken_back = [_round_key(event) for event in events if isinstance(event, Reversed)]
        moved = await movements_of_rounds(connection, taken_back)
        keys = {(key.property, movement.pool) for key, found in moved.items() for movement in found}
        for event in events:
            if isinstance(event, Posted) and rounds.concerns_meters(event.data):
                keys.update(_fed(event, self._submissions, pools))
        return _Batch(await pool_rows(connection, keys), moved, pools, self._submissions)


def _round_key(event: Posted | Reversed) -> RoundKey:
    data = event.data
    return RoundKey(data.property, data.table, data.round_id, data.revision)


def _fed(event: Posted, known: Submissions, pools: Pools) -> Iterator[PoolKey]:
    data = event.data
    for terms in known.meters(data.submission.hash) or ():
        feed = Feed(table=data.table, game=data.game, meter=terms.meter)
        version = pools.fed_by(data.property, feed, data.opened_at)
        if version is not None:
            yield (version.property, version.pool)


class _Batch:
    """One batch of settlements: the pools as it leaves them."""

    def __init__(
        self,
        rows: dict[PoolKey, Any],
        moved: dict[RoundKey, tuple[Movement, ...]],
        pools: Pools,
        known: Submissions,
    ) -> None:
        self._rows = rows
        self._moved = moved
        self._pools = pools
        self._submissions = known
        self._states: dict[PoolKey, Pool] = {}

    def derive(self, event: EntryOfPublisher[Any], record: Record) -> Sequence[Draft]:
        match event:
            case Posted() if rounds.concerns_meters(event.data):
                return self._counted(event, record)
            case Reversed():
                return self._taken_back(event, record)
            case _:
                return ()

    def _counted(self, event: Posted, record: Record) -> Sequence[Draft]:
        data = event.data
        meters = self._submissions.meters(data.submission.hash)
        if meters is None:
            raise Refused(
                f"rules submission {data.property}/{data.game} version {data.submission.version} is not known here "
                f"({data.submission.hash}): replay this record once it has been published"
            )
        at = data.closed_at if data.revision == 1 else event.time
        documents: list[MeterOfRound] = []
        postings: list[Posting] = []
        after = dict(self._states)
        for terms, played in rounds.played(data, meters):
            feed = Feed(table=data.table, game=data.game, meter=terms.meter)
            version = self._pools.fed_by(data.property, feed, data.opened_at)
            if version is None:
                raise Refused(
                    f"meter {feed.meter} of {feed.game} at {feed.table} fed no pool of {data.property} at "
                    f"{data.opened_at.isoformat()}: have a pool approved that it feeds, then replay this record"
                )
            counted = count_round(self._pool(version, after), terms, played, table=data.table)
            after[version.property, version.pool] = counted.pool
            documents.append(counted.document)
            postings.extend(counted.postings)
        if not documents:
            return ()
        self._states = after
        self._moved[_round_key(event)] = tuple(document.movement for document in documents)
        fact = RoundCounted(
            **_round(data),
            revision=data.revision,
            opened_at=data.opened_at,
            closed_at=data.closed_at,
            at=at,
            submission=data.submission.hash,
            meters=tuple(documents),
        )
        return (_draft("meter.counted", fact, event, record, postings),)

    def _taken_back(self, event: Reversed, record: Record) -> Sequence[Draft]:
        data = event.data
        found = self._moved.get(_round_key(event))
        if found is None:
            if rounds.may_have_moved(data, self._meters_of(data)):
                raise Refused(
                    f"revision {data.revision} of round {data.round_id} is taken back, but was not counted: "
                    "mend the record that posted it, then replay this one"
                )
            return ()
        movements: list[Movement] = []
        postings: list[Posting] = []
        for movement in reversed(found):
            key = (data.property, movement.pool)
            version = self._pools.versions(*key)[-1]
            moved = take_back(self._pool(version, self._states), movement, table=data.table)
            self._states[key] = moved.pool
            movements.append(moved.movement)
            postings.extend(moved.postings)
        fact = RoundTakenBack(
            **_round(data),
            revision=data.revision,
            at=event.time,
            entered_by=data.correction.entered_by,
            approved_by=data.correction.approved_by,
            reason=data.correction.reason,
            movements=tuple(movements),
        )
        return (_draft("meter.taken_back", fact, event, record, postings),)

    def _meters_of(self, data: ReversedRound) -> Sequence[Terms]:
        """The meters that a round can have moved; those of all versions where its own is not named or known."""
        named = None if data.submission is None else self._submissions.meters(data.submission.hash)
        return self._submissions.ever(data.property, data.game) if named is None else named

    def _pool(self, terms: PoolTerms, states: dict[PoolKey, Pool]) -> Pool:
        """The pool as it stands within this batch, under the terms of a round."""
        key = (terms.property, terms.pool)
        state = states.get(key)
        if state is not None:
            return under(state, terms)
        row = self._rows.get(key)
        return new_pool(terms) if row is None else pool_of(row, terms)

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        rows = await pool_rows(connection, self._states, lock=True)
        for key in self._states:
            read, now = self._rows.get(key), rows.get(key)
            if (None if read is None else read.number) != (None if now is None else now.number):
                raise Fenced(f"pool {key[1]} at {key[0]} has moved since this batch read it")
        await store.project(connection, entries)


def _round(data: Any) -> dict[str, Any]:
    return {name: getattr(data, name) for name in settlement_events.SettledRound.model_fields}


def _draft(
    kind: str, fact: Contract, event: EntryOfPublisher[Any], record: Record, postings: Iterable[Posting]
) -> Draft:
    data = event.data
    return Draft(
        kind=kind,
        source=event.source,
        sequence=event.sequence,
        event_id=event.id,
        offset=record.offset,
        gaming_day=data.gaming_day,
        occurred_at=event.time,
        data=to_json(fact.model_dump(mode="json", exclude_none=True)),
        postings=tuple(postings),
    )
