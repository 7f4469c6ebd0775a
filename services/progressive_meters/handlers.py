"""Handlers of the meters: they apply settlements to pools, and store approved properties and submissions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain.pools import Pool, take_back
from services.progressive_meters.domain.rounds import Terms, concerns_meters, count_round, may_have_moved, played
from services.progressive_meters.domain.versions import Pools
from services.progressive_meters.queries.pools import (
    ApprovedPools,
    PoolKey,
    Submissions,
    movements_of_rounds,
    pools_of,
)
from services.progressive_meters.tables import properties, submissions
from shared.contracts.envelope import Event
from shared.contracts.meters import Feed, MeterOfRound, MeterRoundCounted, Movement, RoundTakenBack
from shared.contracts.settlement_views import PostedRound, ReversedRound
from shared.contracts.settlements import RoundKey, SettledRound
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import SETTLEMENTS
from shared.contracts.versions import fields_of
from shared.journal.entry import Posting
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused
from shared.runtime.ingest.handler import FactHandler
from shared.runtime.ingest.property_copies import Properties
from shared.runtime.ingest.submission_copies import RulesSubmissions


class ApprovedRules(RulesSubmissions):
    """A handler that stores approved rules submissions, which define the rates of the meters."""

    copies = (submissions,)


class ApprovedProperties(Properties):
    """A handler that stores approved properties, which define the tables of the pools."""

    copies = (properties,)


@dataclass(slots=True)
class Counting:
    """The working state of a batch of settlements: current pools, rounds' movements, terms, submissions."""

    pools: dict[PoolKey, Pool]
    moved: dict[RoundKey, tuple[Movement, ...]]
    approved: Pools
    submissions: Submissions


class Settlements(FactHandler[Counting]):
    """A handler that applies the contributions and awards of settled rounds to the pools.

    If another process has moved one of the pools in the meantime, the batch is aborted and applied again.
    """

    reader = Reader(SETTLEMENTS, PostedRound, ReversedRound)

    def __init__(self) -> None:
        self._submissions = Submissions()
        self._pools = ApprovedPools()

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> Counting:
        await self._submissions.refresh(connection)
        approved = await self._pools.refresh(connection)
        taken_back = [RoundKey.of(event.data) for event in events if isinstance(event.data, ReversedRound)]
        moved = await movements_of_rounds(connection, taken_back)
        keys = {(key.property, movement.pool) for key, found in moved.items() for movement in found}
        for event in events:
            if isinstance(event.data, PostedRound) and concerns_meters(event.data):
                keys.update(_fed(event.data, self._submissions, approved))
        return Counting(await pools_of(connection, keys), moved, approved, self._submissions)

    def handle(self, event: Event[Any], state: Counting) -> Sequence[FactWithPostings]:
        match event.data:
            case PostedRound() as data if concerns_meters(data):
                return _counted(event, data, state)
            case ReversedRound() as data:
                return _taken_back(event, data, state)
            case _:
                return ()


def _fed(data: PostedRound, known: Submissions, approved: Pools) -> Iterator[PoolKey]:
    for terms in known.meters(data.submission.hash) or ():
        version = approved.fed_by(data.property, _feed(data, terms), data.opened_at)
        if version is not None:
            yield (version.property, version.pool)


def _counted(event: Event[Any], data: PostedRound, state: Counting) -> Sequence[FactWithPostings]:
    meters = state.submissions.meters(data.submission.hash)
    if meters is None:
        raise Refused(
            f"rules submission {data.property}/{data.game} version {data.submission.version} is not known here "
            f"({data.submission.hash}): replay this record once it has been published"
        )
    documents: list[MeterOfRound] = []
    postings: list[Posting] = []
    after: dict[PoolKey, Pool] = {}  # a round that is refused halfway leaves the pools unchanged
    for terms, one in played(data, meters):
        feed = _feed(data, terms)
        version = state.approved.fed_by(data.property, feed, data.opened_at)
        if version is None:
            raise Refused(
                f"meter {feed.meter} of {feed.game} at {feed.table} fed no pool of {data.property} at "
                f"{data.opened_at.isoformat()}: have a pool approved that it feeds, then replay this record"
            )
        key = (version.property, version.pool)
        pool = after.get(key) or state.pools.get(key) or Pool(*key)
        moved, document = count_round(pool, version, terms, one, table=data.table)
        after[key] = moved.pool
        documents.append(document)
        postings.extend(moved.postings)
    if not documents:
        return ()
    state.pools.update(after)
    state.moved[RoundKey.of(data)] = tuple(document.movement for document in documents)
    fact = MeterRoundCounted(
        **fields_of(data, SettledRound),
        revision=data.revision,
        opened_at=data.opened_at,
        closed_at=data.closed_at,
        at=data.closed_at if data.revision == 1 else event.time,
        submission=data.submission.hash,
        meters=tuple(documents),
    )
    return (FactWithPostings(fact=fact, postings=tuple(postings)),)


def _taken_back(event: Event[Any], data: ReversedRound, state: Counting) -> Sequence[FactWithPostings]:
    found = state.moved.get(RoundKey.of(data))
    if found is None:
        if may_have_moved(data, _meters_of(data, state.submissions)):
            raise Refused(
                f"revision {data.revision} of round {data.round_id} is taken back, but was not counted: "
                "mend the record that posted it, then replay this one"
            )
        return ()
    movements: list[Movement] = []
    postings: list[Posting] = []
    for movement in reversed(found):
        key = (data.property, movement.pool)
        moved = take_back(state.pools[key], movement, table=data.table)
        state.pools[key] = moved.pool
        movements.append(moved.movement)
        postings.extend(moved.postings)
    fact = RoundTakenBack(
        **fields_of(data, SettledRound),
        revision=data.revision,
        at=event.time,
        **dict(data.correction),
        movements=tuple(movements),
    )
    return (FactWithPostings(fact=fact, postings=tuple(postings)),)


def _meters_of(data: ReversedRound, known: Submissions) -> Sequence[Terms]:
    """Return the meters that a round may have moved: those of its submission, or of all versions if it is unknown."""
    named = known.meters(data.submission.hash)
    return known.ever(data.property, data.game) if named is None else named


def _feed(data: PostedRound, terms: Terms) -> Feed:
    return Feed(table=data.table, game=data.game, meter=terms.meter)
