"""Re-derive a whole journal: every shard of every topic that can be derived."""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.facts import KINDS
from shared.journal.reading import Pacing
from shared.journal.shard import Shard
from shared.journal.signed_batch import BatchVerifier
from shared.journal.tables import JournalTables
from shared.journal.topic_identity import known_input
from shared.journal.verification import VerificationProblem, read_shards
from shared.runtime.rederivation.derivation import (
    DerivationOutcome,
    DerivationPosition,
    derive_again,
    place_of,
    resumed,
    stream_so_far,
    take_over,
)
from shared.runtime.rederivation.replay_spec import ReplaySpec, Sources, Topics
from shared.runtime.rederivation.replay_state import ReplayState
from shared.runtime.rederivation.stream_order import StreamOrder

Begun = Callable[[DerivationPosition, Shard], object]
"""Called when the re-derivation of a shard begins, with the shard's position, which advances as the work proceeds."""


async def rederive(
    connection: AsyncConnection,
    tables: JournalTables,
    service: str,
    agains: Sequence[ReplaySpec[Any]],
    records: Topics,
    memory: ReplayState,
    *,
    verifier: BatchVerifier | None = None,
    parts: Pacing = Pacing(),  # noqa: B008 - immutable
    begun: Begun = lambda *_: None,
) -> AsyncIterator[VerificationProblem]:
    """Re-derive the part of the journal that is new since the last pass, and yield each difference.

    All money in the journal must follow from topics. Shards without a topic may therefore contain only facts that every
    journal has, and the facts that commands record. Raises: ConnectionError.
    """
    by_topic = {again.handler.topic: again for again in agains}
    logs = await _logs(connection, tables, list(by_topic), records.cluster_id)
    here: list[Shard] = []
    elsewhere: list[Shard] = []
    for shard in await read_shards(connection, tables):
        topic, _, log = shard.name.partition("@")
        if (topic := topic.rpartition("/")[0]) not in by_topic:
            async for problem in _not_of_every_journal(connection, tables, shard):
                yield problem
            continue
        if log != logs.get(topic):
            elsewhere.append(shard)
            continue
        here.append(shard)
    sources = Sources(connection, tables, records, memory, logs, verifier)
    for again in agains:
        for problem in await again.prepare(sources):
            yield problem
    turns = await StreamOrder.read(connection, tables, partial(stream_so_far, memory))
    waiting: list[AsyncIterator[VerificationProblem | None]] = []
    outcome = DerivationOutcome()
    for shard in [*elsewhere, *here]:
        reached, changed = await resumed(sources, service, shard)
        if changed is not None:
            yield changed
            continue
        begun(reached, shard)
        again = by_topic[place_of(shard.name)[0]]
        if shard in elsewhere:
            unproven = await take_over(sources, again, shard, reached)
            if unproven is not None:
                yield unproven
            continue
        waiting.append(derive_again(sources, again, shard, reached, parts, turns, outcome))
    async for problem in _in_turns(waiting, turns, outcome, memory):
        yield problem


async def _in_turns(
    shards: Sequence[AsyncIterator[VerificationProblem | None]],
    turns: StreamOrder,
    outcome: DerivationOutcome,
    memory: ReplayState,
) -> AsyncIterator[VerificationProblem]:
    """Re-derive shards in turns, since a shard's records may depend on records of others; yield each difference.

    Once a difference was found, what was derived since the last commit is dropped as soon as no shard waits for another
    shard.
    """
    left = list(shards)
    midway: set[AsyncIterator[VerificationProblem | None]] = set()
    while left:
        before = turns.steps, len(left)
        for shard in list(left):
            async for found in shard:
                if found is None:
                    midway.add(shard)
                    break
                yield found
            else:
                left.remove(shard)
                midway.discard(shard)
            if not midway and not outcome.good:
                memory.forget()
                outcome.good = True
        if before == (turns.steps, len(left)):
            turns.broken = turns.broken or turns.may_take
            turns.may_take = True


async def _not_of_every_journal(
    connection: AsyncConnection, tables: JournalTables, shard: Shard
) -> AsyncIterator[VerificationProblem]:
    """Check a shard without a topic: yield a problem for each entry that only a topic's event could have caused."""
    e = tables.entries.c
    money = func.cardinality(e.accounts) > 0
    of_commands = [type_ for kind in KINDS if kind.topic is None or kind.stream is not None for type_ in kind.types]
    query = select(e.seq, e.kind).where(e.shard == shard.shard, or_(e.kind.not_in(of_commands), money)).order_by(e.seq)
    for seq, kind in await connection.execute(query):
        yield VerificationProblem(shard.name, seq, f"{kind} follows from no record: this shard is read from no topic")


async def _logs(
    connection: AsyncConnection, tables: JournalTables, topics: Sequence[str], cluster: str
) -> dict[str, str]:
    """Return, by topic, the log name that is part of its shards' names on this cluster."""
    known = {topic: await known_input(connection, tables, topic, cluster) for topic in topics}
    return {topic: cluster if found is None else found.log for topic, found in known.items()}
