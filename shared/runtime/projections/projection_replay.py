"""Project the whole journal of a service, and the tables that it writes from its topics, into empty tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Table, text
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.entry import Entry
from shared.journal.fact_replay import Unreadable
from shared.journal.ledger import Fenced
from shared.journal.recording import Recorded
from shared.runtime.clock import utc_now
from shared.runtime.differences import DIFFERENCES_MAX, InapplicableEntry
from shared.runtime.errors import ErrorKind, kind_of
from shared.runtime.ingest.handler import ReadModelHandler
from shared.runtime.ingest.topic_replay import InMemoryStreams, TopicReplay
from shared.runtime.projector import OutOfOrder, Projector, Transaction
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.signing_keys import message_verifier
from shared.runtime.settings import Settings

PART: Final = 1000
"""Maximum number of entries or events that are projected at once."""


def keepers_of(manifest: Manifest) -> list[ReadModelHandler[Any]]:
    """Return new instances of the handlers that write tables from their topics."""
    return [handler() for handler in manifest.read_model_handlers if handler.keeps]


def tables_of(manifest: Manifest) -> tuple[Table, ...]:
    """Return the tables that are derived from a service's journal and topics."""
    kept = (table for handler in manifest.read_model_handlers for table in handler.keeps)
    return tuple(dict.fromkeys((*manifest.whole_projector.tables, *kept)))  # a table may be derived from both


async def project_all(connection: AsyncConnection, manifest: Manifest, settings: Settings) -> list[InapplicableEntry]:
    """Project everything; return the inapplicable entries, which are skipped, at most `DIFFERENCES_MAX` of them.

    The tables must be empty, and the shards must not change meanwhile. Raises: FatalServiceError and KafkaException,
    like `TopicReplay.events`.
    """
    unfit = await project_journal(connection, manifest)
    for keeper in keepers_of(manifest):
        await replay_topics(connection, manifest, keeper, settings)
    return unfit


async def project_journal(connection: AsyncConnection, manifest: Manifest) -> list[InapplicableEntry]:
    """Project the journal in batches; return the entries that are inapplicable or unreadable."""
    return (await project_after(connection, manifest, {})).unfit


@dataclass(frozen=True, slots=True)
class ProjectedPart:
    """The result of projecting a part of a journal.

    `after` is the sequence of the last projected entry by shard number. `whole` is true if no entry is left to project.
    """

    after: Mapping[int, int]
    unfit: list[InapplicableEntry]
    whole: bool


async def project_after(
    connection: AsyncConnection,
    manifest: Manifest,
    after: Mapping[int, int],
    *,
    most: int | None = None,
    part: int = PART,
) -> ProjectedPart:
    """Project about `most` entries (None: all) in batches of `part`; `after` is the last projected sequence by shard.

    Inapplicable entries are skipped. Projecting stops once there are `DIFFERENCES_MAX` of them.
    """
    unfit: list[InapplicableEntry] = []
    last, count = dict(after), 0
    projector = manifest.whole_projector
    await connection.execute(text("SET CONSTRAINTS ALL DEFERRED"))  # the shards are projected one after the other
    reading = projector.read(connection, manifest.journal, after)
    while len(unfit) < DIFFERENCES_MAX:
        try:
            recorded = await anext(reading, None)
        except OutOfOrder as error:
            unfit.append(InapplicableEntry(error.shard, error.seq, error.kind, str(error)))
            break
        if recorded is None:
            break
        for some in _parts(recorded, part):
            unfit += [_unfit(entry, fact.why) for entry, fact in some if isinstance(fact, Unreadable)]
            unfit += await _project(connection, projector, [one for one in some if not isinstance(one[1], Unreadable)])
            last |= {entry.shard: entry.seq for entry, _ in some}
            count += len(some)
            if most is not None and count >= most:
                return ProjectedPart(last, unfit, whole=False)
    return ProjectedPart(last, unfit, whole=True)


async def replay_topics(
    connection: AsyncConnection,
    manifest: Manifest,
    keeper: ReadModelHandler[Any],
    settings: Settings,
    *,
    part: int = PART,
) -> None:
    """Rewrite, in batches, the rows that a handler derives from its topic.

    Raises: FatalServiceError and KafkaException, like `TopicReplay.events`.
    """
    replay = replay_of(manifest, keeper, settings)
    async for batch in replay.events(connection, InMemoryStreams()):
        await keep_events(connection, keeper, batch, part=part)


def replay_of(manifest: Manifest, keeper: ReadModelHandler[Any], settings: Settings) -> TopicReplay:
    """Return the replay of a handler's topic. Raises: FatalServiceError if a signing key is malformed."""
    verifier = message_verifier(settings, [keeper.reader.topic], manifest.name)
    return TopicReplay(manifest.journal, keeper, settings, verifier)


async def keep_events(
    connection: AsyncConnection, keeper: ReadModelHandler[Any], events: Sequence[Any], *, part: int
) -> None:
    """Rewrite the rows that a handler derives from events, `part` events at a time."""
    for some in _parts(events, part):
        await keeper.keep_again(connection, some, utc_now())


def _parts(things: Sequence[Any], part: int) -> Iterator[Sequence[Any]]:
    return (things[first : first + part] for first in range(0, len(things), part))


async def _project(
    connection: AsyncConnection, projector: Projector, recorded: Sequence[Recorded]
) -> list[InapplicableEntry]:
    """Project entries; return the inapplicable ones, which are found by bisection."""
    if not recorded:
        return []
    try:
        async with connection.begin_nested():
            await projector.project(Transaction(connection), recorded)
    except Exception as error:
        if not isinstance(error, Fenced | AssertionError | LookupError) and kind_of(error) is not ErrorKind.REFUSED:
            raise
        if len(recorded) == 1:
            [(entry, _)] = recorded
            return [_unfit(entry, str(error) or repr(error))]
        half = len(recorded) // 2
        return [
            *await _project(connection, projector, recorded[:half]),
            *await _project(connection, projector, recorded[half:]),
        ]
    return []


def _unfit(entry: Entry, what: str) -> InapplicableEntry:
    return InapplicableEntry(entry.shard, entry.seq, entry.draft.kind, what)
